"""A learner's TVM schedule in its worker: made, told as facts, compiled for the CPU and run.

An exercise's `algorithm.py` makes the program; the learner's function changes a schedule of it. Where
loops are bound to a GPU's threads, the compiled form runs them one after the other.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import msgspec
import torch
import tvm
import tvm_ffi
from tvm import s_tir
from tvm.s_tir import transform

from tutor.judge.cases.schedules import MOST, Buffer, Loop, ScheduleFacts
from tutor.judge.diagnosis.tvm_errors import REFUSED, shorten_refusal
from tutor.judge.processes import learner_module
from tutor.xray.model.counts.tvmscript import count_tvmscript

_KINDS = ("serial", "parallel", "vectorized", "unrolled")
_BLOCKS = re.compile(r'T\.sblock\("(\w+)"')
_BUFFERS = re.compile(r'^\s*((\w+) = T\.sblock_alloc_buffer\(.*?(?:scope="([\w.]+)")?\))$', re.M)
_THREADS = re.compile(
    r'T\.thread_binding\(([^,()]+), thread="[\w.]+"(?:, annotations=\{[^}]*\})?\)'
)
_SCOPES = re.compile(r', scope="(?:shared|local|shared\.dyn)"')
_DETAILS = re.compile(r"T\.(?:reads|writes)\(")


class Schedules:
    """Schedules of the exercise's program by the learner's function, one for each call."""

    def __init__(self, maker: str, entry: Callable[..., Any] | None) -> None:
        self._space = learner_module.load_module(maker, "algorithm.py", "algorithm").__dict__
        self._entry = entry
        self.facts: list[ScheduleFacts] = []

    def run(self, args: tuple[Any, ...]) -> torch.Tensor:
        """Schedule the program for these tensors, and return what its compiled form computes.

        Raises an error named `ScheduleError` where TVM refuses a step.
        """
        program = self._space["algorithm"](*args)
        schedule = s_tir.Schedule(program)
        assert self._entry is not None
        try:
            self._entry(schedule)
        except s_tir.ScheduleError as error:
            kind = type(REFUSED, (Exception,), {})
            raise kind(shorten_refusal(str(error))).with_traceback(error.__traceback__) from None
        self.facts.append(self._describe(schedule, program))
        return _compute(schedule.mod, program, args)

    def _describe(self, schedule: Any, program: Any) -> ScheduleFacts:
        blocks = _blocks(schedule)
        axes = {name: _count_values(schedule, name) for name in blocks}
        facts = ScheduleFacts(blocks, _buffers(schedule.mod), axes)
        if "wanted" not in self._space:
            return facts
        wanted = s_tir.Schedule(program)
        self._space["wanted"](wanted)
        same = bool(tvm_ffi.structural_equal(schedule.mod, wanted.mod))
        differs = ("", "") if same else _first_difference(schedule.mod, wanted.mod)
        return msgspec.structs.replace(facts, same=same, differs=differs)


def probe(module: Any, device: Any) -> dict[str, Any]:
    """Return the facts of the schedules that the learner's module has made, for the judge."""
    return {"schedules": msgspec.to_builtins(module.__subject__.facts)}


def rehearse() -> None:
    """Schedule and compile once, so that forked workers find TVM imported and its tables filled."""
    # torch.export, whose programs TVM imports, warns of torch's own trees.
    warnings.filterwarnings("ignore", ".*isinstance.treespec, LeafSpec", FutureWarning)
    source = (
        "from tvm import te\n\ndef algorithm(x):\n"
        "    a = te.placeholder(tuple(x.shape), name='A')\n"
        "    b = te.compute(tuple(x.shape), lambda i: a[i] + 1.0, name='B')\n"
        "    return te.create_prim_func([a, b])\n"
    )
    Schedules(source, lambda schedule: None).run((torch.ones(8),))


def _blocks(schedule: Any) -> dict[str, tuple[Loop, ...]]:
    """The loops around each block, by the block's name. A name that two blocks have is left out."""
    ids: dict[int, int] = {}
    found: dict[str, tuple[Loop, ...]] = {}
    names = _BLOCKS.findall(schedule.mod.script())
    for name in [name for name in names if names.count(name) == 1 and name != "root"][:MOST]:
        loops = [schedule.get(loop) for loop in schedule.get_loops(schedule.get_sblock(name))]
        found[name] = tuple(
            Loop(
                ids.setdefault(hash(loop), len(ids)),
                str(loop.loop_var.name),
                _extent(loop),
                _kind(loop),
            )
            for loop in loops[:MOST]
        )
    return found


def _count_values(schedule: Any, block: str) -> int:
    """How many values the axes of a block have together."""
    axes = schedule.get(schedule.get_sblock(block)).iter_vars
    return math.prod(_extent(axis.dom) for axis in axes)


def _extent(loop: Any) -> int:
    try:
        return int(loop.extent)
    except (TypeError, ValueError):  # a size that is an expression
        return 0


def _kind(loop: Any) -> str:
    if loop.thread_binding is not None:
        return str(loop.thread_binding.thread_tag)
    return _KINDS[int(loop.kind)]


def _buffers(module: Any) -> tuple[Buffer, ...]:
    """The buffers that the schedule makes, each as small as its place among the loops lets it be."""
    lowered = tvm.transform.Sequential(
        [
            transform.LowerInitBlock(),
            transform.PlanAndUpdateBufferAllocationLocation(),
            transform.ConvertBlocksToOpaque(),
            transform.CompactBufferAllocation(),
        ]
    )(module)
    return tuple(
        Buffer(name, scope or "global", int(count_tvmscript(text)["bytes"]))
        for text, name, scope in _BUFFERS.findall(lowered.script())[:MOST]
    )


def _compute(module: Any, program: Any, args: tuple[Any, ...]) -> torch.Tensor:
    text = _SCOPES.sub("", _THREADS.sub(r"range(\1)", module.script()))
    compiled = tvm.compile(tvm.script.from_source(text), target="llvm")
    result = program.params[-1]
    dtype = getattr(torch, str(result.dtype))
    shape = [int(extent) for extent in result.shape]
    out = torch.empty(shape, dtype=dtype)
    # TVM takes tensors without gaps whose memory begins at a multiple of 64 bytes.
    given = [arg.detach().contiguous().clone() for arg in args if isinstance(arg, torch.Tensor)]
    compiled["main"](*(tvm.runtime.from_dlpack(tensor) for tensor in (*given, out)))
    return out


def _first_difference(module: Any, wanted: Any) -> tuple[str, str]:
    mine, theirs = (
        [line.strip() for line in one.script().splitlines() if not _DETAILS.search(line)]
        for one in (module, wanted)
    )
    for number in range(max(len(mine), len(theirs))):
        pair = tuple(lines[number] if number < len(lines) else "" for lines in (mine, theirs))
        if pair[0] != pair[1]:
            return pair[0][:200], pair[1][:200]
    return "", ""
