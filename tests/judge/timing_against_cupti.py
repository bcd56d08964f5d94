"""How precise a verdict's time is, on a CUDA GPU: three repeats against each other, and events less an
empty launch against CUPTI. Prints a table; status 1 where a bound is passed.

    PYTHONPATH=. python tests/judge/timing_against_cupti.py [REPEATS]
"""

import sys
import time

from tutor import paths
from tutor.course import open_course
from tutor.judge.client import Judge, Progress, Submission
from tutor.judge.verdict import Timing, Verdict

EXERCISES = (
    "vector_add", "transpose", "row_sum", "row_softmax", "layer_norm", "bias_gelu", "fma",
    "tiled_matmul", "flash_attention", "fused_chain",
)  # fmt: skip
REPEATED, CUPTI = 0.01, 0.03
LONG_US = 50.0


def timed(judge: Judge, slug: str, source: str, profile: bool) -> tuple[Verdict, float, float]:
    """The verdict; seconds from the last case to the first number, and from submitting to the end."""
    started = time.perf_counter()
    right = first = started
    for event in judge.submit(Submission(slug, source, f"{slug}.py", profile=profile)):
        now = time.perf_counter()
        if isinstance(event, Progress) and event.text == "timing":
            right = now
        if isinstance(event, Timing) and first == started:
            first = now
        last = event
    assert isinstance(last, Verdict)
    return last, first - right, time.perf_counter() - started


def main() -> int:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    course, passed = open_course(), 0
    with Judge(paths.course_root()) as judge:
        for slug in EXERCISES:
            source = course.exercise(slug).solution.read_text(encoding="utf-8")
            judge.prepare(slug)
            runs = [timed(judge, slug, source, profile=True) for _ in range(repeats)]
            times = [verdict.timing for verdict, _, _ in runs]
            if not all(t and t.profile and t.profile.kernels and t.alone_ms for t in times):
                print(f"{slug}: {runs[-1][0].diagnosis or (times[-1] and times[-1].profile)}")
                passed += 1
                continue
            medians = [t.learner.median_ms for t in times if t]
            spread = max(medians) / min(medians) - 1
            last = times[-1]
            assert last
            assert last.profile
            assert last.alone_ms
            cupti = sum(k.count * k.median_us for k in last.profile.kernels)
            off = last.alone_ms * 1e3 / cupti - 1
            bad = spread > REPEATED or (cupti > LONG_US and abs(off) > CUPTI)
            passed += bad
            print(
                f"{slug:16} events {[round(m * 1e3, 2) for m in medians]} µs, spread {spread:.2%}; "
                f"empty launch {last.launch and round(last.launch.median_ms * 1e3, 2)} µs, "
                f"host {last.host_ms and round(last.host_ms * 1e3, 1)} µs; alone "
                f"{last.alone_ms * 1e3:.2f} µs, CUPTI {cupti:.2f} µs in "
                f"{len(last.profile.kernels)} kernels, off by {off:+.2%}; first number "
                f"{[round(first, 3) for _, first, _ in runs]} s after “timing”, verdict "
                f"{[round(whole, 2) for *_, whole in runs]} s; believed {last.believed}, "
                f"launch-bound {last.launch_bound}, of the limit "
                f"{last.roofline and round(last.roofline.fraction, 3)}"
                f"{'  <-- OUT OF BOUNDS' if bad else ''}",
                flush=True,
            )
    return int(passed > 0)


if __name__ == "__main__":
    sys.exit(main())
