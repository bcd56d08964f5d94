"""Record the listings of SASS that the exercise `missing_pass` reads, and write them as a JSON file.

    python tests/content/record_listings.py [--to kernels/missing_pass/listings.json]

Each kernel below is lowered for a GPU that need not be here, with all of Triton's passes and without
some of them. A listing holds labels and instructions, without addresses, encodings and directives. The
file says which versions wrote it; a case of the exercise is two listings of one kernel.
"""

import argparse
import json
from datetime import date
from pathlib import Path

import torch
import triton
import triton.language as tl

from tutor.xray.offline import lower
from tutor.xray.triton_kernels.compiler import never_interpret

never_interpret()
FILE = Path(__file__).parents[2] / "kernels" / "missing_pass" / "listings.json"


@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def gate(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, i < n).to(tl.float32)
    tl.store(out + i, (v * tl.sigmoid(v)).to(tl.float16) * tl.load(y + i, i < n), i < n)


@triton.jit
def transpose(x, out, rows, columns, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    tile = tl.load(x + r[:, None] * columns + c[None, :])
    tl.store(out + c[:, None] * rows + r[None, :], tile.trans())


@triton.jit
def column_sums(x, out, rows, columns, R: tl.constexpr, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    r = tl.arange(0, R)
    total = tl.zeros((R, B), tl.float32)
    for start in range(0, rows, R):
        total += tl.load(x + (start + r)[:, None] * columns + c[None, :])
    tl.store(out + c, tl.sum(total, 0))


@triton.jit
def row_sums(x, out, columns, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, B)
    total = tl.zeros((R,), tl.float32)
    for start in range(0, columns, B):
        total += tl.sum(tl.load(x + r[:, None] * columns + start + c[None, :]), 1)
    tl.store(out + r, total)


@triton.jit
def row_maxima(x, out, columns, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, B)
    largest = tl.full((R,), -float("inf"), tl.float32)
    for start in range(0, columns, B):
        tile = tl.load(x + r[:, None] * columns + start + c[None, :]).to(tl.float32)
        largest = tl.maximum(largest, tl.max(tile, 1))
    tl.store(out + r, largest)


@triton.jit
def product(a, b, c, K, N, T: tl.constexpr):
    i = tl.program_id(0) * T + tl.arange(0, T)
    j = tl.program_id(1) * T + tl.arange(0, T)
    k = tl.arange(0, T)
    total = tl.zeros((T, T), tl.float32)
    for start in range(0, K, T):
        left = tl.load(a + i[:, None] * K + start + k[None, :])
        right = tl.load(b + (start + k)[:, None] * N + j[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))


TILE, HALF = "f32[512,512]", "f16[512,512]"
ROWS = ("f32[64,2048]", "f32[64]", 2048)
# The kernel, its inputs, and for each target the passes that are left out.
SUBJECTS = (
    (
        add,
        ("f32[4096]",) * 3 + (4096,),
        {"B": 1024},
        {"sm_90": ("coalesce", "remove_layout_conversions")},
    ),
    (gate, ("f16[4096]",) * 3 + (4096,), {"B": 1024}, {"sm_80": ("coalesce",)}),
    (
        transpose,
        (TILE, TILE, 512, 512),
        {"B": 32},
        {"sm_80": ("coalesce", "remove_layout_conversions")},
    ),
    (
        column_sums,
        (TILE, "f32[512]", 512, 512),
        {"R": 16, "B": 64},
        {"sm_90": ("coalesce", "remove_layout_conversions")},
    ),
    (
        row_sums,
        ROWS,
        {"R": 4, "B": 128},
        {
            "sm_80": (
                "optimize_thread_locality",
                "remove_layout_conversions",
                "coalesce",
                "triton_licm",
            ),
            "sm_90": ("optimize_thread_locality",),
        },
    ),
    (
        row_maxima,
        ("f16[64,2048]", "f32[64]", 2048),
        {"R": 4, "B": 256},
        {"sm_80": ("triton_licm",)},
    ),
    (
        product,
        (HALF, HALF, HALF, 512, 512),
        {"T": 32},
        {"sm_80": ("pipeline", "coalesce", "remove_layout_conversions"), "sm_90": ("pipeline",)},
    ),
)


def listing(sass: str) -> str:
    """Return the labels and the instructions of a text of nvdisasm, a line each."""
    lines = []
    for line in sass.splitlines():
        words = line.partition(";")[0].split()
        if words and words[0].startswith("/*"):
            lines.append(" ".join(words[1:]))
        elif len(words) == 1 and words[0].startswith(".L") and words[0].endswith(":"):
            lines.append(words[0])
    return "\n".join(lines)


def record() -> dict[str, object]:
    """Lower each kernel as `SUBJECTS` says. Return versions, date and the listings."""
    listings: dict[str, dict[str, str]] = {}
    for kernel, inputs, named, targets in SUBJECTS:
        for target, passes in targets.items():
            row = listings[f"{kernel.__name__} for {target}"] = {}
            for name in ("", *passes):
                made = lower(kernel, *inputs, target=target, without=name, **named)
                row[name] = listing(made.text("sass"))
    versions = f"torch {torch.__version__.partition('+')[0]}, triton {triton.__version__}"
    return {"versions": versions, "date": date.today().isoformat(), "listings": listings}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--to", type=Path, default=FILE)
    to = parser.parse_args().to
    to.write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
    print(f"{to}: {to.stat().st_size / 1000:.0f} kB")
