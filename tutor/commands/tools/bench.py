"""`tutor bench`: this program's own speed on this machine."""

import importlib.metadata
import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import click

from tutor import __version__
from tutor.bench.application import Application
from tutor.bench.due_queue import DueQueue
from tutor.bench.first_paint import FirstPaint
from tutor.bench.long_run import LongRun
from tutor.bench.one_shot import OneShot
from tutor.bench.search import SearchTimes
from tutor.bench.timing_precision import Precisions
from tutor.bench.verdict import VerdictTimes
from tutor.bench.xray import XrayTimes
from tutor.commands.support.progress_line import ProgressLine

PACKAGES = ("torch", "triton", "numpy", "textual")


@dataclass(frozen=True)
class Sizes:
    """Repetitions of each measurement."""

    warm: int = 20
    cold: int = 4
    paints: int = 8
    one_shots: int = 12
    turns: int = 60
    keys: int = 60
    xrays: int = 8
    cold_xrays: int = 3
    cards: int = 10_000
    reviews: int = 100_000
    searches: int = 200
    idle_seconds: float = 10.0
    rounds: int = 0  # of an hour's use; none: idle and memory are left out


QUICK = Sizes(warm=6, cold=3, paints=3, one_shots=5, turns=8, keys=20, xrays=2, cold_xrays=1)


_Part = (
    FirstPaint
    | OneShot
    | VerdictTimes
    | Application
    | XrayTimes
    | DueQueue
    | SearchTimes
    | LongRun
    | Precisions
)


@dataclass(frozen=True)
class Bench:
    first_paint: FirstPaint
    one_shot: OneShot
    verdict: VerdictTimes
    application: Application
    xray: XrayTimes
    due_queue: DueQueue
    search: SearchTimes
    long_run: LongRun | None  # asked for with --full
    precision: Precisions | None  # the same, on a CUDA GPU

    def to_json(self) -> dict[str, Any]:
        """The JSON of docs/contract.md."""
        return {
            "versions": versions(),
            "device": self.verdict.device,
            "first_paint": self.first_paint.to_json(),
            "one_shot": self.one_shot.to_json(),
            "verdict": self.verdict.to_json(),
            **self.application.to_json(),
            "due_queue": self.due_queue.to_json(),
            "xray": self.xray.to_json(),
            "search": self.search.to_json(),
            **(self.long_run.to_json() if self.long_run else {}),
            **({"precision": self.precision.to_json()} if self.precision else {}),
        }

    def lines(self) -> Iterator[str]:
        known = ", ".join(f"{name} {version}" for name, version in versions().items())
        yield f"{known} on {self.verdict.device}"
        parts: dict[str, _Part] = {
            "From the start of the process to home on the terminal": self.first_paint,
            "Commands, whole processes": self.one_shot,
            f"A changed {self.verdict.exercise}, until every case is judged right": self.verdict,
            "In the application, from the key to the screen": self.application,
            "The review queue of many years": self.due_queue,
            "X-ray of a kernel and of five operations, down to SASS": self.xray,
            "Search over the whole course": self.search,
        }
        if self.long_run:
            parts["The interface left alone, and after an hour's keys"] = self.long_run
        if self.precision:
            parts["Times of a verdict, repeated, and against CUPTI"] = self.precision
        for title, part in parts.items():
            yield f"\n{title}"
            yield from (f"  {line}" for line in part.lines())


@click.command("bench")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option("--quick", is_flag=True, help="Fewer runs: rougher figures, sooner.")
@click.option(
    "--full",
    is_flag=True,
    help="Also 100 000 cards, idle and memory, on a GPU times against CUPTI: some minutes more.",
)
def bench_command(as_json: bool, quick: bool, full: bool) -> None:
    """Measure this program on this machine: medians of runs that take turns with what they are
    compared with. It takes a minute or two; other work on the machine shows in the figures."""
    sizes = QUICK if quick else Sizes()
    if full:
        sizes = replace(sizes, cards=100_000, reviews=1_000_000, rounds=6)
    bench = run(sizes)
    if as_json:
        click.echo(json.dumps(bench.to_json(), ensure_ascii=False))
    else:
        click.echo("\n".join(bench.lines()))


def run(sizes: Sizes) -> Bench:
    """Everything, one after the other. Raises `CannotHere` where a part cannot run here."""
    from tutor.bench import (
        application,
        due_queue,
        first_paint,
        one_shot,
        search,
        timing_precision,
        verdict,
        xray,
    )
    from tutor.bench import long_run as longrun
    from tutor.bench.harness import temporary_home
    from tutor.course.catalog.course import open_course

    course = open_course()
    holds = "nothing was kept"
    with (
        temporary_home(course) as home,
        ProgressLine("starting", holds=holds, log=True) as progress,
    ):
        # What needs the most comes first: a machine that lacks it fails at once.
        progress.say("measuring verdicts, warm and cold")
        judged = verdict.measure(course, home, sizes.warm, sizes.cold)
        progress.say("measuring first paint")
        paints = first_paint.measure(course, sizes.paints)
        progress.say("measuring one-shot commands")
        commands = one_shot.measure(sizes.one_shots)
        progress.say("measuring page turns and keys in the application")
        inside = application.measure(home, sizes.turns, sizes.keys)
        progress.say("measuring X-rays, warm and cold")
        looked = xray.measure(course.root, home, sizes.xrays, sizes.cold_xrays)
        progress.say("measuring the review queue")
        reviews = due_queue.measure(home, sizes.cards, sizes.reviews, runs=100)
        progress.say("measuring search")
        searched = search.measure(sizes.searches)
        used = precise = None
        if sizes.rounds and judged.device.startswith("cuda"):
            progress.say("measuring times against CUPTI")
            precise = Precisions(tuple(timing_precision.measure(course)))
        if sizes.rounds:
            progress.say("measuring idle and memory")
            used = longrun.measure(course, sizes.idle_seconds, sizes.rounds)
    return Bench(paints, commands, judged, inside, looked, reviews, searched, used, precise)


def versions() -> dict[str, str]:
    """Return versions by package; "none" if it is not installed. Nothing is imported for it."""
    found = {"tutor": __version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "none"
    return found
