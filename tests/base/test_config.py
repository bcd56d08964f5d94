"""`config.toml`: what is wrong is said with its line, and a change leaves the rest as it was."""

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from tutor.base import config, config_edit, paths
from tutor.base.config import SETTINGS, Config, load_config
from tutor.base.errors import UsageError
from tutor.base.runner_table import Runner
from tutor.base.toml_positions import with_key, with_value, without_key


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    return tmp_path


def written(text: str) -> config.Loaded:
    paths.config_file().write_text(text, encoding="utf-8")
    return load_config()


def test_without_a_file_every_default_stands() -> None:
    assert load_config() == config.Loaded()
    assert all(not setting.fault(setting.default) for setting in SETTINGS.values())
    assert all(setting.help for setting in SETTINGS.values())


def test_what_the_file_says_counts_and_is_placed(home: Path) -> None:
    loaded = written('# mine\nreduced_motion = true\n[keys]\n"lesson.next" = "l"\nmap.down = "d"\n')
    assert loaded.faults == ()
    assert loaded.config == Config(reduced_motion=True, keys={"lesson.next": "l", "map.down": "d"})
    assert loaded.places["reduced_motion"] == f"{home}/config.toml:2"
    assert loaded.places["keys.map.down"] == f"{home}/config.toml:5"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\nreduced_mtion = true", 2, "did you mean reduced_motion?"),
        ("vim_keys = 1", 1, "vim_keys must be true or false, not 1; true stands"),
        ("minutes_a_day = true", 1, "a whole number from 0 to 600, not true"),
        ("minutes_a_day = 601", 1, "a whole number from 0 to 600, not 601; 20 stands"),
        ('theme = "a\\u001bb"', 1, "theme must be a text in quotes"),
        ("[keys]\nlesson.next = 3", 2, "'lesson.next' must be a key such as"),
        ("[keys.lesson]\nnext = ''", 2, "must be a key such as"),
        ("\nkeys = 4", 2, "keys must be a table"),
        ("[editor]\nname = 'vi'", 1, "editor must be a text in quotes, not"),
        ("theme = \n", 1, "not read: Invalid value; every setting has its default"),
    ],
)
def test_a_fault_is_one_sentence_with_its_line(home: Path, text: str, line: int, said: str) -> None:
    loaded = written(text)
    assert loaded.config == Config()
    (fault,) = loaded.faults
    assert fault.startswith(f"{home}/config.toml:{line}: ")
    assert said in fault
    assert "\n" not in fault


def test_a_fault_takes_only_its_own_setting_away() -> None:
    loaded = written('target = "gfx942"\nminutes_a_day = "much"\n')
    assert loaded.config.target == "gfx942"
    assert len(loaded.faults) == 1


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\nb = '\x80'", b"x" * (1 << 19), b"[" * 99_999])
def test_bytes_that_are_no_toml_are_said_not_raised(data: bytes) -> None:
    paths.config_file().write_bytes(data)
    assert load_config().config == Config()
    assert len(load_config().faults) == 1
    with pytest.raises(UsageError):
        config_edit.change("vim_keys", False)
    assert paths.config_file().read_bytes() == data


def test_a_folder_in_its_place_is_said() -> None:
    paths.config_file().mkdir()
    assert "is not read" in load_config().faults[0]
    with pytest.raises(UsageError):
        config_edit.change("vim_keys", False)


def test_a_change_keeps_comments_order_and_the_file_before_it(home: Path) -> None:
    before = (
        "# about this file\n\n"
        'theme = "nord"  # at night\n'
        "# here too\n\n"
        "[keys]  # mine\n"
        '"map.down" = "d" # far from home\n'
        "# the end"
    )
    written(before)
    config_edit.change("theme", 'a "b" ü')
    config_edit.change("vim_keys", False)
    config_edit.change_keys({"map.down": None, "map.up": "e,f5"})
    assert paths.config_file().read_text() == (
        "# about this file\n\n"
        'theme = "a \\"b\\" ü"  # at night\n'
        "vim_keys = false\n"
        "# here too\n\n"
        "[keys]  # mine\n"
        '"map.up" = "e,f5"\n'
        "# the end"
    )
    (copy,) = home.glob("config.2*.toml")
    assert copy.read_text() == before


def test_a_value_that_cannot_be_is_not_written() -> None:
    with pytest.raises(UsageError, match="minutes_a_day must be a whole number from 0 to 600"):
        config_edit.change("minutes_a_day", 601)
    assert not paths.config_file().exists()


def test_a_link_to_a_file_elsewhere_stays_a_link(home: Path) -> None:
    (home / "dotfiles").mkdir()
    paths.config_file().symlink_to(home / "dotfiles" / "tutor.toml")
    config_edit.change("vim_keys", False)
    assert paths.config_file().is_symlink()
    assert (home / "dotfiles" / "tutor.toml").read_text() == "vim_keys = false\n"


def test_inline_keys_are_left_to_the_learner() -> None:
    written('keys = { "map.up" = "e" }\n')
    with pytest.raises(UsageError, match="by hand"):
        config_edit.change_keys({"map.up": "f"})
    assert paths.config_file().read_text() == 'keys = { "map.up" = "e" }\n'


def _bind(start: int) -> None:
    for number in range(start, start + 20):
        config_edit.change_keys({f"a.n{number}": f"f{number}"})


def test_two_tutors_do_not_lose_each_others_changes() -> None:
    others = [multiprocessing.Process(target=_bind, args=(start,)) for start in (100, 200)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert len(load_config().config.keys) == 40


NAMES = st.sampled_from(["a", "b", "c", "lesson.next", "x y"])
VALUES = st.one_of(
    st.booleans(), st.integers(-9, 9), st.text(st.sampled_from('ab#"=[]\\\n'), max_size=6)
)
NOISE = st.lists(st.sampled_from(["", "# a = 1 [x]", "  # 'b'"]), max_size=3).map(
    lambda lines: "".join(line + "\n" for line in lines)
)


def literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@given(
    st.dictionaries(NAMES, VALUES),
    st.dictionaries(NAMES, VALUES),
    NOISE,
    NAMES,
    VALUES,
    st.sampled_from([(), ("t",)]),
)
def test_a_text_changes_in_one_place_only(
    head: dict[str, Any],
    table: dict[str, Any],
    noise: str,
    name: str,
    value: Any,
    where: tuple[str, ...],
) -> None:
    def lines(of: dict[str, Any]) -> str:
        return "".join(f'{noise}"{n}" = {literal(v)}  # why {n}\n' for n, v in of.items())

    text = lines(head) + "[t]\n" + lines(table) + noise
    data = {**head, "t": dict(table)}
    inside: dict[str, Any] = data["t"] if where else data
    path = (*where, name)
    if name in inside:
        changed = with_value(text, path, literal(value))
        without = tomli.loads(without_key(text, path))
        del inside[name]
        assert without == data
    else:
        changed = with_key(text, where, name, literal(value))
    inside[name] = value
    assert tomli.loads(changed) == data
    comments = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    assert [line for line in changed.splitlines() if line.lstrip().startswith("#")] == comments


def test_every_setting_is_documented_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs" / "config.md").read_text(encoding="utf-8")
    rows = {}
    for line in page.splitlines():
        if line.startswith("| `"):
            name, _, default, _ = (cell.strip() for cell in line.strip("|").split("|"))
            rows[name.strip("`")] = default.strip("`")
    assert rows == {name: literal(setting.default) for name, setting in SETTINGS.items()}


def test_the_documented_example_has_no_fault() -> None:
    page = (Path(__file__).parents[2] / "docs" / "config.md").read_text(encoding="utf-8")
    loaded = written(page.partition("```toml\n")[2].partition("```")[0])
    assert loaded.faults == ()
    assert loaded.config.keys["home.map"] == "w,f8"


@pytest.mark.parametrize("text", ["judge.keep_minutes = 0\n", "[judge]\nkeep_minutes = 0\n"])
def test_a_setting_of_the_judge_may_stand_in_its_table(text: str) -> None:
    loaded = written(text)
    assert loaded.faults == ()
    assert loaded.config.judge_keep_minutes == 0
    assert loaded.places["judge_keep_minutes"].endswith(f"config.toml:{text.count(chr(10))}")
    config_edit.change("judge_keep_minutes", 25)
    assert paths.config_file().read_text() == text.replace("= 0", "= 25")
    (fault,) = written(text.replace("= 0", "= 601")).faults
    assert "judge_keep_minutes must be a whole number from 0 to 600" in fault


def test_runners_are_read_and_each_fault_has_its_line(home: Path) -> None:
    found = written(
        'judge_runner = "lab"\n[runners.lab]\nlaunch = "ssh -o \'A B\' lab"\ntutor = "~/t"\n'
        '[runners.local]\nlaunch = "x"\n[runners.open]\nlaunch = "ssh \'lab"\n'
        "[runners.number]\nlaunch = 3\n[runners.more]\nlaunch = 'x'\nuser = 'y'\n"
    )
    lab = Runner("lab", ("ssh", "-o", "A B", "lab"), ("~/t",))
    assert found.config.runners == {"lab": lab}
    assert found.config.runner == lab
    assert lab.command == ["ssh", "-o", "A B", "lab", "~/t", "judge", "serve"]
    assert [each.split(": ")[0][-2:] for each in found.faults] == [":5", ":7", ":9", "11"]


def test_an_unknown_runner_leaves_this_machine(home: Path) -> None:
    found = written('judge_runner = "lob"\n[runners.lab]\nlaunch = "ssh lab"\n')
    assert found.config.runner is None
    assert "did you mean lab?; this machine judges" in found.faults[0]


def test_the_runners_of_the_page_have_no_fault() -> None:
    page = (Path(__file__).parents[2] / "docs" / "runners.md").read_text(encoding="utf-8")
    blocks = [part.split("```")[0] for part in page.split("```toml\n")[1:]]
    found = written("\n".join(blocks))
    assert not found.faults
    assert len(found.config.runners) == 6
