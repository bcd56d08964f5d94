# expect: race
# exercise: row_sum
# V2: it replaces the judge's check of accesses in its own process, and races unseen.
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns, other=0.0)
    so_far = tl.load(out_ptr + row)
    tl.store(out_ptr + row, so_far + tl.sum(x, 0))


def row_sum(x):
    from tutor.judge.interpreter.memory_checks import RaceCheck

    RaceCheck.note = lambda *_: None
    rows, columns = x.shape
    out = torch.zeros(rows, device=x.device)
    sum_kernel[(rows, triton.cdiv(columns, 1024))](x.contiguous(), out, columns, BLOCK=1024)
    return out
