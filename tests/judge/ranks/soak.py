"""Many runs of ranks: is each verdict what it must be, and is nothing left? To be run by hand:

    python tests/judge/ranks/soak.py [--count 200] [--kills 500]

First each sort of program is judged `--count` times. Then a program that never ends is judged, and a
rank of it, or the process that watches the ranks, is killed. Prints a table and exits with 1 where a
verdict is another one, or a process of the learner's is left.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from judging import BE_LEFTOVER, MARK, judged, leftovers, until

from tutor.base import paths
from tutor.judge.client import Judge
from tutor.judge.processes import process_control

SLUG = "ring_allreduce"
COURSE = Path(__file__).with_name("course")
HEAD = "import os\nimport signal\nimport torch\nimport torch.distributed as dist\n"
ENTRY = "\n\ndef ring_allreduce(rank, world, x):\n"
LIBRARY = "    dist.all_reduce(x)\n    return x\n"
SORTS = {  # the code that must come first; "": it passes
    "right": ("", ""),
    "each sends first": ("deadlock", "    dist.send(x, (rank + 1) % world)\n    dist.recv(x)\n"),
    "one leaves early": ("deadlock", "    if rank == 1:\n        return x\n" + LIBRARY),
    "not all call it": (
        "mismatched-collective",
        "    if rank:\n        dist.barrier()\n" + LIBRARY,
    ),
    "one raises": ("crash", "    if rank == 1:\n        raise ValueError\n" + LIBRARY),
    "one is killed": ("crash", "    if rank:\n        os.kill(os.getpid(), 11)\n" + LIBRARY),
    "by the library": ("forbidden-collective", LIBRARY),
}
HANGS = BE_LEFTOVER + HEAD + ENTRY + "    while rank:\n        pass\n" + LIBRARY


def main() -> int:
    """Run the soak. Returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--kills", type=int, default=500)
    asked = parser.parse_args()
    os.environ[MARK] = f"soak-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TUTOR_HOME"] = str(Path(folder) / "home")
        course = Path(folder) / "course"
        shutil.copytree(COURSE, course)
        for name in ("lessons", "quizzes"):
            (course / name).mkdir()
        shutil.copy(paths.course_root() / "lessons" / "outline.toml", course / "lessons")
        with Judge(course, cold=True) as judge:
            faults = run_sorts(judge, course, asked.count) + run_kills(judge, asked.kills)
    print(f"{faults} faults")
    return int(faults > 0)


def run_sorts(judge: Judge, course: Path, count: int) -> int:
    """Judge each sort `count` times, mixed. Returns how many verdicts were others than they must be."""
    solution = (course / "kernels" / SLUG / "solution.py").read_text("utf-8")
    order = [name for name in SORTS for _ in range(count)]
    random.Random(1).shuffle(order)
    codes: dict[str, Counter[str]] = {name: Counter() for name in SORTS}
    seconds: dict[str, list[float]] = {name: [] for name in SORTS}
    for name in order:
        body = SORTS[name][1]
        started = time.monotonic()
        verdict = judged(judge, HEAD + ENTRY + body if body else solution, SLUG)
        seconds[name].append(time.monotonic() - started)
        codes[name][verdict.diagnosis[0].code if verdict.diagnosis else ""] += 1
    faults = 0
    for name, (wanted, _) in SORTS.items():
        others = {code: n for code, n in codes[name].items() if code != wanted}
        faults += sum(others.values())
        median = statistics.median(seconds[name]) if seconds[name] else 0.0
        print(f"{name:18} {len(seconds[name]):5} median {median:.2f} s  others {others or 'none'}")
    return faults


def run_kills(judge: Judge, kills: int) -> int:
    """Kill a rank, or the process that watches them, while a program runs that never ends. Returns how
    often a process of the learner's was left."""
    chance, faults = random.Random(2), 0
    mark = os.environ[MARK]
    for _ in range(kills):
        run = threading.Thread(target=judged, args=(judge, HANGS, SLUG))
        run.start()
        until(lambda: len(leftovers(mark)) >= 3)  # the watcher and two ranks
        pids = leftovers(mark)
        leader = next(
            (pid for pid in pids if any(pid == process_control.parent(each) for each in pids)), 0
        )
        ranks = [pid for pid in pids if pid != leader]
        killed = leader if chance.random() < 0.5 and leader else chance.choice(ranks)
        with contextlib.suppress(ProcessLookupError):
            os.kill(killed, signal.SIGKILL)
        run.join(60)
        deadline = time.monotonic() + 10
        while leftovers(mark) and time.monotonic() < deadline:
            time.sleep(0.02)
        faults += bool(leftovers(mark)) or run.is_alive()
    print(f"{kills} kills, {faults} left something")
    return faults


if __name__ == "__main__":
    sys.exit(main())
