"""The numbers that matter in IREE's stages, read from their texts without locations. Pure.

    input               units: operations of linalg
    dispatch-creation   units: dispatch regions
    flow                units: executables
    stream              units: dispatches of the program; buffers and bytes, less those of results
    asm                 operations: instructions

Every stage but `asm` counts its operations. Names of operations: IREE 3.13, dialects Flow and Stream.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tutor.xray.model.counts.mlir import Operation, count_mlir, read_operations

_ALLOCATION = re.compile(
    r"\bstream\.resource\.alloca?\b.*!stream\.resource<transient>\{%([\w#]+)\}"
)
_CONSTANT = re.compile(r"%(\w+) = arith\.constant (\d+) : index")
_EXPORT = re.compile(r"flow\.executable\.export public @([\w$.-]+)")
_INSTRUCTION = re.compile(r"^\t[a-z]\w*", re.MULTILINE)
_UNITS = {
    "dispatch-creation": "flow.dispatch.workgroups",
    "flow": "flow.executable.export",
    "stream": "stream.cmd.dispatch",
}
# Operations that only say which part of a tensor a dispatch works on.
_PLUMBING = ("flow.", "iree_tensor_ext.", "tensor.", "arith.constant", "linalg.index", "return")


def count_iree(stage: str, text: str) -> dict[str, int | float]:
    """Return the counts of a stage's text."""
    if stage == "asm":
        return {"operations": len(_INSTRUCTION.findall(text))}
    counted = count_mlir(text)
    counts: dict[str, int | float] = {}
    if stage == "input":
        counts["units"] = counted["units"]
    elif name := _UNITS.get(stage):
        counts["units"] = sum(operation.name == name for operation in read_operations(text))
    counts["operations"] = counted["operations"]
    if stage == "stream":
        sizes = {name: int(size) for name, size in _CONSTANT.findall(text)}
        buffers = _ALLOCATION.findall(text)
        counts |= {"buffers": len(buffers), "bytes": sum(sizes.get(size, 0) for size in buffers)}
    return counts


def list_fused(text: str, names: Mapping[int, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return what each executable of the stage "flow" computes, in order and once each.

    That is the `names` of its lines, from 1: the operations of ATen. Where there are none, it is its own
    operations without the dialect, and how often.
    """
    lines = text.split("\n")
    origins: dict[str, dict[str, None]] = {}
    own: dict[str, Counter[str]] = {}
    export = ""
    # An operation stands behind those in its regions.
    for operation in sorted(read_operations(text), key=lambda operation: operation.end):
        if match := _EXPORT.search(lines[operation.line - 1]):
            export = match[1]
            origins[export], own[export] = {}, Counter()
        elif (
            export
            and _is_inside(operation, "flow.executable", "func.func")
            and not operation.name.startswith(_PLUMBING)
            and not operation.name.endswith(".yield")
        ):
            origins[export] |= dict.fromkeys(names.get(operation.line, ()))
            own[export][operation.name.rpartition(".")[2]] += 1
    return {
        name: tuple(origins[name])
        or tuple(what if times == 1 else f"{what} ×{times}" for what, times in own[name].items())
        or ("copy",)
        for name in own
    }


def _is_inside(operation: Operation, *names: str) -> bool:
    around = {other.name for other in operation.around}
    return around.issuperset(names)
