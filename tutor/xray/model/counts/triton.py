"""Counts of the stages of a Triton kernel, from TTIR to machine instructions.

    ttir     loads, stores, atomics, dots, reductions: operations on blocks
    ttgir    layouts, layout_conversions, dots, async_copies
    ptx      instructions, global_loads, global_stores, load_bits, store_bits (the widest),
             atomics (on global memory), shared_loads, shared_stores,
             async_copies (to shared memory), async_stores (from it),
             barriers, tensor_core
    sass     the same of the machine's instructions, less shared ones; local_loads, local_stores
             (of spilled words, and of arrays in the frame); registers a thread, spills (32-bit words
             of a thread), spill_load_bytes and spill_store_bytes that its code moves, stack_bytes
             of its frame, shared_bytes a block
    amdgcn   as sass; vgprs and sgprs are the two register files

Instruction names: PTX ISA 8.8; CUDA Binary Utilities 13.0, instruction set reference; AMD CDNA3 ISA.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tutor.xray.model.stages import Number


def _count_matches(pattern: str, text: str) -> int:
    return len(re.findall(pattern, text, flags=re.MULTILINE))


def _ttir(text: str) -> dict[str, Number]:
    return {
        "loads": _count_matches(r"\btt\.(?:load|descriptor_(?:load|gather))\b", text),
        "stores": _count_matches(r"\btt\.(?:store|descriptor_(?:store|scatter))\b", text),
        "atomics": _count_matches(r"\btt\.(?:atomic_rmw|atomic_cas|descriptor_reduce)\b", text),
        "dots": _count_matches(r"\btt\.dot(?:_scaled)?\b", text),
        "reductions": _count_matches(r"\"tt\.reduce\"", text),
    }


def _ttgir(text: str) -> dict[str, Number]:
    return {
        "layouts": _count_matches(r"^#\w+ = #ttn?g\.", text),
        "layout_conversions": _count_matches(r"\bttg\.convert_layout\b", text),
        "dots": _count_matches(r"\b(?:tt\.dot|ttng\.warp_group_dot|ttng\.tc_gen5_mma)\b", text),
        "async_copies": _count_matches(
            r"\b(?:ttg\.async_copy_global_to_local|ttng\.async_tma_copy\w*)", text
        ),
    }


_PTX_ACCESS = r"^\s*(?:@!?%\w+\s+)?(ld|st)\.{space}((?:\.[\w:]+)*)"
_PTX_ATOMIC = (
    r"^\s*(?:@!?%\w+\s+)?(?:(?:atom|red)\.(?:\w+\.)*global\b|cp\.reduce\.async\.bulk\.tensor)"
)
_PTX_WIDTH = re.compile(r"(?:\.v(\d+))?\.[a-z]+(\d+)$")


def _ptx(text: str) -> dict[str, Number]:
    # Instructions of one `asm` block may share a line.
    text = "\n".join(part for line in text.splitlines() for part in line.split(";"))
    width = {"ld": 0, "st": 0}
    times = {"ld": 0, "st": 0}
    for verb, modifiers in re.findall(_PTX_ACCESS.format(space="global"), text, re.MULTILINE):
        times[verb] += 1
        if match := _PTX_WIDTH.search(modifiers):
            width[verb] = max(width[verb], int(match[1] or 1) * int(match[2]))
    return {
        "instructions": _count_matches(r"^\s+(?:@!?%\w+\s+)?[a-z][\w.:]*\s", text),
        "global_loads": times["ld"],
        "global_stores": times["st"],
        "atomics": _count_matches(_PTX_ATOMIC, text),
        "load_bits": width["ld"],
        "store_bits": width["st"],
        "shared_loads": _count_matches(r"\b(?:ld\.shared|ldmatrix)\b", text),
        "shared_stores": _count_matches(r"\b(?:st\.shared|stmatrix)\b", text),
        "async_copies": _count_matches(
            r"\bcp\.async\.(?:ca|cg|bulk\.tensor\.\dd\.shared[\w:]*)\b", text
        ),
        "async_stores": _count_matches(r"\bcp\.async\.bulk\.tensor\.\dd\.global\b", text),
        "barriers": _count_matches(r"\b(?:bar\.sync|barrier\.sync)\b", text),
        "tensor_core": _count_matches(
            r"^\s*(?:@!?%\w+\s+)?(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\b", text
        ),
    }


# `wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16` in PTX, `v_mfma_f32_32x32x8_f16` in AMD's code.
_MATRIX_PTX = re.compile(r"\b((?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)[\w.:]*)")
_MATRIX_AMD = re.compile(r"\b(v_(?:mfma|smfmac|wmma)_\w+)")
_MATRIX_UNITS = {
    "fp16": r"[._:]f16(?=[._]|$)",
    "bf16": r"[._:]bf16(?=[._]|$)",
    "tf32": r"[._:]x?tf32",
    "int8": r"[._:](?:[su]8|iu?8)(?=[._]|$)",
}


def matrix_instructions(code: str) -> tuple[str, ...]:
    """Return the names of the matrix instructions in PTX or AMD's code, each once, in order."""
    names = _MATRIX_PTX.findall(code) + _MATRIX_AMD.findall(code)
    return tuple(dict.fromkeys(name.rstrip(".") for name in names))


def matrix_units(instructions: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of factors, of "fp16", "bf16", "tf32" and "int8", that these
    instructions multiply."""
    names = tuple(instructions)
    return tuple(
        unit
        for unit, pattern in _MATRIX_UNITS.items()
        if any(re.search(pattern, name) for name in names)
    )


# `%acc = tt.dot %x, %y, %acc_0, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> …`
_DOT = re.compile(r"\btt\.dot\b(?P<options>[^:]*): tensor<(?:\d+x)+(?P<dtype>\w+)>")
_FACTORS = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "i8": "int8"}


def dot_factors(ttir: str) -> tuple[tuple[int, str], ...]:
    """Return of each product of tiles in TTIR its line, from 0, and what it multiplies: "fp16", "bf16",
    "tf32" (float32 that is rounded to it), "fp32" (strictly), "int8", or the dtype's name in TTIR."""
    found = []
    for row, text in enumerate(ttir.split("\n")):
        if dot := _DOT.search(text):
            coarse = dot["dtype"] == "f32" and "inputPrecision = tf32" in dot["options"]
            factors = _FACTORS.get(dot["dtype"], dot["dtype"])
            found.append((row, "tf32" if coarse else factors))
    return tuple(found)


# `/*0120*/   @!P0 LDG.E.128 R8, desc[UR4][R12.64] ;`
_SASS = re.compile(r"^\s*(?:/\*[0-9a-f]+\*/)?\s*\{?\s*(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", re.MULTILINE)
_SASS_ATOMIC = re.compile(r"(?:ATOMG?|REDG?|UTMAREDG)(?:\.|$)")  # ATOMS: on shared memory
_MATRIX = re.compile(r"(?:[A-Z]G?MMA|UTC\w*MMA)(?:\.|$)")


# `	v_mfma_f32_32x32x8_f16 a[0:15], …`, `	global_load_dwordx4 v[0:3], …`
_AMD = re.compile(r"^\s+((?:[sv]|global|buffer|flat|ds)_\w+)", re.MULTILINE)


def list_opcodes(code: str) -> list[str]:
    """Return the name of each instruction of SASS, or of AMD's code, in order."""
    return _AMD.findall(code) or _SASS.findall(code)


def _sass(text: str) -> dict[str, Number]:
    opcodes = _SASS.findall(text)
    loads = [opcode for opcode in opcodes if opcode.startswith("LDG.") or opcode == "LDG"]
    stores = [opcode for opcode in opcodes if opcode.startswith("STG.") or opcode == "STG"]
    return {
        "instructions": len(opcodes),
        "global_loads": len(loads),
        "global_stores": len(stores),
        "atomics": sum(bool(_SASS_ATOMIC.match(opcode)) for opcode in opcodes),
        "load_bits": max(map(_sass_bits, loads), default=0),
        "store_bits": max(map(_sass_bits, stores), default=0),
        "async_copies": sum(
            opcode.startswith(("LDGSTS", "UTMALDG", "UBLKCP")) for opcode in opcodes
        ),
        "async_stores": sum(opcode.startswith("UTMASTG") for opcode in opcodes),
        "barriers": sum(opcode.startswith("BAR.") for opcode in opcodes),
        "tensor_core": sum(bool(_MATRIX.match(opcode)) for opcode in opcodes),
        "local_loads": sum(opcode.split(".")[0] == "LDL" for opcode in opcodes),
        "local_stores": sum(opcode.split(".")[0] == "STL" for opcode in opcodes),
    }


def _sass_bits(opcode: str) -> int:
    """`LDG.E.128` 128; `LDG.E.U16` 16; without a size 32."""
    sizes = [
        int(part.lstrip("US")) for part in opcode.split(".") if re.fullmatch(r"[US]?\d+", part)
    ]
    return max(sizes, default=32)


_AMD_ACCESS = re.compile(r"^\s+(?:global|buffer|flat)_(load|store)_(\w+)", re.MULTILINE)
_AMD_BITS = {
    "dword": 32,
    "dwordx2": 64,
    "dwordx3": 96,
    "dwordx4": 128,
    "b32": 32,
    "b64": 64,
    "b96": 96,
    "b128": 128,
    "ushort": 16,
    "short": 16,
    "ubyte": 8,
    "sbyte": 8,
}


def _amdgcn(text: str) -> dict[str, Number]:
    accesses = _AMD_ACCESS.findall(text)
    widths = {
        verb: [_AMD_BITS.get(what.split("_")[0], 0) for v, what in accesses if v == verb]
        for verb in ("load", "store")
    }

    def read_number(name: str) -> int:
        match = re.search(rf"^\s+\.{name}:\s+(\d+)", text, re.MULTILINE)
        return int(match[1]) if match else 0

    return {
        "instructions": _count_matches(r"^\s+[sv]_\w+|^\s+(?:global|buffer|flat|ds)_\w+", text),
        "global_loads": len(widths["load"]),
        "global_stores": len(widths["store"]),
        "atomics": _count_matches(r"^\s+(?:global|buffer|flat)_atomic_\w+", text),
        "load_bits": max(widths["load"], default=0),
        "store_bits": max(widths["store"], default=0),
        "barriers": _count_matches(r"^\s+s_barrier\b", text),
        "tensor_core": _count_matches(r"^\s+v_(?:mfma|smfmac|wmma)_\w+", text),
        "vgprs": read_number("vgpr_count"),
        "sgprs": read_number("sgpr_count"),
        "spills": read_number("vgpr_spill_count") + read_number("sgpr_spill_count"),
        "stack_bytes": read_number("private_segment_fixed_size"),
    }


READERS = {"ttir": _ttir, "ttgir": _ttgir, "ptx": _ptx, "sass": _sass, "amdgcn": _amdgcn}
