"""Changing one setting in `config.toml`. The learner's comments and order stay."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any

from tutor.base import paths
from tutor.base.atomic_files import write
from tutor.base.config import SETTINGS, places_of
from tutor.base.errors import UsageError
from tutor.base.toml_positions import key_lines, with_key, with_value, without_key

_COPIES = 5


def change(name: str, value: Any, file: Path | None = None) -> None:
    """Write one setting; None removes it, so that the default applies.

    Raises `UsageError` for an invalid value, a file that cannot be read or written, and a file that
    must be changed by hand; the file is then unchanged.
    """
    setting = SETTINGS[name]
    if value is not None and (wanted := setting.fault(value)):
        raise UsageError(f"{name} must be {wanted}, not {value!r}")
    _rewrite(file or paths.config_file(), {name: value}, in_keys=False)


def change_keys(changes: dict[str, str | None], file: Path | None = None) -> None:
    """Write the keys of actions, by their ids, in one step; None gives an action its own keys back.

    Raises `UsageError` as `change` does.
    """
    _rewrite(file or paths.config_file(), changes, in_keys=True)


def _rewrite(file: Path, changes: dict[str, Any], *, in_keys: bool) -> None:
    import tomli

    with _lock(paths.ensure(file.parent)):
        try:
            before = file.read_bytes().decode().replace("\r\n", "\n") if file.exists() else ""
            text = before
            for name, value in changes.items():
                text = _with_change(text, name, value, in_keys)
            changed = tomli.loads(text)
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror}") from None
        except (ValueError, RecursionError) as error:  # TOML's and UTF-8's errors are ValueErrors
            raise UsageError(f"{file} has to be mended by hand first: {error}") from None
        for name, value in changes.items():
            if _value_of(changed, name, in_keys) != value:
                raise UsageError(f"{file}: change {name} by hand; it stands in an unusual place")
        if before:
            _copy(file, before)
        write(file, text)


def _with_change(text: str, name: str, value: Any, in_keys: bool) -> str:
    lines = key_lines(text)
    places = _places(name) if in_keys else places_of(name)
    path = next((place for place in places if place in lines), None)
    if value is None:
        return without_key(text, path) if path else text
    literal = json.dumps(value, ensure_ascii=False)  # of bool, int and str: the same in TOML
    if path:
        return with_value(text, path, literal)
    return with_key(text, ("keys",) if in_keys else (), name, literal)


def _places(action: str) -> list[tuple[str, ...]]:
    """Return where [keys] may name an action: `"lesson.next"`, or `next` in `[keys.lesson]`."""
    return [("keys", action), ("keys", *action.split("."))]


def _value_of(table: dict[str, Any], name: str, in_keys: bool) -> Any:
    value = None
    for place in _places(name) if in_keys else places_of(name):
        here: Any = table
        for part in place:
            here = here.get(part) if isinstance(here, dict) else None
        value = here if value is None else value
    return value


def _copy(file: Path, text: str) -> None:
    """Copy the file as it was before this day's first change; keep the newest five copies."""
    copy = file.with_name(f"{file.stem}.{date.today():%Y-%m-%d}{file.suffix}")
    if not copy.exists():
        write(copy, text)
        dated = f"{file.stem}.[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]{file.suffix}"
        for old in sorted(file.parent.glob(dated))[:-_COPIES]:
            old.unlink(missing_ok=True)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Lock `folder`: one tutor at a time changes its files, so that no change is lost."""
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
