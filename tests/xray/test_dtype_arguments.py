"""A dtype is an argument: PyTorch's of a function, Triton's of a kernel."""

from pathlib import Path

from running import run

TEXT = """
import torch
import triton
import triton.language as tl


@triton.jit
def sum_rows(x_ptr, out_ptr, ACC: tl.constexpr):
    total = tl.zeros((16,), ACC)
    for row in range(8):
        total += tl.load(x_ptr + row * 16 + tl.arange(0, 16))
    tl.store(out_ptr + tl.arange(0, 16), total)


def cast(x, *, dtype):
    return (x + 1).to(dtype)
"""


def test_a_kernel_and_a_function_get_a_dtype(tmp_path: Path) -> None:
    path = tmp_path / "with_dtypes.py"
    path.write_text(TEXT)
    shown = run(path, "sum_rows", "f16[8,16]", "f32[16]", "ACC=tl.float32", stage="ttir")
    assert (shown.status, shown.failures) == (0, ())
    assert "arith.extf" in shown.stages["ttir:sum_rows"].text
    shown = run(path, "cast", "f32[64]", "dtype=torch.float16", stage="dynamo")
    assert (shown.status, shown.failures) == (0, ())
    assert "torch.float16" in shown.stages["dynamo"].text
