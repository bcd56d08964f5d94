"""Settings and keys from their pages: at once, and in the file; the palette and the jump."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answering import keep_answer
from doing import SMALL, WIDE, seen, until
from run_home import share_judge
from sights import compare, dark_and_light
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, OptionList
from textual.widgets._toast import Toast

from tutor.base import paths
from tutor.base.config import Config, load_config
from tutor.course.catalog.course import open_course
from tutor.memory.course_sync import sync
from tutor.memory.record import Record, open_record
from tutor.memory.schedule import card_updates
from tutor.ui.app import TutorApp
from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.home.course_map import MapScreen
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.dialogs.help import HelpScreen
from tutor.ui.kit.dialogs.jump import JumpScreen
from tutor.ui.kit.keys.actions import ACTIONS
from tutor.ui.kit.keys.keymap import find_clash, key_fault, read_keymap
from tutor.ui.lab.screen import LabScreen
from tutor.ui.ladder.screen import LadderScreen
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.settings.key_bindings import PressScreen, RebindScreen
from tutor.ui.settings.settings import ROWS, SettingsScreen
from tutor.xray.model.subject import Subject


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Record]:
    monkeypatch.setenv("TUTOR_HOME", str(share_judge(tmp_path)))
    opened = open_record(paths.record_file())
    opened.activity.section_read(22, 0)
    yield opened
    opened.close()


def started(record: Record) -> TutorApp:
    app = TutorApp(open_course(), record)
    app._warm_judge = lambda: None  # type: ignore[method-assign]  # nothing is judged here
    return app


async def at_home(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, HomeScreen))


def told(app: App[None]) -> str:
    """What was said in the corner, whole; on the screen its lines are broken."""
    return "\n".join(notification.message for notification in app._notifications)


async def go_to(pilot: Pilot[None], name: str) -> None:
    """The cursor of the list to the line with this id."""
    listed = pilot.app.screen.query_one(OptionList)
    listed.highlighted = listed.get_option_index(name)
    await pilot.pause()


def test_no_key_has_two_meanings_in_one_place() -> None:
    for actions in ACTIONS.values():
        for action in actions:
            assert "there is no key" not in key_fault(action.keys), action.id
            assert find_clash(action.id, action.keys, {}) is None, action.id


def test_a_key_that_is_to_work_everywhere_is_free_everywhere(tmp_path, monkeypatch) -> None:
    assert (other := find_clash("app.help", "x", {})) is not None
    assert other.id == "lesson.run"
    assert find_clash("app.help", "Q", {}) is None
    assert (
        find_clash("app.down", "down", {}) is None
    )  # lists of some places have it for themselves too
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text('[keys]\n"app.help" = "x"\n')
    keymap, faults = read_keymap(load_config())
    assert "app.help" not in keymap
    assert faults[0].endswith("app.help: lesson.run has one of these keys; its default keys stay")


async def test_one_thing_is_said_at_a_time_and_only_where_it_belongs(record: Record) -> None:
    app = started(record)
    async with app.run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        app.notify("one")
        app.notify("two")
        await until(pilot, lambda: "two" in seen(app))
        assert "one" not in told(app)
        assert len(app.screen.query(Toast)) == 1
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        assert told(app) == ""
        app.notify("three")
        await until(pilot, lambda: "three" in seen(app))
        await pilot.press("escape")
        await at_home(pilot)
        await until(pilot, lambda: "two" not in seen(app) and "three" not in seen(app))


@pytest.mark.slow
async def test_lists_say_what_enter_does_there(record: Record) -> None:
    app = started(record)
    async with app.run_test(size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("T")
        await until(pilot, lambda: "Enter chooses" in seen(app))
        await pilot.press("escape")
        await pilot.pause()
        app.push_screen(RebindScreen())
        await until(pilot, lambda: "Enter sets a new key" in seen(app))


@pytest.mark.slow
async def test_every_setting_has_a_row_and_its_help(record: Record) -> None:
    async with started(record).run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("comma")
        for row in ROWS:
            await go_to(pilot, row.name)
            await until(pilot, lambda row=row: row.help[:40] in seen(pilot.app))


@pytest.mark.slow
async def test_the_footer_names_what_the_row_has_and_the_field_an_example(record: Record) -> None:
    app = started(record)
    async with app.run_test(size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("comma")
        listed = app.screen.query_one(OptionList)
        ids = [option.id for option in listed.options]
        for name, arrows in (("keys", False), ("new_per_day", True), ("easy_days", False)):
            listed.highlighted = ids.index(name)
            await until(pilot, lambda arrows=arrows: ("l more" in seen(app)) == arrows)
        await pilot.press("enter")
        await until(pilot, lambda: "such as sat sun; empty: every day is the same" in seen(app))
        assert "esc cancel" in seen(app)


@pytest.mark.slow
async def test_a_switch_works_at_once_and_is_in_the_file(record: Record) -> None:
    app = started(record)
    async with app.run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        assert app.animation_level == "full"
        await pilot.press("comma")
        await go_to(pilot, "reduced_motion")
        await pilot.press("enter")
        assert app.animation_level == "none"
        assert load_config().config == Config(reduced_motion=True)
        await go_to(pilot, "minutes_a_day")
        await pilot.press("right", "right", "right", "left")
        assert load_config().config.minutes_a_day == 30
        await pilot.press("d")
        assert load_config().config.minutes_a_day == 20
        await pilot.press(*["left"] * 5)
        await until(pilot, lambda: "from 0 to 600" in told(app))
        await go_to(pilot, "editor")
        await pilot.press("enter", *"nvim", "space", "minus", "u")
        await pilot.press("enter")
        assert load_config().config.editor == "nvim -u"
        await go_to(pilot, "theme")
        await pilot.press("right")
        assert app.theme == "tutor-light"
    assert started(record).theme == "tutor-light"


async def test_the_cursor_does_not_blink_with_reduced_motion(record: Record) -> None:
    paths.config_file().write_text("reduced_motion = true\n")
    async with started(record).run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("comma")
        await go_to(pilot, "editor")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.focused, Input))
        assert pilot.app.focused.cursor_blink is False


async def test_the_memorys_settings_are_rows_of_the_record(record: Record) -> None:
    async with started(record).run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("comma")
        await go_to(pilot, "desired_retention")
        await pilot.press("right", "right")
        assert record.settings.get("desired_retention") == 0.92
        await go_to(pilot, "rollover_hour")
        await pilot.press("enter", "backspace", *"24", "enter")
        await until(pilot, lambda: "new day starts at must be" in told(pilot.app))
        assert record.settings.get("rollover_hour") == 4
        refused = pilot.app.focused
        assert isinstance(refused, Input), "what was typed stays, to be mended"
        assert refused.value == "24"
        await pilot.press("backspace", "backspace", "5", "enter")
        await until(pilot, lambda: record.settings.get("rollover_hour") == 5)
        await go_to(pilot, "new_per_day")
        await pilot.press("enter", *"x", "enter")
        await until(pilot, lambda: "is none" in told(pilot.app))
    assert not paths.config_file().exists()


async def test_a_file_that_cannot_be_written_is_said(record: Record) -> None:
    async with started(record).run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("comma")
        await go_to(pilot, "vim_keys")
        paths.config_file().mkdir()
        await pilot.press("enter")
        await until(pilot, lambda: "cannot read" in told(pilot.app))
        assert pilot.app.config.vim_keys  # type: ignore[attr-defined]


async def test_faults_of_the_file_are_said_on_home_and_the_rest_counts(record: Record) -> None:
    paths.config_file().write_text(
        'vim_kes = false\ntheme = "nrod"\n[keys]\n"lesson.nxt" = "l"\n"map.open" = "no_key"\n'
        '"lesson.next" = "x"\n'
    )
    app = started(record)
    assert app.theme == "tutor-dark"
    said = "\n".join(app.notices)
    for line, words in {
        1: "no setting 'vim_kes', did you mean vim_keys?",
        2: "no theme 'nrod', did you mean nord?",
        4: "no action 'lesson.nxt', did you mean lesson.next?",
        5: "there is no key 'no_key'",
        6: "lesson.run has one of these keys",
    }.items():
        assert f"config.toml:{line}: " in said
        assert words in said
    assert app.keymap == {}
    before = paths.config_file().read_text()
    async with app.run_test(size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.pause(0.3)
    assert paths.config_file().read_text() == before  # a misspelt theme is the learner's to mend


@pytest.mark.slow
async def test_a_key_is_changed_by_pressing_it(record: Record) -> None:
    app = started(record)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await at_home(pilot)
        await pilot.press("comma")
        await go_to(pilot, "keys")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RebindScreen))
        await go_to(pilot, "home.map")
        await pilot.press("enter", "w")
        assert load_config().config.keys == {"home.map": "w"}
        await pilot.press("a", "f8")
        assert load_config().config.keys == {"home.map": "w,f8"}
        await pilot.press("escape", "escape")
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert "w  f8" in seen(app)  # help says what is so now
        await pilot.press("escape", "m")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, MapScreen))


async def test_a_key_that_is_taken_is_swapped_or_left(record: Record) -> None:
    app = started(record)
    async with app.run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        await app.push_screen(RebindScreen())
        await go_to(pilot, "home.map")
        await pilot.press("enter", "s")
        await until(pilot, lambda: "s is taken by “statistics” (Home). Enter gives" in seen(app))
        assert "it to “map” (Home)" in seen(app)
        await pilot.press("escape")
        assert load_config().config.keys == {}
        await pilot.press("enter", "s", "enter")
        assert load_config().config.keys == {"home.map": "s", "home.statistics": "m"}
        assert read_keymap(load_config()) == ({"home.map": "s", "home.statistics": "m"}, [])
        await pilot.press("d")  # its own key is the other's now
        await until(pilot, lambda: "“statistics” (Home) has its default keys again" in told(app))
        assert load_config().config.keys == {}
        await pilot.press("enter", "s", "enter")
        assert load_config().config.keys == {"home.map": "s", "home.statistics": "m"}
        await pilot.press("enter", "tab")
        await until(pilot, lambda: "everywhere" in seen(app))
        assert isinstance(app.screen, PressScreen)
        await pilot.press("m", "enter")
        await until(pilot, lambda: isinstance(app.screen, RebindScreen))
        assert load_config().config.keys == {}


async def test_a_function_key_in_place_of_an_only_letter_works_while_a_text_is_typed(
    record: Record,
) -> None:
    app = started(record)
    async with app.run_test(size=SMALL) as pilot:
        await at_home(pilot)
        app.set_keys({"lab.verdict": "shift+f12", "lab.scratch": "Z"})
        app.open("exercise:vector_add")
        await until(pilot, lambda: isinstance(app.screen, LabScreen) and app.screen.focused)
        lab = app.screen
        assert isinstance(lab, LabScreen)
        lab.panes.show_side("editor")
        await until(pilot, lambda: isinstance(lab.focused, CodeEditor))
        before = lab.document.editor.text
        await pilot.press("v", "Z")
        assert sorted(lab.document.editor.text) == sorted(before + "vZ")
        assert lab.pane.page != "verdict"
        await pilot.press("shift+f12")
        assert lab.pane.page == "verdict"


@pytest.mark.slow
async def test_pages_below_name_a_key_that_was_changed_above_them(record: Record) -> None:
    app = started(record)
    async with app.run_test(size=SMALL) as pilot:
        await at_home(pilot)
        last = app.course.lesson(1).sections[-1].slug  # type: ignore[union-attr]
        app.open(f"lesson:1/{last}")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen) and app.screen.focused)
        await pilot.press("G")
        await until(pilot, lambda: re.search(r"\bz\b.*the quiz, \d+ questions", seen(app)))
        app.open("exercise:vector_add")
        await until(pilot, lambda: "hints 0/" in seen(app))
        app.push_screen(RebindScreen())
        await until(pilot, lambda: isinstance(app.screen, RebindScreen))
        app.set_keys({"lab.hint": "H", "lesson.quiz": "Q"})
        await pilot.press("escape")
        await until(pilot, lambda: "H hints 0/" in seen(app))
        await pilot.press("escape")
        await until(pilot, lambda: re.search(r"\bQ\b.*the quiz, \d+ questions", seen(app)))


async def test_keys_may_change_while_a_page_still_comes(record: Record) -> None:
    app = started(record)
    async with app.run_test(size=SMALL) as pilot:
        await at_home(pilot)
        screen = LadderScreen(Subject("a.py", "def f(:", "f", ("1",)))
        app.push_screen(screen)  # it has no parts yet
        app.set_keys({"ladder.next": "Z"})
        await until(pilot, lambda: bool(screen.query("Bar")))


async def test_without_vim_keys_the_letters_are_free(record: Record) -> None:
    paths.config_file().write_text('vim_keys = false\n[keys]\n"app.jump" = "j"\n')
    app = started(record)
    assert app.notices == []
    async with app.run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, MapScreen))
        listed = app.screen.query_one(OptionList)
        here = listed.highlighted
        await pilot.press("down")
        assert listed.highlighted != here


async def test_vi_letters_move_lists_and_texts(record: Record) -> None:
    app = started(record)
    async with app.run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("comma")
        listed = app.screen.query_one(OptionList)
        first = listed.highlighted
        await pilot.press("j", "j", "k")
        assert listed.highlighted == first + 1
        await pilot.press("G")
        assert listed.highlighted == listed.option_count - 1
        await pilot.press("g")
        assert listed.highlighted == first
        await pilot.press("escape", "question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        here = app.screen.query_one(OptionList)
        await until(pilot, lambda: here.highlighted == 1)  # below a heading
        await pilot.press("j", "j", "k")
        await until(pilot, lambda: here.highlighted == 2)


@pytest.mark.slow
async def test_the_palette_runs_what_applies_here(record: Record) -> None:
    app = started(record)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await at_home(pilot)
        await pilot.press("colon")
        await until(pilot, lambda: "Answer what is due today" in seen(app))
        assert "Scroll" not in seen(app)
        await pilot.press(*"map")
        await until(pilot, lambda: "Answer what is due today" not in seen(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MapScreen))
        await pilot.press("colon", *"triton", "space", *"language")
        await until(pilot, lambda: "Write, mask and launch" in seen(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen))


@pytest.mark.slow
async def test_a_letter_jumps_to_a_part_of_the_page(record: Record) -> None:
    app = started(record)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await at_home(pilot)
        app.open("lesson:22")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen))
        for _ in range(8):
            chain = app.screen.focus_chain
            if len([w for w in chain if w.is_on_screen]) > 1:
                break
            await pilot.press("n")
            await pilot.pause(0.1)
        before = app.focused
        await pilot.press("semicolon")
        await until(pilot, lambda: isinstance(app.screen, JumpScreen))
        aims = {letter: widget for letter, (widget, _) in app.screen._targets.items()}
        letter, aim = next((at, w) for at, w in aims.items() if w is not before)
        await pilot.press("escape")
        assert app.focused is before
        await pilot.press("semicolon", letter)
        await until(pilot, lambda: app.focused is aim)


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
@pytest.mark.parametrize("keys", [(), ("semicolon",), ("colon",)])
async def test_the_page_of_settings_looks_so(
    record: Record, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    app = started(record)
    name = f"settings_{'_'.join(keys) or 'page'}_{size[0]}x{size[1]}.txt"
    async with app.run_test(notifications=True, size=size) as pilot:
        await at_home(pilot)
        await pilot.press("comma", "j", *keys)
        await pilot.pause(0.5)
        shown = await dark_and_light(pilot, slice(1, None))  # the first names a temporary folder
    compare(name, shown)


@pytest.mark.slow
async def test_the_cards_follow_once_when_the_page_is_left(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that takes long it is said, and Escape stops it: the next start does it then."""
    sync(record, open_course())
    for question in open_course().quiz(14).questions:  # type: ignore[union-attr]
        keep_answer(record, question.id, 14, None, False, 0.0, 5, 5.0, "quiz")
    slow = card_updates.fold
    released = threading.Event()

    def fold(*arguments: Any) -> Any:
        released.wait(60)
        return slow(*arguments)

    async with started(record).run_test(notifications=True, size=SMALL) as pilot:
        await at_home(pilot)
        await pilot.press("comma")
        await go_to(pilot, "desired_retention")
        await pilot.press("left", "left", "left")
        assert record.settings.get("desired_retention") == 0.87
        assert record.settings.is_stale()
        monkeypatch.setattr(card_updates, "fold", fold)
        await pilot.press("escape")
        await until(pilot, lambda: "every card is computed anew" in seen(pilot.app))
        await pilot.press("escape")
        released.set()
        await until(pilot, lambda: "the cards follow when" in told(pilot.app))
        await at_home(pilot)
        assert record.settings.is_stale()
        await pilot.press("comma")
        await go_to(pilot, "desired_retention")
        await pilot.press("escape")
        await until(pilot, lambda: not record.settings.is_stale())
        await at_home(pilot)
