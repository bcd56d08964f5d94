"""The learner's settings: one schema, read from `config.toml`.

The fields of `Config` are the schema. The reader, the settings screen and docs/config.md's table (by
a test) all follow it. Settings of the memory (daily limits, the hour at which a study day ends) are
in the record instead, because they move with it (`tutor.memory.store.settings`).

A faulty file never stops the program: each fault gives a sentence with file and line, and that
setting keeps its default.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from tutor.base import paths
from tutor.base.runner_table import LOCAL, Runner, runner_of

_LARGEST = 1 << 18  # bytes
_LONGEST = 200  # characters of one value
_GROUP = "judge"  # a table of settings; their names begin with it


class Setting(NamedTuple):
    """`kind` is bool, int or str. `choices` are offered; with `only`, there are no others.
    An int goes from `low` to `high` and is changed by `step`. One that is not `shown` is in the file
    only, not on the page of settings."""

    name: str
    kind: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    only: bool = False
    low: int = 0
    high: int = 0
    step: int = 1
    shown: bool = True

    def fault(self, value: Any) -> str:
        """Return what `value` must be instead, or "" if it is valid."""
        if self.kind is bool:
            return "" if isinstance(value, bool) else "true or false"
        if self.kind is int:
            whole = isinstance(value, int) and not isinstance(value, bool)
            fits = whole and self.low <= value <= self.high
            return "" if fits else f"a whole number from {self.low} to {self.high}"
        if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
            return "a text in quotes"
        if self.only and value not in self.choices:
            return " or ".join(f'"{choice}"' for choice in self.choices)
        return ""


def _about(text: str, **bounds: Any) -> Mapping[str, Any]:
    return {"help": text, **bounds}


@dataclass(frozen=True)
class Config:
    """Every setting with its default. Each field's metadata says what it does and which values it
    takes."""

    theme: str = field(
        default="tutor-dark",
        metadata=_about("The colours. Enter chooses among all there are"),
    )
    reduced_motion: bool = field(
        default=False,
        metadata=_about("Nothing slides and no cursor blinks"),
    )
    vim_keys: bool = field(
        default=True,
        metadata=_about("h j k l, g and G move as the arrows, Home and End do"),
    )
    target: str = field(
        default="sm_90",
        metadata=_about(
            "The GPU that kernels are lowered for where none is named: `tutor xray`, the ladder",
            choices=("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "gfx942"),
        ),
    )
    editor: str = field(
        default="",
        metadata=_about("Your own editor's command; empty: $VISUAL, then $EDITOR"),
    )
    judge_on_save: bool = field(
        default=True,
        metadata=_about("In the lab, judge what another editor saves, at once"),
    )
    minutes_a_day: int = field(
        default=20,
        metadata=_about(
            "How long you mean to learn each day; home shows it. 0: no aim", low=0, high=600, step=5
        ),
    )
    judge_keep_minutes: int = field(
        default=10,
        metadata=_about(
            "How long the warm judge waits for the next command. 0: none is kept",
            low=0,
            high=600,
            step=5,
        ),
    )
    judge_timeout: int = field(
        default=600,
        metadata=_about(
            "How many seconds a runner may say nothing before it is given up",
            low=1,
            high=7200,
            shown=False,
        ),
    )
    judge_runner: str = field(
        default=LOCAL,
        metadata=_about("Where exercises are judged: local, this machine, or the name of a runner"),
    )
    keys: Mapping[str, str] = field(default_factory=dict)  # action id -> keys, from [keys]
    runners: Mapping[str, Runner] = field(default_factory=dict)  # from [runners.NAME]

    @property
    def runner(self) -> Runner | None:
        """The runner that is used where none is named; None for this machine."""
        return self.runners.get(self.judge_runner)


SETTINGS: dict[str, Setting] = {
    f.name: Setting(f.name, type(f.default), f.default, **f.metadata)
    for f in fields(Config)
    if f.default is not MISSING
}
DEFAULTS = Config()


@dataclass(frozen=True)
class Loaded:
    """Settings with `places`: "file:line" of each setting that the file names ("theme",
    "keys.lesson.next"). A setting without a place has its default."""

    config: Config = DEFAULTS
    faults: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)


def load_config(file: Path | None = None) -> Loaded:
    """Load `file` (`paths.config_file()`), which may be missing. Never raises."""
    file = file or paths.config_file()
    return _read(file) if file.exists() else Loaded()


def _read(file: Path) -> Loaded:
    import tomli

    from tutor.base.toml_positions import key_lines

    try:
        with open(file, "rb") as opened:
            data = opened.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            return _unread(f"{file} is not read: it is larger than {_LARGEST >> 10} KiB")
        text = data.decode().replace("\r\n", "\n")
        table = tomli.loads(text)
        lines = key_lines(text)
    except OSError as error:
        return _unread(f"{file} is not read: {error.strerror}")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _unread(f"{file}:{line}: not read: it is not UTF-8")
    except tomli.TOMLDecodeError as error:
        return _unread(f"{file}:{error.lineno}: not read: {error.msg}")
    except RecursionError:
        return _unread(f"{file} is not read: it is nested too deeply")

    faults: list[str] = []
    places: dict[str, str] = {}
    values: dict[str, Any] = {}
    keys, given = table.pop("keys", {}), table.pop("runners", {})
    for name, value in _by_name(table):
        place = f"{file}:{next((lines[path] for path in places_of(name) if path in lines), 1)}"
        setting = SETTINGS.get(name)
        if setting is None:
            faults.append(
                f"{place}: no setting {_short(name)}{suggest_name(name, SETTINGS)}; it is left out"
            )
        elif wanted := setting.fault(value):
            faults.append(
                f"{place}: {name} must be {wanted}, not {_short(value)}; "
                f"{_short(setting.default)} stands"
            )
        else:
            values[name], places[name] = value, place
    bound = _keys(keys, file, lines, faults, places)
    runners = _runners(given, file, lines, faults)
    if (name := values.get("judge_runner", LOCAL)) not in (LOCAL, *runners):
        faults.append(
            f"{places['judge_runner']}: there is no runner {_short(name)}"
            f"{suggest_name(name, runners)}; this machine judges"
        )
        del values["judge_runner"]
    return Loaded(Config(**values, keys=bound, runners=runners), tuple(faults), places)


def _unread(fault: str) -> Loaded:
    return Loaded(faults=(f"{fault}; every setting has its default",))


def _keys(
    keys: Any, file: Path, lines: Mapping[Any, int], faults: list[str], places: dict[str, str]
) -> dict[str, str]:
    """Return the keys of actions. Adds to `faults` and `places`."""
    bound: dict[str, str] = {}
    if not isinstance(keys, dict):
        line = lines.get(("keys",), 1)
        faults.append(f"{file}:{line}: keys must be a table, [keys], not {_short(keys)}")
        keys = {}
    for path, value in _flat(keys, ("keys",)):
        name = ".".join(path[1:])
        line = next((lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in lines), 1)
        if (
            isinstance(value, str)
            and value.strip()
            and len(value) <= _LONGEST
            and value.isprintable()
        ):
            bound[name], places[f"keys.{name}"] = value, f"{file}:{line}"
        else:
            faults.append(
                f'{file}:{line}: {_short(name)} must be a key such as "l" or "f5,l", '
                f"not {_short(value)}; its default keys stay"
            )
    return bound


def _runners(
    given: Any, file: Path, lines: Mapping[Any, int], faults: list[str]
) -> dict[str, Runner]:
    """Return the runners of `[runners.NAME]`. Adds a sentence to `faults` for each faulty table."""
    if not isinstance(given, dict):
        faults.append(
            f"{file}:{lines.get(('runners',), 1)}: runners must be tables, [runners.NAME]"
        )
        return {}
    made = {name: runner_of(name, table) for name, table in given.items()}
    for name, runner in made.items():
        if isinstance(runner, str):
            line = lines.get(("runners", name), 1)
            faults.append(f"{file}:{line}: runner {_short(name)} must be {runner}; it is left out")
    return {name: runner for name, runner in made.items() if isinstance(runner, Runner)}


def places_of(name: str) -> list[tuple[str, ...]]:
    """Return where a file may name a setting: `judge_on_save`, or `on_save` in `[judge]`."""
    group, _, rest = name.partition("_")
    return [(name,), (group, rest)] if group == _GROUP else [(name,)]


def _by_name(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if name == _GROUP and isinstance(value, dict):
            yield from ((f"{_GROUP}_{rest}", setting) for rest, setting in value.items())
        else:
            yield name, value


def _flat(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Flatten tables: `[keys.lesson]` with `next` in it names the same action as `"lesson.next"` in
    `[keys]`."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, (*path, name))
        else:
            yield (*path, name), value


def suggest_name(name: str, known: Mapping[str, object]) -> str:
    """Return ", did you mean …?" if a known name is similar, else ""."""
    from difflib import get_close_matches

    near = get_close_matches(name[:_LONGEST], known, n=1)
    return f", did you mean {near[0]}?" if near else ""


def _short(value: object) -> str:
    """Return a value in TOML on one line; repr removes all control characters for the terminal."""
    shown = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"
