# expect: stale-output
import torch
import triton
import triton.language as tl

BLOCK = 512
_buffers = {}


def get_buffer(rows, device):
    # allocation is slow, so keep one zeroed buffer for each number of rows
    key = (rows, device)
    if key not in _buffers:
        _buffers[key] = torch.zeros(rows, dtype=torch.float32, device=device)
    return _buffers[key]


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = x_ptr + row * row_stride + column * column_stride
    v = tl.load(at, mask=column < columns, other=0.0)
    tl.atomic_add(out_ptr + row, tl.sum(v, axis=0))


def row_sum(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = get_buffer(rows, x.device)
    row_sum_kernel[(rows, triton.cdiv(columns, BLOCK))](
        x, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK
    )
    return out
