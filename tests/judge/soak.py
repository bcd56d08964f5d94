"""Many mixed submissions through one judge: is each verdict right, how long does it take, and does the
judge stay as large as it was? To be run by hand:

    python tests/judge/soak.py [--count 1000] [--seed 1] [--device auto|cpu|cuda] [--pause SECONDS]

Sorts: right, wrong, and those that must be stopped (hanging, crashing, printing without end, taking
memory, starting processes; on a GPU also a kernel that never ends, an illegal access and a full GPU).
Prints one table and exits with 1 where a verdict is not what it must be, where the verdict after one
that was stopped takes more than 1.5 x the usual, or where the server's memory does not stay within 5 %.
That is its anonymous resident memory. "share" is its part when each page is divided among the processes
that share it. It grows, without a new page for the server, when the server first writes to a page that
it has from the keeper: the kernel gives it a copy then.
"""

import argparse
import contextlib
import os
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from judging import KERNEL, RIGHT, entry, first_code, small_course

from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Verdict
from tutor.judge.processes import process_control

SLOWER = 1.5  # the verdict after one that was stopped, over the usual
GROWTH = 0.05
BYTES = ("keeper", "server", "share", "templates")  # of what `held` returns
# Seconds between two submissions. On a GPU two contexts are opened ahead, and each takes a while.
PAUSES = {False: 0.1, True: 0.4}
SETTLED = 0.1  # the share of submissions after which the server has everything loaded
# Limits of the soak's exercise. What takes memory needs up to 2 s on a slow machine to touch so much.
SECONDS, MEMORY_GIB = 3.0, 1.0


@dataclass(frozen=True)
class Sort:
    """A kind of submission: its text, and the codes of which one must come first ("": it passes)."""

    name: str
    source: str
    codes: tuple[str, ...]
    weight: int
    stopped: bool = False


@dataclass(frozen=True)
class Judged:
    sort: Sort
    after: Sort | None
    seconds: float  # from handing it in until the verdict
    code: str


UNMASKED = RIGHT.replace(", mask=mask)", ")")
OTHER_SUM = RIGHT.replace("x + y, mask", "x - y, mask")
BOUNDED_BOMB = """\
import os, time
for _ in range(7):
    os.fork()
time.sleep(30)
"""

SORTS = (
    Sort("right", RIGHT, ("",), 50),
    Sort("wrong values", OTHER_SUM, ("wrong-values",), 12),
    Sort("no mask", UNMASKED, ("missing-mask", "out-of-bounds-load", "out-of-bounds-store"), 12),
    Sort("raises", entry("raise ValueError('x')"), ("crash",), 6),
    Sort("syntax error", RIGHT + "def (:\n", ("compile-error",), 4),
    Sort("hangs", entry("while True:\n    pass"), ("timeout",), 3, stopped=True),
    Sort("crashes", entry("import ctypes\nctypes.string_at(0)"), ("crash",), 4, stopped=True),
    Sort(
        "prints without end",
        entry("while True:\n    print('x' * 1000)"),
        ("too-much-output",),
        3,
        stopped=True,
    ),
    Sort(
        "takes memory",
        entry("kept = []\nwhile True:\n    kept.append(b'x' * (32 << 20))"),
        ("out-of-memory",),
        3,
        stopped=True,
    ),
    Sort("forks", entry(BOUNDED_BOMB), ("too-many-processes",), 3, stopped=True),
)

FOREVER = KERNEL.replace(
    "    mask = offsets < n\n",
    "    mask = offsets < n\n    while tl.load(out_ptr, volatile=True) != 1e30:\n        pass\n",
)
FAR_AWAY = RIGHT.replace("tl.store(out_ptr + offsets,", "tl.store(out_ptr + offsets + (1 << 40),")
GPU_SORTS = (
    Sort("hangs on the GPU", FOREVER + RIGHT[len(KERNEL) :], ("timeout",), 2, stopped=True),
    Sort("illegal access", FAR_AWAY, ("crash", "out-of-bounds-store"), 2, stopped=True),
    Sort(
        "fills the GPU",
        entry("kept = []\nwhile True:\n    kept.append(torch.empty(1 << 28, device=x.device))"),
        ("out-of-memory",),
        2,
        stopped=True,
    ),
)


def sequence(sorts: tuple[Sort, ...], count: int, seed: int) -> list[Sort]:
    """Each sort once, then at random; after one that is stopped a right one, whose time is compared."""
    rng = random.Random(seed)
    drawn = list(sorts)
    rng.shuffle(drawn)
    drawn += rng.choices(sorts, [s.weight for s in sorts], k=count)
    found: list[Sort] = []
    for each in drawn:
        found += [each, sorts[0]] if each.stopped else [each]
    return found[:count]


def run(
    judge: Judge, sorts: list[Sort], device: str, pause: float
) -> tuple[list[Judged], list[dict[str, int]]]:
    judged: list[Judged] = []
    memory = [held(judge)]
    every = max(1, len(sorts) // 50)
    before = None
    for number, sort in enumerate(sorts):
        source = f"{sort.source}\n# {number}\n"
        submission = Submission("vector_add", source, "soak.py", device=device, timing=False)
        started = time.perf_counter()
        verdict = list(judge.submit(submission))[-1]
        seconds = time.perf_counter() - started
        assert isinstance(verdict, Verdict)
        code = "" if verdict.passed else first_code(verdict)
        judged.append(Judged(sort, before, seconds, code))
        if code not in sort.codes:
            print(
                f"submission {number}, {sort.name}: {code or 'passed'}, not {sort.codes}",
                *verdict.diagnosis[:1],
                flush=True,
            )
        before = sort
        if number % every == 0:
            memory.append(held(judge))
            print(f"{number:6} {memory[-1]}", file=sys.stderr, flush=True)
        time.sleep(pause)  # a learner needs longer
    return judged, memory


def held(judge: Judge) -> dict[str, int]:
    """What the judge holds now: bytes of keeper, server and templates, descriptors, processes."""
    server = judge.server
    keeper = process_control._status_kib(server, "PPid")
    templates = [pid for pid in process_control.descendants(keeper) if pid != server]
    return {
        "keeper": process_control.resident_bytes(keeper),
        "server": process_control.resident_bytes(server),
        "share": process_control.proportional_bytes(server),
        "templates": sum(map(process_control.proportional_bytes, templates)),
        "descriptors": sum(map(descriptors, (server, *templates))),
        "processes": len(process_control.descendants(keeper)),
    }


def descriptors(pid: int) -> int:
    with contextlib.suppress(FileNotFoundError):  # a worker of the last submission has just ended
        return len(os.listdir(f"/proc/{pid}/fd"))
    return 0


def verdicts(judged: list[Judged]) -> bool:
    right = [each for each in judged if each.code in each.sort.codes]
    print(f"\n{len(right)} of {len(judged)} verdicts are what they must be")
    print(f"{'sort':24}{'n':>6}{'p50 ms':>9}{'p95 ms':>9}")
    for sort in dict.fromkeys(each.sort for each in judged):
        ms = [each.seconds * 1e3 for each in judged if each.sort == sort]
        print(f"{sort.name:24}{len(ms):6}{statistics.median(ms):9.0f}{_p95(ms):9.0f}")
    return len(right) == len(judged)


def aftermath(judged: list[Judged]) -> bool:
    """Right submissions: after one that was stopped, and after any other."""
    later = [each for each in judged[1:] if each.sort.name == "right" and each.after]
    usual = [each.seconds for each in later if each.after and not each.after.stopped]
    if not usual:
        return True
    usual_ms = statistics.median(usual) * 1e3
    print(f"\na right one, usually       {usual_ms:6.0f} ms")
    fine = True
    for sort in dict.fromkeys(each.after for each in later if each.after and each.after.stopped):
        ms = statistics.median(each.seconds for each in later if each.after == sort) * 1e3
        fine = fine and ms <= SLOWER * usual_ms
        print(f"after: {sort.name:20}{ms:6.0f} ms, {ms / usual_ms:4.2f} x")
    return fine


def memory(samples: list[dict[str, int]]) -> bool:
    settled = samples[max(1, int(SETTLED * len(samples))) :] or samples
    print("\nmemory, from when everything was loaded to the end (least, most)")
    for name in settled[0]:
        values = [each[name] for each in settled]
        unit, by = ("MiB", 1 << 20) if name in BYTES else ("", 1)
        print(
            f"{name:12}{values[0] / by:8.1f} to {values[-1] / by:8.1f} {unit}"
            f" ({min(values) / by:.1f}, {max(values) / by:.1f})"
        )
    # Medians of the first and the last fifth: one sample may fall into a collection of garbage.
    fifth = max(1, len(settled) // 5)
    grown = {
        name: statistics.median(each[name] for each in settled[-fifth:])
        / statistics.median(each[name] for each in settled[:fifth])
        - 1
        for name in BYTES
    }
    print(", ".join(f"{name} {part:+.1%}" for name, part in grown.items()))
    return max(abs(grown["server"]), abs(grown["keeper"])) <= GROWTH


def _p95(values: list[float]) -> float:
    return sorted(values)[max(0, -(-95 * len(values) // 100) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--pause", type=float, help="seconds between two submissions")
    asked = parser.parse_args()
    gpu = asked.device != "cpu" and os.path.exists("/dev/nvidiactl")
    pause = PAUSES[gpu] if asked.pause is None else asked.pause
    with tempfile.TemporaryDirectory(prefix="tutor-soak-") as folder:
        os.environ["TUTOR_HOME"] = folder
        course = small_course(Path(folder), SECONDS, MEMORY_GIB)
        started = time.monotonic()
        with Judge(course, cold=True) as judge:
            list(judge.submit(Submission("vector_add", RIGHT, "soak.py", timing=False)))  # warm
            sorts = sequence(SORTS + (GPU_SORTS if gpu else ()), asked.count, asked.seed)
            judged, samples = run(judge, sorts, asked.device, pause)
        print(f"{len(judged)} submissions in {time.monotonic() - started:.0f} s")
    fine = [verdicts(judged), aftermath(judged), memory(samples)]
    sys.exit(0 if all(fine) else 1)


if __name__ == "__main__":
    main()
