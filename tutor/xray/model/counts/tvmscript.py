"""Counts of TVM's stages, read from TVMScript, CUDA C and assembly as TVM prints them. Pure.

units        functions of TensorIR (`prim_func`); of CUDA C its kernels; before LegalizeOps each
             operation of Relax
calls        calls in `main`: a function that two calls share counts once as a unit
operations   Relax's operations, or TensorIR's blocks, each of which fills one buffer
loops        loops that are written out; `T.grid` writes several at once
buffers      buffers inside the functions, and tensors of `main` between inputs and results; once
             memory is planned (`count_storages`), the storages that `main` asks for: a result has none
bytes        of these buffers together; a buffer whose shape is a symbol counts none
barriers     of CUDA C: `__syncthreads`
instructions, vector_fma
             of assembly: lines with an instruction; fused multiply-adds of several numbers
"""

from __future__ import annotations

import re
from math import prod

from tutor.xray.model.stages import Number

# `lv1: R.Tensor((64, 256), dtype="float32") = R.add(lv, b)` in `main`
_BINDING = re.compile(r"^\s+(\w+)(?:: .*)? = (R\.call_tir|cls\.\w+|R(?:\.\w+)+)\((.*)$")
_NO_OPERATIONS = re.compile(r"R\.(?:call_tir|const|str|shape|prim_value|memory\.|builtin\.|vm\.)")
_TENSOR = re.compile(r'R\.Tensor\(\(([^()]*)\), dtype="(\w+)"')
_LOOP = re.compile(r"^\s+for ([\w, ]+) in (?:T\.|range\()", re.MULTILINE)
_BLOCK = re.compile(r'^\s+with T\.sblock\("(?!root")', re.MULTILINE)
_EXTENTS = r"((?:T\.int64\(\w+\)|[\w, ])*)"
_BUFFER = re.compile(
    rf'= T\.(?:sblock_alloc_buffer|alloc_buffer|alloc_shared)\(\({_EXTENTS}\)(?:, "(\w+)")?'
)
_STORAGE = re.compile(r"= R\.memory\.alloc_storage\(R\.shape\(\[(\d*)")
_BITS = re.compile(r"(?:bfloat|float|uint|int)(\d+)")


def count_tvmscript(text: str) -> dict[str, Number]:
    """The counts of a module, or of one function, in TVMScript."""
    functions = len(re.findall(r"^\s*@T\.prim_func\b", text, re.MULTILINE))
    main = _main(text)
    bindings = [match.groups() for line in main if (match := _BINDING.match(line))]
    operations = sum(not _NO_OPERATIONS.match(called) for _, called, _ in bindings)
    operations -= sum(called.startswith("cls.") for _, called, _ in bindings)
    blocks = len(_BLOCK.findall(text))
    inner = [_size(shape, kind or "float32") for shape, kind in _BUFFER.findall(text)]
    between = _between(main)
    sizes = [*inner, *between]
    counts: dict[str, Number] = {
        "units": functions or operations,
        "operations": blocks if functions else operations,
        "loops": sum(names.count(",") + 1 for names in _LOOP.findall(text)),
        "buffers": len(sizes),
        "bytes": sum(sizes),
    }
    if functions and main:
        counts["calls"] = sum(
            called.startswith(("R.call_tir", "cls.")) for _, called, _ in bindings
        )
    return counts


def count_storages(text: str) -> dict[str, Number]:
    """The counts of `main` once its memory is planned."""
    sizes = [int(size or 0) for size in _STORAGE.findall(text)]
    return {"buffers": len(sizes), "bytes": sum(sizes)}


def count_cuda(text: str) -> dict[str, Number]:
    """The counts of the CUDA C that TVM writes; its helpers are not among them."""
    return {
        "units": len(re.findall(r"__global__ .*\{$", text, re.MULTILINE)),
        "loops": len(re.findall(r"^\s*for \(", text, re.MULTILINE)),
        "barriers": text.count("__syncthreads()"),
    }


def count_assembly(text: str) -> dict[str, Number]:
    """The counts of assembly as LLVM prints it, for x86 or Arm."""
    return {
        "instructions": len(re.findall(r"^\t(?!\.)[a-z]", text, re.MULTILINE)),
        "vector_fma": len(re.findall(r"\bvfn?m(?:add|sub)\w*p[sd]\b|\bfml[as]\b", text)),
    }


def _main(text: str) -> list[str]:
    """The lines of the Relax function `main`, or none."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"\s*def main\(", line):
            return lines[number + 1 :]
    return []


def _between(main: list[str]) -> list[int]:
    """Bytes of each tensor that `main` computes and does not return."""
    returned: set[str] = set()
    sizes: dict[str, int] = {}
    for line in main:
        if match := re.match(r"^\s+(\w+)(?:: .*)? = \(([\w, ]+)\)$", line):  # the tuple of results
            returned |= {match[1], *re.findall(r"\w+", match[2])}
        elif match := re.match(r"^\s+(?:R\.output|return)\b(.*)", line):
            returned |= set(re.findall(r"\w+", match[1]))
        elif (match := _BINDING.match(line)) and (tensor := _TENSOR.search(line)):
            sizes[match[1]] = _size(tensor[1], tensor[2])
    return [size for name, size in sizes.items() if name not in returned]


def _size(shape: str, kind: str) -> int:
    """Bytes of a buffer of this shape, written as `T.int64(64), T.int64(256)` or `64, 256`."""
    extents = [
        re.fullmatch(r"(?:T\.int64\()?(\d+)\)?", part.strip())
        for part in shape.split(",")
        if part.strip()
    ]
    if any(extent is None for extent in extents):
        return 0
    bits = _BITS.fullmatch(kind)
    width = max(1, int(bits[1]) // 8) if bits else 1
    return prod(int(extent[1]) for extent in extents if extent) * width
