"""Record the surfaces of Day 37: `python tests/content/record_decisions.py [FILE]`, with TVM installed.

A matrix product has two spaces of four decisions: the tiles of its three loops and a limit of unrolling;
and the tiles of rows and columns, the order of the loops inside, and that limit. Each choice is
compiled, run against PyTorch, and timed in three passes of different order; the fastest run counts,
since other work only adds time. (On 29 November 2026 the first space had two passes.)
"""

import json
import platform
import random
import re
import sys
from datetime import date
from pathlib import Path

import torch
import tvm
from tvm import te
from tvm.s_tir import Schedule

from tutor.base.paths import course_root
from tutor.course.decisions import Decision, Sampling, choices

ROWS, TERMS, COLUMNS = 96, 64, 128
MOST = 64  # the largest innermost factor
ORDERS = ("k i j", "i k j", "k j i", "i j k", "j k i", "j i k")  # of the loops inside a tile
UNROLL = (0, 16, 64)
TARGET = {"kind": "llvm", "mcpu": "core-avx2"}
PASSES, RUNS, CALLS = 3, 10, 10


def program() -> tvm.tirx.PrimFunc:
    """Return the product of a 96 x 64 and a 64 x 128 matrix as one block C."""
    a = te.placeholder((ROWS, TERMS), name="A")
    b = te.placeholder((TERMS, COLUMNS), name="B")
    k = te.reduce_axis((0, TERMS), name="k")
    c = te.compute((ROWS, COLUMNS), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    return te.create_prim_func([a, b, c])


def scheduled(choice: tuple[Decision, ...]) -> tvm.IRModule:
    """Return the program with these decisions: tiles of i and j, of k or an order, and unrolling."""
    rows, columns, third, unroll = choice
    schedule = Schedule(program())
    block = schedule.get_sblock("C")
    i, j, k = schedule.get_loops(block)
    (i0, i1), (j0, j1) = schedule.split(i, list(rows)), schedule.split(j, list(columns))
    if isinstance(third, tuple):
        inside, last = [*schedule.split(k, list(third)), i1, j1], "j"
    else:
        inside = [{"i": i1, "j": j1, "k": k}[name] for name in ORDERS[third].split()]
        last = ORDERS[third][-1]
    schedule.reorder(i0, j0, *inside)
    if last == "j":
        schedule.vectorize(j1)
    if UNROLL[unroll]:
        schedule.annotate(i0, "pragma_auto_unroll_max_step", UNROLL[unroll])
        schedule.annotate(i0, "pragma_unroll_explicit", 1)
    schedule.decompose_reduction(block, inside[0])
    return schedule.mod


def timed(space: list[Sampling]) -> list[float]:
    """Return microseconds for each choice. Raises where a product is wrong."""
    target, chosen = tvm.target.Target(TARGET), choices(space)
    torch.manual_seed(37)
    a, b = torch.rand(ROWS, TERMS), torch.rand(TERMS, COLUMNS)
    want, out = a @ b, torch.empty(ROWS, COLUMNS)
    given = [tvm.runtime.from_dlpack(x) for x in (a, b, out)]
    built, times = {}, dict.fromkeys(chosen, float("inf"))
    for turn in range(PASSES):
        for number, choice in enumerate(random.Random(turn).sample(chosen, len(chosen))):
            if choice not in built:
                built[choice] = tvm.compile(scheduled(choice), target=target)
            out.zero_()
            built[choice]["main"](*given)
            assert torch.allclose(out, want, rtol=1e-4), choice
            clock = built[choice].mod.time_evaluator("main", tvm.cpu(), number=CALLS, repeat=RUNS)
            times[choice] = min(times[choice], *(1e6 * run for run in clock(*given).results))
            if number % 200 == 0:
                print(turn, number, flush=True)
    return [round(times[choice], 2) for choice in chosen]


def main(path: Path) -> None:
    """Time each choice of both spaces and write the tables."""
    rows, columns, terms = (["SamplePerfectTile", n, 2, MOST] for n in (ROWS, COLUMNS, TERMS))
    orders, unroll = (["SampleCategorical", list(options)] for options in (ORDERS, UNROLL))
    spaces = [rows, columns, terms, unroll], [rows, columns, orders, unroll]
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    made = {
        "device": model[1] if model else platform.processor(),
        "date": date.today().isoformat(),
        "versions": f"apache-tvm {tvm.__version__}, LLVM for {TARGET['mcpu']}",
        "products": [{"space": space, "us": timed(space)} for space in spaces],
    }
    path.write_text(json.dumps(made) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if sys.argv[1:] else course_root() / "lessons/recorded/decisions.json"))
