"""How `tutor grade-all` scales with the slots that a real Slurm on this machine gives it. By hand:

    python tests/judge/runners/measure_grade_all.py [--count 2000] [--slots 1 2 4] [--kill-every 50]
        [--one-core]

Each number of slots judges the same folder anew. A job is cancelled each time that `--kill-every` more
verdicts are written (0: none is). With `--one-core`, a job of the n-th virtual node stays on the n-th
core, as a slot of a real cluster does. Prints a line for each, with the use of this machine's
processors, and exits with 1 where a verdict is missing, written twice or not what it must be. Only root
may start Slurm.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `judging` is

from judging import RIGHT
from slurm_cluster import SlurmCluster

WRONG = RIGHT.replace("x + y, mask", "x - y, mask")
ON_ITS_CORE = """#!/bin/sh
exec taskset -c $(( (${SLURMD_NODENAME#n} - 1) % $(nproc --all) )) "$@"
"""


def submitted(folder: Path, count: int) -> dict[str, bool]:
    """Write a folder of `count` submissions, each with a text of its own; return which are right."""
    right = {}
    for number in range(count):
        name = f"learner{number:05}"
        right[name] = number % 4 != 3
        (folder / name).mkdir(parents=True)
        text = f"{RIGHT if right[name] else WRONG}\n# {number}\n"
        (folder / name / "vector_add.py").write_text(text)
    return right


def busy() -> float:
    """Return the seconds that this machine's processors have worked so far."""
    user, nice, system = Path("/proc/stat").read_text().split()[1:4]
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def rows(results: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in results.read_text().splitlines()]


def graded(
    cluster: SlurmCluster, folder: Path, environment: dict[str, str], slots: int, kill_every: int
) -> tuple[float, int]:
    """Judge the folder. Returns the seconds and how many jobs were cancelled."""
    results = folder / "results.jsonl"
    results.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "tutor",
        "grade-all",
        str(folder),
        "--json",
        "--runner",
        "cluster",
        "--slots",
        str(slots),
    ]
    started = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    killed = 0
    while process.poll() is None:
        time.sleep(0.1)
        written = results.read_bytes().count(b"\n") if results.exists() else 0
        if kill_every and written >= kill_every * (killed + 1):
            running = cluster.run("squeue", "--noheader", "--states=running", "--format=%i").split()
            if running:
                cluster.run("scancel", running[killed % len(running)])
                killed += 1
    return time.monotonic() - started, killed


def faults(results: Path, right: dict[str, bool]) -> list[str]:
    found = rows(results)
    names = [str(row["learner"]) for row in found]
    said = [f"{name} has no verdict" for name in right if name not in set(names)]
    said += ["a learner has two verdicts"] if len(set(names)) < len(names) else []
    return said + [str(row) for row in found if row["passed"] != right[str(row["learner"])]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kill-every", type=int, default=50)
    parser.add_argument("--one-core", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tutor-grades-") as made:
        home = Path(made, "home")
        home.mkdir()
        on_its_core = Path(made, "on_its_core")
        on_its_core.write_text(ON_ITS_CORE)
        on_its_core.chmod(0o755)
        bound = f" {on_its_core}" if asked.one_core else ""
        (home / "config.toml").write_text(
            f'[runners.cluster]\nlaunch = "srun --unbuffered --ntasks=1{bound}"\n'
            f'tutor = "{sys.executable} -m tutor"\n'
        )
        right = submitted(Path(made, "class"), asked.count)
        slurm = Path(made, "slurm")
        slurm.mkdir()
        cluster = SlurmCluster(slurm, nodes=max(asked.slots))
        environment = {**cluster.environment, "TUTOR_HOME": str(home)}
        wrong: list[str] = []
        first = 0.0
        try:
            for slots in asked.slots:
                before = busy()
                seconds, killed = graded(
                    cluster, Path(made, "class"), environment, slots, asked.kill_every
                )
                wrong += faults(Path(made, "class", "results.jsonl"), right)
                first = first or seconds
                print(
                    f"{slots} slots: {asked.count} in {seconds:.1f} s, {first / seconds:.2f} x, "
                    f"{killed} jobs cancelled, {len(wrong)} faults, "
                    f"{(busy() - before) / seconds:.2f} cores busy",
                    flush=True,
                )
        finally:
            cluster.close()
        print(*wrong[:5], sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
