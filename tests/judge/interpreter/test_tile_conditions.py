"""Conditions on tiles mean in the interpreter what they mean to the compiler."""

import pytest
from judging import first_code, judged

FILE = """
import torch
import triton
import triton.language as tl


@triton.jit
def helper(a, b):
    return a and b


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    y = tl.load(y_ptr + offs, mask=mask, other=0.0)
    z = x + y
    {lines}
    tl.store(out_ptr + offs, z, mask=mask)


def add(x, y):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return out
"""

RIGHT = {
    "and": "z = tl.where(mask and offs % 2 == 0, x + y, x + y)\n"
    "    z = tl.where((offs < n) and (offs >= n), 7.0, z)",
    "or": "z = tl.where((offs >= n) or (offs < n), z, 7.0)",
    "several": "z = tl.where((offs < 0) or (offs >= n) or (offs == -1), 7.0, z)",
    "not": "z = tl.where(not (offs < n), 7.0, z)",
    "in a function": "z = tl.where(helper(offs < n, offs >= n), 7.0, z)",
    "constants decide": "z = tl.where(BLOCK == 3 and mask, 7.0, z) if BLOCK == 3 and n > 0 else z",
    "scalars": "if pid >= 0 and n > 0 and not (n < 0):\n        z = z + 0.0\n    else:\n        z = y",
    "a choice between scalars": "z = z if n > 0 else y",
    "while": "i = 0\n    while i < 3 and n > 0:\n        i += 1\n    z = tl.where(i == 3, z, 7.0)",
    "min and max": "z = tl.where(x == x and y == y, min(x, y) + max(x, y), z)",
    "min of three": "z = tl.where(min(offs, n, n - 1) == offs, z, 7.0)",
    "min of numbers": "for i in range(min(BLOCK, 2)):\n        z = z + 0.0",
    "max of a number and an argument": "for i in range(max(1, min(n, 2))):\n        z = z + 0.0",
}


@pytest.mark.parametrize("lines", RIGHT.values(), ids=RIGHT.keys())
def test_what_a_gpu_computes_is_computed(judge, lines):
    """On a machine with a GPU this asks it, and the interpreter beside it."""
    verdict = judged(judge, FILE.format(lines=lines))
    assert verdict.passed, verdict.diagnosis


REFUSED = {
    "if": "if x > y:\n        z = x + y",
    "while": "while x > y:\n        x -= 1.0",
    "a choice": "z = x if x > y else y",
    "and within an if": "if mask and n > 0:\n        z = x + y",
}


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED.keys())
def test_a_tile_is_no_truth(judge, lines):
    verdict = judged(judge, FILE.format(lines=lines), device="cpu")
    assert first_code(verdict) == "compile-error"
    assert "one for each lane" in verdict.diagnosis[0].message
    named = FILE.format(lines=lines).splitlines()[verdict.diagnosis[0].line - 1]
    assert lines.split("\n")[0] in named


def test_a_load_among_operands_is_watched_and_its_line_named(judge):
    lines = "z = tl.where((n > 0) and (tl.load(x_ptr + n + pid) > 0), z, z)"
    verdict = judged(judge, FILE.format(lines=lines), device="cpu")
    assert first_code(verdict) == "out-of-bounds-load"
    source = FILE.format(lines=lines).splitlines()
    number = next(n for n, text in enumerate(source, 1) if lines in text)
    assert f"line {number}" in verdict.diagnosis[0].message
