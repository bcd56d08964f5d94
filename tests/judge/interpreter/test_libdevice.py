"""CUDA's libdevice in the interpreter, against PyTorch; and what of it is refused in words."""

import pytest
from judging import cell, entry, judged

CELL = """
import torch, triton, triton.language as tl
from triton.language.extra{vendor} import libdevice

@triton.jit
def kernel(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x + i)
    tl.store(o + i, libdevice.{call})

x = torch.cat((torch.linspace(0.01, 0.99, 61), torch.tensor([0.5, 1.5, 2.5]))).to({dtype})
o = torch.empty_like(x)
kernel[(1,)](x, o, B=64)
want = ({torch}).to({dtype})
near = torch.allclose(o, want, rtol=4 * torch.finfo({dtype}).eps, atol=0, equal_nan=True)
"""
FUNCTIONS = {
    "erf(x)": "x.erf()",
    "tanh(x)": "x.tanh()",
    "exp(x)": "x.exp()",
    "abs(-x)": "x",
    "rsqrt(x)": "x.rsqrt()",
    "pow(x, 1.5)": "x ** 1.5",
    "fast_expf(x)": "x.exp()",
    "rint(x)": "x.round()",
    "round(x)": "(x + 0.5).floor()",
    "fma(x, x, x)": "x * x + x",
    "atan2(x, 2.0 - x)": "torch.atan2(x, 2 - x)",
    "log(x)": "x.log()",
}


def run(judge, call: str, torch: str, vendor: str = "", dtype: str = "torch.float32"):
    code = CELL.format(call=call, torch=torch, vendor=vendor, dtype=dtype)
    return cell(judge, "libdevice", code, evaluate=("near",))[1]


@pytest.mark.parametrize("call", FUNCTIONS)
def test_a_function_is_that_of_pytorch(judge, call):
    done = run(judge, call, FUNCTIONS[call])
    assert done.ok, done.error
    assert done.values["near"]


def test_nvidias_own_module_and_float64(judge):
    done = run(judge, "erf(x)", "x.erf()", vendor=".cuda", dtype="torch.float64")
    assert done.ok, done.error
    assert done.values["near"]


@pytest.mark.parametrize("call", ["j0(x)", "fast_tanhf(x)"])
def test_what_is_not_here_is_refused_by_name(judge, call):
    done = run(judge, call, "x")
    assert not done.ok
    assert f"libdevice's `{call.split('(')[0]}" in done.error
    assert "without a GPU" in done.error


@pytest.mark.slow
def test_a_right_kernel_that_calls_libdevice_passes(judge):
    before = """
from triton.language.extra import libdevice

@triton.jit
def root(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, libdevice.fma(x, 1.0, 0.0), mask=i < n)
"""
    body = """\
out = launched(x, y)
root[(triton.cdiv(out.numel(), 64),)](out, out, out.numel(), BLOCK=64)
return out"""
    verdict = judged(judge, entry(body, before), device="cpu")
    assert verdict.passed, verdict.diagnosis
