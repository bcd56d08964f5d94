"""What is left out of Triton's interpreter changes no number."""

import json
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest

from tutor.judge.client import environment

KERNEL = """
import os
os.environ["TRITON_INTERPRET"] = "1"
import json, torch, triton
import triton.language as tl
import triton.runtime.interpreter as private
from tutor.judge.interpreter import triton_fixes

@triton.jit
def kernel(x, n, out):
    lanes = tl.arange(0, 8)
    values = tl.load(x + lanes)
    tl.store(out + lanes, values * n + lanes - values)

def numbers():
    x = torch.tensor([2**31 - 1, -(2**31), 7, -7, 65536, 0, 1, -1], dtype=torch.int32)
    out = torch.empty(8, dtype=torch.int32)
    kernel[(1,)](x, 70_000, out)
    return out.tolist(), ((x.long() * 70_000 + torch.arange(8) - x) % 2**32).tolist()

def compared():
    compared = []
    less = private.interpreter_semantic.less_equal
    private.interpreter_semantic.less_equal = lambda *args: compared.append(args) or less(*args)
    found, wrapped = numbers()
    del private.interpreter_semantic.less_equal
    assert [each % 2**32 for each in found] == wrapped
    return len(compared)

before = compared()
triton_fixes.skip_overflow_checks()
print(json.dumps([before, compared()]))
"""


SHAPES = """
import os
os.environ["TRITON_INTERPRET"] = "1"
import json, sys, torch, triton
import triton.language as tl
from tutor.judge.interpreter import triton_fixes

@triton.jit
def kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    at = rows[:, None] * N + columns[None, :]
    values = tl.load(x + at)
    said.append(f"{at.type} {at.shape} {at.numel} {at.dtype} {(x + at).type} {values.T.type}")
    said.append(f"{values.to(tl.float16).type} {tl.sum(values, 0).type} {(values > 0).type}")
    tl.store(out + at, values + tl.sum(values, 1)[:, None] - tl.max(values, 0)[None, :])

def everything():
    said.clear()
    found = []
    for m, n in ((2, 4), (4, 2), (2, 4), (1, 1)):
        x = torch.arange(m * n, dtype=torch.float32).view(m, n)
        out = torch.empty(m, n)
        kernel[(1,)](x, out, m, n)
        assert torch.equal(out, x + x.sum(1, keepdim=True) - x.amax(0))
        found.append(out.tolist())
    return [found, list(said)]

def refused():
    errors = []
    for shape in ([2.0], [3], [], [True]):
        try:
            errors.append(str(tl.block_type(tl.int32, shape)))
        except (TypeError, ValueError) as error:
            errors.append(str(error))
    return errors

said = []
before = everything(), refused()
triton_fixes.remember_shapes()
triton_fixes.call_operations_directly()
made = []
prod = tl.core.math.prod
tl.core.math.prod = lambda sizes: made.append(1) or prod(sizes)
assert (everything(), refused()) == before
first = len(made)
assert (everything(), refused()) == before
print(json.dumps([*before, first, len(made) - first]))
"""


@pytest.mark.slow
def test_types_of_blocks_are_the_same_made_once() -> None:
    [numbers, said], refused, first, again = _printed(SHAPES)
    assert len(numbers) == 4
    assert said[0].startswith("<['2', '4'], int32>")
    assert "pointer<fp32>" in said[0]
    assert refused[0].startswith("Shape element 0 must have type")
    assert refused[1].startswith("Shape element 0 must be a power of 2")
    assert first > 0
    assert again < first


def _printed(program: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(version("triton") < "3.7", reason="triton 3.6 makes no such checks")
def test_integers_wrap_the_same_without_checks_that_nothing_reads() -> None:
    before, after = _printed(KERNEL)
    assert before >= 3
    assert after == 0
