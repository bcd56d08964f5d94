"""bfloat16 in the interpreter, against PyTorch: rounded once an operation, as on a GPU."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from judging import cell

from tutor.judge.interpreter.arithmetic.bfloat16 import from_bits, to_bits

CELL = """
import torch, triton, triton.language as tl

@triton.jit
def kernel(x, y, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n, other=1.0)
    b = tl.load(y + i, mask=i < n, other=1.0)
    tl.store(o + i, {kernel}, mask=i < n)

torch.manual_seed(3)
a, b = torch.randn(60).bfloat16(), torch.randn(60).bfloat16()
o = torch.empty(60, dtype=torch.bfloat16)
kernel[(1,)](a, b, o, 60, B=64)
f, g = a.float(), b.float()
worst = (o.float() - ({torch}).bfloat16().float()).abs().max().item()
"""
OPERATIONS = {
    "a + b": "f + g",
    "a - b": "f - g",
    "a * b": "f * g",
    "a / b": "f / g",
    "-a": "-f",
    "a * 2.5": "f * 2.5",
    "tl.abs(a)": "f.abs()",
    "tl.maximum(a, b)": "torch.maximum(f, g)",
    "tl.where(a < b, a, b)": "torch.minimum(f, g)",
    "(a < b).to(tl.bfloat16)": "(f < g).float()",
    "tl.exp(a.to(tl.float32)).to(tl.bfloat16)": "f.exp()",
    "i.to(tl.bfloat16)": "torch.arange(60)",
    "tl.max(-a, 0) + a * 0": "torch.cat([-f, -torch.ones(1)]).max() + f * 0",
    "tl.fma(a, b, a)": "f * g + f",
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_is_the_rounded_one(judge, operation):
    code = CELL.format(kernel=operation, torch=OPERATIONS[operation])
    _, done = cell(judge, "bfloat16", code, evaluate=("worst",))
    assert done.ok, done.error
    assert done.values["worst"] == 0.0


def test_a_dot_product_of_bfloat16_tiles(judge):
    code = """
import torch, triton, triton.language as tl

@triton.jit
def kernel(x, y, o, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    tl.store(o + at, tl.dot(tl.load(x + at), tl.load(y + at)))

a, b = torch.randn(32, 32).bfloat16(), torch.randn(32, 32).bfloat16()
o = torch.empty(32, 32)
kernel[(1,)](a, b, o, B=32)
worst = (o.double() - a.double() @ b.double()).abs().max().item()
"""
    _, done = cell(judge, "bfloat16", code, evaluate=("worst",))
    assert done.ok, done.error
    assert done.values["worst"] < 1e-4


@given(st.lists(st.floats(width=32), min_size=1, max_size=50))
def test_rounding_is_torchs(numbers):
    given_ = torch.tensor(numbers, dtype=torch.float32)
    want = given_.bfloat16()
    bits = to_bits(given_.numpy())
    got = torch.from_numpy(bits.view("int16")).view(torch.bfloat16)
    assert torch.equal(got.isnan(), want.isnan())
    assert torch.equal(got[~got.isnan()], want[~want.isnan()])
    assert torch.equal(torch.from_numpy(from_bits(bits)).isnan(), want.isnan())


def test_an_atomic_addition_is_refused_and_not_computed_wrongly(judge):
    code = """
import torch, triton, triton.language as tl

@triton.jit
def kernel(o):
    tl.atomic_add(o + tl.arange(0, 2), tl.full((2,), 1.5, tl.bfloat16))

kernel[(3,)](torch.zeros(2, dtype=torch.bfloat16))
"""
    _, done = cell(judge, "bfloat16", code)
    assert not done.ok
    assert "cannot do atomic operations in bfloat16" in done.error
    assert "float32" in done.error


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_atomic_additions_to_other_types_add_up(judge, dtype):
    code = f"""
import torch, triton, triton.language as tl

@triton.jit
def kernel(o):
    tl.atomic_add(o + tl.arange(0, 2), tl.full((2,), 1.5, tl.{dtype}))

o = torch.zeros(2, dtype=torch.{dtype})
kernel[(3,)](o)
"""
    _, done = cell(judge, "bfloat16", code, evaluate=("o.tolist()",))
    assert done.ok, done.error
    assert done.values["o.tolist()"] == [4.5, 4.5]
