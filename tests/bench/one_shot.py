"""Commands that answer and end: `tutor due`, `tutor list`, against Python that does nothing."""

import sys
from dataclasses import dataclass

from tests.bench.harness import Times, rounded, timed


@dataclass(frozen=True)
class OneShot:
    due: Times
    listing: Times
    python: Times

    def to_json(self) -> dict[str, float]:
        return {
            "due_ms": rounded(self.due.median),
            "list_ms": rounded(self.listing.median),
            "python_ms": rounded(self.python.median),
        }

    def lines(self) -> list[str]:
        base = self.python.median
        return [
            f"tutor due    {self.due.words()}, {self.due.median / base:.1f} x Python's own start",
            f"tutor list   {self.listing.words()}, {self.listing.median / base:.1f} x",
            f"python       {self.python.words()}",
        ]


def measure(runs: int) -> OneShot:
    """Whole processes, from start to exit; the three commands take turns."""
    commands = (("-m", "tutor", "due"), ("-m", "tutor", "list"), ("-c", "pass"))
    rounds = [[timed([sys.executable, *command]) for command in commands] for _ in range(runs)]
    return OneShot(*map(Times.of, zip(*rounds, strict=True)))
