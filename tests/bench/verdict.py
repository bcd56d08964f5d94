"""Time to a verdict on a changed kernel: a warm judge against a new process.

The cold side is the way without this program: the solution with a check below it, run as
`python file.py`. It imports torch and Triton and compares six inputs with float64. The judge checks
all of the exercise's cases, with everything it watches for: the comparison favours the cold side.
"""

import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench.harness import Times, rounded, timed
from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.course.catalog.course import Course
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import CaseResult, Timing, Verdict

EXERCISE = "vector_add"
COLD_CASES = 6
_PAUSE_SECONDS = 0.3  # between two submissions; a learner needs longer to change a line
_CRASHES = 3
_COMMANDS = 2  # whole `tutor check` for each cold process
_CRASH = "import ctypes\n\n\ndef add(x, y):\n    ctypes.string_at(0)\n"

_CHECK = """

if __name__ == "__main__":
    device = {device!r}
    sizes = (1, 1023, 1024, 1025, 10_007)
    cases = [(torch.randn(n, device=device), torch.randn(n, device=device)) for n in sizes]
    cases.append(tuple(torch.randn(65, 33, device=device).T for _ in range(2)))
    for x, y in cases:
        assert torch.allclose(add(x, y).double(), x.double() + y.double(), 1e-6, 1e-6)
"""


@dataclass(frozen=True)
class Warm:
    """Seconds from handing a submission in until its first case, and until its last, was judged;
    until the first time was shown (on a GPU); and until the verdict, which says "right" only after a
    second look at where the output comes from, and on a GPU has the times next to the baselines'."""

    first_case: float
    correct: float
    first_time: float | None
    verdict: float
    device: str
    cases: int


@dataclass(frozen=True)
class VerdictTimes:
    exercise: str
    device: str
    cases: int
    cold: Times
    check: Times
    check_cold: Times
    first_case: Times
    warm: Times
    after_crash: Times
    first_time: Times | None
    verdict: Times

    @property
    def cold_over_warm(self) -> float:
        return self.cold.median / self.warm.median

    @property
    def after_crash_over_warm(self) -> float:
        return self.after_crash.median / self.warm.median

    def to_json(self) -> dict[str, str | float]:
        first = self.first_time
        return {
            **({"first_time_p50_ms": rounded(first.percentile(50))} if first else {}),
            "exercise": self.exercise,
            "device": self.device,
            "cold_ms": rounded(self.cold.median),
            "check_p50_ms": rounded(self.check.percentile(50)),
            "check_cold_ms": rounded(self.check_cold.median),
            "cold_over_check": round(self.cold.median / self.check.median, 1),
            "first_case_p50_ms": rounded(self.first_case.percentile(50)),
            "warm_p50_ms": rounded(self.warm.percentile(50)),
            "warm_p95_ms": rounded(self.warm.percentile(95)),
            "verdict_p50_ms": rounded(self.verdict.percentile(50)),
            "cold_over_warm": round(self.cold_over_warm, 1),
            "after_crash_over_warm": round(self.after_crash_over_warm, 2),
        }

    def lines(self) -> list[str]:
        return [
            f"judge, warm  {self.warm.percentiles()}, {self.cases} cases right",
            f"first case   {self.first_case.percentiles()}",
            *([f"first time   {self.first_time.percentiles()}"] if self.first_time else []),
            f"verdict      {self.verdict.percentiles()}",
            f"after crash  {self.after_crash.percentiles()}; {self.after_crash_over_warm:.2f} x",
            f"cold process {self.cold.words()}, {COLD_CASES} cases; "
            f"{self.cold_over_warm:.1f} x the judge",
            f"tutor check  {self.check.percentiles()}, the whole command with the warm judge; "
            f"the cold process takes {self.cold.median / self.check.median:.1f} x as long",
            f"      --cold {self.check_cold.words()}, without it",
        ]


def measure(course: Course, folder: Path, warm_runs: int, cold_runs: int) -> VerdictTimes:
    """`cold_runs` rounds: a cold process, then its share of the warm submissions.

    Every run of either side gets a different source, so that no compiler's cache knows it.
    Raises `CannotHere` where this machine cannot judge.
    """
    source = course.exercise(EXERCISE).solution.read_text(encoding="utf-8")
    warm: list[Warm] = []
    cold: list[float] = []
    check: list[float] = []
    check_cold: list[float] = []
    with Judge(course.root) as judge:
        judge.wait_warm()
        _warm(judge, changed(source, -1_000_000))  # and torch.compile's baseline is compiled
        while len(cold) < cold_runs or len(warm) < warm_runs:
            while len(warm) * cold_runs < warm_runs * (len(cold) + 1):
                warm.append(_warm(judge, changed(source, len(warm))))
                time.sleep(_PAUSE_SECONDS)
            cold.append(_cold(folder, changed(source, -1 - len(cold)), warm[0].device))
            number = -1000 * len(cold)
            check_cold.append(_command(folder, changed(source, number), "--cold"))
            numbers = range(number - _COMMANDS, number)
            check += [_command(folder, changed(source, each)) for each in numbers]
        after = []
        for number in range(_CRASHES):
            list(judge.submit(Submission(EXERCISE, _CRASH, _file(), timing=False)))
            time.sleep(_PAUSE_SECONDS)
            after.append(_warm(judge, changed(source, warm_runs + number)).correct)
            time.sleep(_PAUSE_SECONDS)
    first_times = [each.first_time for each in warm if each.first_time is not None]
    return VerdictTimes(
        exercise=EXERCISE,
        device=warm[0].device,
        cases=warm[0].cases,
        cold=Times.of(cold),
        check=Times.of(check),
        check_cold=Times.of(check_cold),
        first_case=Times.of([each.first_case for each in warm]),
        warm=Times.of([each.correct for each in warm]),
        after_crash=Times.of(after),
        first_time=Times.of(first_times) if first_times else None,
        verdict=Times.of([each.verdict for each in warm]),
    )


def changed(source: str, number: int) -> str:
    """Return `source` with a new comment inside its first kernel, where Triton's cache sees it."""
    line = rf"\g<0>    # change {number}\n"
    text, found = re.subn(r"^@triton\.jit\ndef [^\n]*:\n", line, source, count=1, flags=re.M)
    if not found:
        raise ValueError("no kernel found in the source")
    return text


def _warm(judge: Judge, source: str) -> Warm:
    submission = Submission(EXERCISE, source, _file(), timing=True)
    judged: list[float] = []
    times: list[float] = []
    verdict: Verdict | None = None
    started = time.perf_counter()
    for event in judge.submit(submission):
        if isinstance(event, CaseResult):
            judged.append(time.perf_counter() - started)
        elif isinstance(event, Timing):
            times.append(time.perf_counter() - started)
        elif isinstance(event, Verdict):
            verdict = event
    if verdict is None or not verdict.passed:
        causes = verdict.diagnosis if verdict else ()
        reason = causes[0].message if causes else "no cause was given"
        raise CannotHere(f"the judge does not call {EXERCISE}'s own solution right: {reason}")
    took = time.perf_counter() - started
    first_time = times[0] if times else None
    return Warm(judged[0], judged[-1], first_time, took, verdict.device, len(judged))


def _file() -> str:
    """Return the file name of the submissions."""
    return str(paths.work_dir() / "bench.py")


def _command(folder: Path, source: str, *options: str) -> float:
    """Seconds of a whole `tutor check`."""
    file = folder / "checked.py"
    file.write_text(source, "utf-8")
    command = [sys.executable, "-m", "tutor", "check", EXERCISE, str(file), "--no-timing", *options]
    time.sleep(_PAUSE_SECONDS)
    return timed(command)


def _cold(folder: Path, source: str, device: str) -> float:
    """Seconds of a whole process."""
    interpreted = device == "cpu-interpreter"
    file = folder / "by_hand.py"
    file.write_text(source + _CHECK.format(device="cpu" if interpreted else "cuda"), "utf-8")
    environment = {**os.environ, "TRITON_CACHE_DIR": str(folder / "by_hand_cache")}
    environment["TRITON_INTERPRET"] = "1" if interpreted else "0"
    return timed([sys.executable, str(file)], environment)
