"""Precision of a verdict's time on a CUDA GPU: repeats against each other, and events less an empty
launch against CUPTI, the GPU's own counters.

`python -m tests.bench.timing_precision [REPEATS]` prints it, with status 1 where a bound is passed.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.bench.harness import rounded
from tutor.base.errors import CannotHere
from tutor.course.catalog.course import Course, open_course
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Timing, Verdict
from tutor.judge.sampling import median as stats

EXERCISES = (
    "vector_add",
    "transpose",
    "row_sum",
    "row_softmax",
    "layer_norm",
    "bias_gelu",
    "fma",
    "tiled_matmul",
    "flash_attention",
    "fused_chain",
)
REPEATED, CUPTI = 0.01, 0.03  # largest differences between repeats, and between the two clocks
LONG_US = 50.0  # shorter kernels are as long as what surrounds them


@dataclass(frozen=True)
class Precision:
    """Of one exercise's solution, in µs: the medians by events of repeated submissions, and half the
    interval of each over it; the last one without an empty launch (`alone`), and the sum of its
    kernels by CUPTI."""

    exercise: str
    medians: tuple[float, ...]
    half_widths: tuple[float, ...]
    alone: float
    cupti: float

    @property
    def spread(self) -> float:
        return max(self.medians) / min(self.medians) - 1

    @property
    def off(self) -> float:
        return self.alone / self.cupti - 1

    @property
    def holds(self) -> bool:
        return self.spread <= REPEATED and (self.cupti <= LONG_US or abs(self.off) <= CUPTI)

    def to_json(self) -> dict[str, str | bool | float | list[float]]:
        return {
            "exercise": self.exercise,
            "medians_us": [round(each, 2) for each in self.medians],
            "half_widths": [round(each, 4) for each in self.half_widths],
            "alone_us": rounded(self.alone),
            "cupti_us": rounded(self.cupti),
            "spread": round(self.spread, 4),
            "off": round(self.off, 4),
            "holds": self.holds,
        }

    def line(self) -> str:
        medians = ", ".join(
            f"{median:.2f} ±{half:.2%}"
            for median, half in zip(self.medians, self.half_widths, strict=True)
        )
        return (
            f"{self.exercise:16} {medians} µs, spread {self.spread:.2%}; without an empty launch "
            f"{self.alone:.2f}, CUPTI {self.cupti:.2f} µs, off by {self.off:+.2%}"
            f"{'' if self.holds else '  <-- more than it may'}"
        )


@dataclass(frozen=True)
class Precisions:
    found: tuple[Precision, ...]

    def to_json(self) -> list[dict[str, str | bool | float | list[float]]]:
        return [each.to_json() for each in self.found]

    def lines(self) -> list[str]:
        return [each.line() for each in self.found]


def measure(
    course: Course, exercises: Iterable[str] = EXERCISES, repeats: int = 3
) -> Iterator[Precision]:
    """Yield each result as it is known. Raises `CannotHere` if this machine gives no times by CUPTI."""
    with Judge(course.root) as judge:
        for slug in exercises:
            source = course.exercise(slug).solution.read_text(encoding="utf-8")
            judge.prepare(slug)
            submission = Submission(slug, source, f"{slug}.py", profile=True)
            timings = [_timing(judge, submission) for _ in range(repeats)]
            last = timings[-1]
            if last.profile is None or not last.profile.kernels or last.alone_ms is None:
                reason = last.profile.note if last.profile else last.note
                raise CannotHere(f"no time by CUPTI for {slug}: {reason or 'it needs a CUDA GPU'}")
            yield Precision(
                slug,
                tuple(each.learner.median_ms * 1e3 for each in timings),
                tuple(stats.half_width(each.learner) for each in timings),
                last.alone_ms * 1e3,
                sum(kernel.count * kernel.median_us for kernel in last.profile.kernels),
            )


def _timing(judge: Judge, submission: Submission) -> Timing:
    verdict = list(judge.submit(submission))[-1]
    timing = verdict.timing if isinstance(verdict, Verdict) else None
    if timing is None:
        raise CannotHere(f"{submission.exercise} was not timed: this needs a CUDA GPU")
    return timing


def main() -> int:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    holds = True
    for precision in measure(open_course(), repeats=repeats):
        print(precision.line(), flush=True)
        holds = holds and precision.holds
    return int(not holds)


if __name__ == "__main__":
    sys.exit(main())
