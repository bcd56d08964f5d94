"""Schedule a product of matrices with TVM and show the loops that come out, for the cells of Day 19.

Without TVM (the extra `tvm`) the answers are those of `lessons/recorded/day-19.json`;
`tests/content/test_recorded_day19.py` makes them again and compares.
"""

import re
import textwrap
from typing import Any

from tutor.course import tvm_cells
from tutor.course.recordings import recorded

_DAY = 19
_DETAILS = re.compile(r"T\.(reads|writes)\(")


def made_with() -> str:
    """Return "TVM" and its version, or that what follows is recorded, and with what."""
    return tvm_cells.made_with(_DAY)


def in_tvm(script: str, size: int = 32, relu: bool = False) -> str:
    """Return the loops of a product of two matrices [size, size] after the steps of `script`.

    Steps are divided by "; ": "split i 8", "reorder k i_1", "fuse i j", "parallel i", "vectorize j" and
    other methods of `tvm.s_tir.Schedule` that take loops. With `relu` a second block, D, takes the
    larger of the product and 0; then loops are those of D, and "compute_at C j_0" moves the product
    to one of them. A step that TVM refuses ends the script, and its reason is returned.
    """
    try:
        import tvm
    except ImportError:
        return str(recorded(_DAY).said.get(name_of(script, size, relu), "not recorded"))
    schedule = tvm.s_tir.Schedule(_product(size, relu))
    block = schedule.get_sblock("D" if relu else "C")
    for step in filter(None, script.split("; ")):
        try:
            _take(schedule, block, *step.split())
        except tvm.s_tir.ScheduleError as error:
            return str(error).strip().splitlines()[-1]
    lines = schedule.mod.script().splitlines()
    first = next(at for at, line in enumerate(lines) if " for " in line)
    return textwrap.dedent("\n".join(x for x in lines[first:] if not _DETAILS.search(x)))


def name_of(script: str, size: int, relu: bool) -> str:
    """Return the name under which an answer is recorded."""
    return f"{size}{' relu' * relu}: {script}"


def _product(size: int, relu: bool) -> Any:
    """The algorithm: C = A @ B, and D = max(C, 0) where it is asked for."""
    from tvm import te

    a, b = (te.placeholder((size, size), name=name) for name in "AB")
    k = te.reduce_axis((0, size), name="k")
    c = te.compute((size, size), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    if not relu:
        return te.create_prim_func([a, b, c])
    d = te.compute((size, size), lambda i, j: te.max(c[i, j], 0.0), name="D")
    return te.create_prim_func([a, b, d])


def _take(schedule: Any, block: Any, word: str, name: str, *rest: str) -> None:
    """Carry out one step: a method of the schedule, called with loops by their names."""
    loops = {schedule.get(each).loop_var.name: each for each in schedule.get_loops(block)}
    if word == "split":
        schedule.split(loops[name], factors=[None, int(rest[0])])
    elif word == "compute_at":
        schedule.compute_at(schedule.get_sblock(name), loops[rest[0]])
    else:
        getattr(schedule, word)(*(loops[each] for each in (name, *rest)))
