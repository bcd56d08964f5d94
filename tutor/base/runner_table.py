"""The table `[runners.NAME]` of config.toml: machines on which the judge can run (docs/runners.md)."""

import re
from typing import Any, NamedTuple

from tutor.base import paths

LOCAL = "local"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_LONGEST = 2000  # characters of a launch command


class Runner(NamedTuple):
    """`launch` are the words before the program's own name; they are never given to a shell here."""

    name: str
    launch: tuple[str, ...]
    tutor: tuple[str, ...] = ("tutor",)

    @property
    def command(self) -> list[str]:
        """The command that starts the judge there and connects it to stdin and stdout."""
        other = ["--course", str(paths.course_root())] if paths.other_course() else []
        return [*self.launch, *self.tutor, *other, "judge", "serve"]

    def there(self, *words: str) -> str:
        """Return the command line that runs `words` there, for a sentence of advice."""
        import shlex  # here, so that the program's start does not wait for it

        return shlex.join([*self.launch, *words])


def runner_of(name: str, table: Any) -> Runner | str:
    """Return the runner that `table` describes, or what the table must be instead."""
    if name == LOCAL or not _NAME.fullmatch(name):
        return "named with letters, digits, - and _, and not local, which is this machine"
    if not isinstance(table, dict) or set(table) - {"launch", "tutor"} or "launch" not in table:
        return 'a table with `launch = "…"` and, if needed, `tutor = "…"`'
    import shlex

    words: dict[str, tuple[str, ...]] = {}
    for key, value in table.items():
        if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
            return f"a table whose {key} is a command line in quotes"
        try:
            words[key] = tuple(shlex.split(value))
        except ValueError:
            return f"a table whose {key} closes the quotes that it opens"
        if not words[key]:
            return f"a table whose {key} is not empty"
    return Runner(name, **words)
