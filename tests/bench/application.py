"""Page turns and keys in the real application, which measures itself on a pseudo-terminal."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.bench.harness import Times, rounded
from tests.bench.terminal import Terminal
from tutor.base.errors import CannotHere

_MODULE = "tests.bench.latency_probe"
_SECONDS = 300.0


@dataclass(frozen=True)
class Application:
    """`typing`: a letter in a kernel file of 300 lines; `key`: the same while the judge works; `plain`:
    a letter in Textual's own text area, empty and alone on the screen."""

    page_turn: Times
    typing: Times
    key: Times
    plain: Times

    def to_json(self) -> dict[str, dict[str, float]]:
        return {
            name: {f"p{percent}_ms": rounded(times.percentile(percent)) for percent in (50, 95)}
            for name, times in vars(self).items()
        }

    def lines(self) -> list[str]:
        return [
            f"page turn    {self.page_turn.percentiles()}",
            f"key in lab   {self.typing.percentiles()}, in a file of 300 lines",
            f"key in lab   {self.key.percentiles()}, while the judge works",
            f"plain        {self.plain.percentiles()}, in Textual's own text area and nothing else",
        ]


def measure(folder: Path, turns: int, keys: int) -> Application:
    """At most `turns` page turns over the course's lessons, and `keys` letters typed in the lab.

    Raises `CannotHere` with the application's last output if it fails.
    """
    results = folder / "application.json"
    command = [sys.executable, "-m", _MODULE, str(results), str(turns), str(keys)]
    with Terminal(command, os.environ) as terminal:
        status = terminal.until_ended(_SECONDS)
        if status or not results.exists():
            raise CannotHere(f"the application could not be measured: {terminal.output_end()}")
    found = json.loads(results.read_text("utf-8"))
    return Application(*(Times.of(found[name]) for name in ("page_turn", "typing", "key", "plain")))
