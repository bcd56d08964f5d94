"""Seconds that `tutor xray --compiler NAME` takes: `python tests/bench/compilers.py`, with all extras.

Wall and processor time, the latter of the command and of all processes of its judge, which has a home of
its own. Cold: no judge runs. Warm: each call in turns with the others, five times; medians.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tutor.judge.client import environment

SOURCE = """\
import torch.nn.functional as F


def linear_gelu(x, w, b):
    return F.gelu(x @ w + b)
"""
INPUTS = ("f32[64,128]", "f32[128,256]", "f32[256]")
NAMES = ("all", "inductor-cpu", "tvm", "mlir", "xla", "iree", "onnx")
TURNS = 5
_TICKS = os.sysconf("SC_CLK_TCK")


def read_spent(home: Path) -> dict[str, float]:
    """Processor seconds of each living process of the home, with those of its dead children."""
    spent = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"TUTOR_HOME={home}".encode() not in (folder / "environ").read_bytes():
                continue
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended, or is another user's
            continue
        spent[folder.name] = sum(map(int, fields[11:15])) / _TICKS
    return spent


def call(home: Path, *words: str) -> tuple[float, float]:
    """Run a command; return its wall and processor seconds."""
    before, own, began = read_spent(home), os.times(), time.perf_counter()
    command = [sys.executable, "-m", "tutor", *words]
    variables = {**environment(), "TUTOR_HOME": str(home)}
    subprocess.run(command, env=variables, check=True, capture_output=True)
    wall, after = time.perf_counter() - began, os.times()
    judge = sum(spent - before.get(name, 0.0) for name, spent in read_spent(home).items())
    children = after.children_user + after.children_system
    return wall, judge + children - own.children_user - own.children_system


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        home, file = Path(folder) / "home", Path(folder) / "f.py"
        file.write_text(SOURCE, "utf-8")
        words = ["xray", f"{file}::linear_gelu"]
        words += [word for spec in INPUTS for word in ("--input", spec)]
        for state in ("cold, headers not yet precompiled", "cold"):
            wall, spent = call(home, *words, "--compiler", "all")
            print(
                f"{state}: wall {wall:.1f} s, processor {spent:.1f} s, load {os.getloadavg()[0]:.1f}"
            )
            call(home, "judge", "stop")
        for name in NAMES:
            call(home, *words, "--compiler", name)
        taken = [[call(home, *words, "--compiler", name) for name in NAMES] for _ in range(TURNS)]
        for name, rows in zip(NAMES, zip(*taken, strict=True), strict=True):
            wall, spent = (statistics.median(column) for column in zip(*rows, strict=True))
            least = min(row[0] for row in rows)
            print(f"{name:13} wall {wall:.2f} s (least {least:.2f}), processor {spent:.2f} s")
        print(f"load {os.getloadavg()[0]:.1f}")
        call(home, "judge", "stop")


if __name__ == "__main__":
    main()
