import torch
import triton
import triton.language as tl


@triton.jit
def keep_two(w, out, total_groups, groups_a_row, stride_row, stride_column, SIDE: tl.constexpr):
    """Take the largest of each group, strike it out, and take the largest of the rest."""
    number = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    there = number[:, None] < total_groups
    lane = tl.arange(0, 4)[None, :]
    row = (number // groups_a_row).to(tl.int64)[:, None]
    column = (number % groups_a_row)[:, None] * 4 + lane
    magnitude = tl.abs(
        tl.load(w + row * stride_row + column * stride_column, mask=there, other=0.0)
    ).to(tl.float32)
    first = tl.argmax(magnitude, axis=1)[:, None]
    rest = tl.where(lane == first, -1.0, magnitude)
    second = tl.argmax(rest, axis=1)[:, None]
    kept = (lane == first) | (lane == second)
    tl.store(out + number.to(tl.int64)[:, None] * 4 + lane, kept.to(tl.int8), mask=there)


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    n, k = w.shape
    result = torch.empty(n, k, dtype=torch.int8, device=w.device)
    total = n * (k // 4)
    keep_two[(triton.cdiv(total, 256),)](w, result, total, k // 4, *w.stride(), SIDE=256)
    return result
