"""`python -m tests.bench`: every measurement, one after the other, as lines or as JSON."""

import json
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import click

from tests.bench import (
    application,
    due_queue,
    first_paint,
    long_run,
    one_shot,
    search,
    timing_precision,
    verdict,
    xray,
)
from tests.bench.harness import temporary_home
from tutor import __version__
from tutor.base.errors import CannotHere, Stopped
from tutor.commands.support.progress_line import ProgressLine
from tutor.commands.tools.versions import package_version
from tutor.course.catalog.course import open_course

PACKAGES = ("torch", "triton", "numpy", "textual")
TITLES = {
    "first_paint": "From the start of the process to home on the terminal",
    "one_shot": "Commands, whole processes",
    "verdict": f"A changed {verdict.EXERCISE}, until every case is judged right",
    "application": "In the application, from the key to the screen",
    "due_queue": "The review queue of many years",
    "xray": "X-ray of a kernel and of five operations, down to SASS",
    "search": "Search over the whole course",
    "long_run": "The interface left alone, and after an hour's keys",
    "precision": "Times of a verdict, repeated, and against CUPTI",
}
_MANY = ("application", "long_run")  # the JSON of each has several names


@dataclass(frozen=True)
class Sizes:
    """Repetitions of each measurement."""

    warm: int = 12
    cold: int = 3
    paints: int = 5
    one_shots: int = 8
    turns: int = 8
    keys: int = 30
    xrays: int = 4
    cold_xrays: int = 1
    cards: int = 10_000
    reviews: int = 100_000
    searches: int = 200
    idle_seconds: float = 10.0
    rounds: int = 0  # of an hour's use; none: idle and memory are left out


QUICK = Sizes(
    warm=4,
    cold=1,
    paints=3,
    one_shots=3,
    turns=3,
    keys=12,
    xrays=2,
    cold_xrays=1,
    cards=500,
    reviews=5_000,
    searches=100,
)
FULL = Sizes(
    warm=20,
    cold=4,
    paints=8,
    one_shots=12,
    turns=60,
    keys=60,
    xrays=8,
    cold_xrays=3,
    cards=100_000,
    reviews=1_000_000,
    rounds=6,
)


class Part(Protocol):
    """The measured figures of one part."""

    def to_json(self) -> Any: ...
    def lines(self) -> Iterable[str]: ...


@dataclass(frozen=True)
class Bench:
    """The measured parts by the names of `TITLES`."""

    device: str
    parts: Mapping[str, Part]

    def to_json(self) -> dict[str, Any]:
        """The object that the docstring of `tests.bench` describes."""
        found: dict[str, Any] = {"versions": versions(), "device": self.device}
        for name, part in self.parts.items():
            found |= part.to_json() if name in _MANY else {name: part.to_json()}
        return found

    def lines(self) -> Iterator[str]:
        known = ", ".join(f"{name} {version}" for name, version in versions().items())
        yield f"{known} on {self.device}"
        for name, title in TITLES.items():
            if name in self.parts:
                yield f"\n{title}"
                yield from (f"  {line}" for line in self.parts[name].lines())


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option("--quick", is_flag=True, help="Fewer runs: rougher figures, sooner.")
@click.option(
    "--full",
    is_flag=True,
    help="More runs, 100 000 cards, idle and memory, on a GPU times against CUPTI: some ten minutes.",
)
def main(as_json: bool, quick: bool, full: bool) -> None:
    """Measure this program on this machine: medians of runs that take turns with what they are
    compared with. It takes a minute and a half; other work on the machine shows in the figures."""
    bench = run(FULL if full else QUICK if quick else Sizes())
    if as_json:
        click.echo(json.dumps(bench.to_json(), ensure_ascii=False))
    else:
        click.echo("\n".join(bench.lines()))


def run(sizes: Sizes) -> Bench:
    """Measure every part, one after the other. Raises `CannotHere` where a part cannot run here."""
    course = open_course()
    with (
        temporary_home(course) as home,
        ProgressLine("starting", holds="nothing was kept", log=True) as progress,
    ):
        # The part that needs the most comes first: a machine that lacks something fails at once.
        progress.say("measuring verdicts, warm and cold")
        judged = verdict.measure(course, home, sizes.warm, sizes.cold)
        steps: dict[str, tuple[str, Callable[[], Part]]] = {
            "first_paint": ("first paint", lambda: first_paint.measure(course, sizes.paints)),
            "one_shot": ("one-shot commands", lambda: one_shot.measure(sizes.one_shots)),
            "application": (
                "page turns and keys in the application",
                lambda: application.measure(home, sizes.turns, sizes.keys),
            ),
            "xray": (
                "X-rays, warm and cold",
                lambda: xray.measure(course.root, home, sizes.xrays, sizes.cold_xrays),
            ),
            "due_queue": (
                "the review queue",
                lambda: due_queue.measure(home, sizes.cards, sizes.reviews, runs=100),
            ),
            "search": ("search", lambda: search.measure(sizes.searches)),
        }
        if sizes.rounds and judged.device.startswith("cuda"):
            steps["precision"] = (
                "times against CUPTI",
                lambda: timing_precision.Precisions(tuple(timing_precision.measure(course))),
            )
        if sizes.rounds:
            steps["long_run"] = (
                "idle and memory",
                lambda: long_run.measure(course, sizes.idle_seconds, sizes.rounds),
            )
        parts: dict[str, Part] = {"verdict": judged}
        for name, (part, measured) in steps.items():
            progress.say(f"measuring {part}")
            parts[name] = measured()
    return Bench(judged.device, parts)


def versions() -> dict[str, str]:
    """Return versions by package; "none" if it is not installed."""
    found = {"tutor": __version__, "python": platform.python_version()}
    return found | {package: package_version(package, "none") for package in PACKAGES}


if __name__ == "__main__":
    try:
        main(prog_name="python -m tests.bench")
    except (CannotHere, Stopped) as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
