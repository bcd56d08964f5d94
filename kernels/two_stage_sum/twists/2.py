import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def shares(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(total, axis=0))


def two_stage_sum(x):
    for programs in (64, 8, 1):
        out = torch.empty(programs, dtype=torch.float32, device=x.device)
        shares[(programs,)](x, out, x.numel(), BLOCK=BLOCK)
        x = out
    return out.view(())
