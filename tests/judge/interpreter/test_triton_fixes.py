"""What is left out of Triton's interpreter changes no number."""

import subprocess
import sys
import textwrap

from tutor.judge.client import environment

KERNEL = """
import os
os.environ["TRITON_INTERPRET"] = "1"
import torch, triton
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
print(before, compared())
"""


def test_integers_wrap_the_same_without_checks_that_nothing_reads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KERNEL)],
        capture_output=True, text=True, env=environment(), timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    before, after = map(int, done.stdout.split())
    assert before >= 3
    assert after == 0
