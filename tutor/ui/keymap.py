"""A learner's own keys: `keys.toml` in the data folder, `"lesson.next" = "l"`, by the ids of `keys`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tutor.errors import UsageError


def read_keymap(file: Path) -> dict[str, str]:
    """Action id -> key names by commas. Raises `UsageError` for a file that says neither."""
    import tomli

    try:
        table = tomli.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} is not read: {error}") from None
    keymap = dict(_flat(table))
    for name, keys in keymap.items():
        if not isinstance(keys, str) or not keys.strip():
            raise UsageError(f'{file} is not read: {name} must be a key such as "l" or "f5,l"')
    return keymap


def _flat(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """`[lesson]` with `next` in it names the same action as `"lesson.next"`."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
