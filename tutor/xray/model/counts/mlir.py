"""Operations of an MLIR text, and its counts in the vocabulary of tutor/xray/model/compiler.py.

MLIR LangRef, LLVM 24: an operation is `%results = dialect.name …`, and a region of it stands between
braces. The reader takes the custom form that the printer writes, one operation a line, and the generic
form of operations without a custom one. Places (`loc(…)`) must be taken out before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tutor.xray.model.stages import Number

_OPERATION = re.compile(
    r'\s*(?:%[^="]*=\s*)?(?:"([\w$.]+)"|([A-Za-z_][\w$]*(?:\.[\w$]+)*))(?![\w$:])'
)
_CONTAINERS = ("module", "builtin.module", "func.func", "llvm.func")
_LOOPS = ("affine.for", "scf.for", "scf.while")
_PARALLEL_LOOPS = ("affine.parallel", "scf.parallel", "scf.forall")  # one loop a variable
_VARIABLES = re.compile(r"\(\s*(%[^)]*)\)\s*(?:=|in)")
_PARTS_OF_LINALG = ("linalg.yield", "linalg.index")
_RANGE = re.compile(r" = (\d+) to (\d+)(?: step (\d+))?\b")
_BLOCKS = ("memref.alloc", "memref.alloca")
_MALLOC = re.compile(r"llvm\.call @(?:malloc|aligned_alloc)\(")
_BUFFER = re.compile(r"memref<((?:(?:\d+|\?)x)*)(complex<)?([a-z]+)(\d*)")
_BITS = {"index": 64, "bf": 16, "tf": 32}


@dataclass
class Operation:
    """An operation. `line` is its first line and `end` its last one, from 1; `around` are the
    operations in whose regions it stands, the outermost first. `repeats` is False for a loop of one
    step around other loops: it joins nothing."""

    name: str
    line: int
    around: tuple[Operation, ...] = field(repr=False)
    end: int = 0
    repeats: bool = True

    @property
    def is_loop(self) -> bool:
        return self.name in _LOOPS or self.name in _PARALLEL_LOOPS

    @property
    def is_unit(self) -> bool:
        """True for what becomes one loop nest: an operation of linalg, or the outermost loop that
        repeats."""
        return self._has_loops and not any(other._has_loops for other in self.around)

    @property
    def _has_loops(self) -> bool:
        return (self.is_loop and self.repeats) or (
            self.name.startswith("linalg.") and self.name not in _PARTS_OF_LINALG
        )


def read_operations(text: str) -> list[Operation]:
    """Return the operations of a text without places, in the order in which they are printed."""
    found: list[Operation] = []
    open_: list[Operation] = []
    once: set[int] = set()  # lines of loops of one step
    for number, line in enumerate(text.split("\n"), 1):
        code = line.strip()
        if code == "{-#":  # the values of large constants; nothing follows them
            break
        if not code or code.startswith(("#", "!", "//", "^")):
            continue
        last = found[-1] if found else None
        if code.startswith("}"):
            last = open_.pop() if open_ else last
        elif match := _OPERATION.match(line):
            last = Operation(match[1] or match[2], number, tuple(open_))
            found.append(last)
            if last.is_loop:
                for outer in open_:
                    outer.repeats = outer.line not in once
                if _steps_once(line):
                    once.add(number)
        if last is None:
            continue
        last.end = number
        if code.partition(" // ")[0].rstrip().endswith("{"):
            open_.append(last)
    return found


def _steps_once(line: str) -> bool:
    found = _RANGE.search(line)
    return found is not None and int(found[2]) - int(found[1]) <= int(found[3] or 1)


def count_mlir(text: str) -> dict[str, Number]:
    """Count a text without places.

    units: loop nests, and operations of linalg, each of which will be one. operations: all of them, less
    modules and functions. loops: those of affine and scf. buffers and bytes: what `memref.alloc` asks
    for (in LLVM's dialect, calls of malloc); a buffer whose size is not known has no bytes.
    """
    lines = text.split("\n")
    operations = [op for op in read_operations(text) if op.name not in _CONTAINERS]
    blocks = [lines[op.line - 1] for op in operations if op.name in _BLOCKS]
    return {
        "units": sum(op.is_unit for op in operations),
        "operations": len(operations),
        "loops": sum(_count_loops(op, lines) for op in operations),
        "buffers": len(blocks) + len(_MALLOC.findall(text)),
        "bytes": sum(map(_count_bytes, blocks)),
    }


def _count_loops(operation: Operation, lines: Sequence[str]) -> int:
    if operation.name in _PARALLEL_LOOPS:
        variables = _VARIABLES.search(lines[operation.line - 1])
        return variables[1].count("%") if variables else 1
    return int(operation.is_loop)


def _count_bytes(line: str) -> int:
    match = _BUFFER.search(line)
    if not match or "?" in match[1]:
        return 0
    shape = [int(size) for size in match[1].split("x") if size]
    bits = _BITS.get(match[3], 0) or int(match[4] or 0)
    return math.prod(shape) * ((bits + 7) // 8) * (2 if match[2] else 1)
