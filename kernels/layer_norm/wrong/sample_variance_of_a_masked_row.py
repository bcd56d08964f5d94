# expect: wrong-values
import torch
import triton
import triton.language as tl

CHUNK = 1024


@triton.jit
def layer_norm_rows(
    x_ptr, w_ptr, b_ptr, o_ptr, n_cols, eps,
    x_s0, x_s1, w_s, b_s, CHUNK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, CHUNK)
    x_row = x_ptr + row * x_s0

    # pass 1: mean
    part = tl.zeros([CHUNK], dtype=tl.float32)
    for start in range(0, n_cols, CHUNK):
        idx = start + lane
        part += tl.load(x_row + idx * x_s1, mask=idx < n_cols, other=0.0)
    mean = tl.sum(part, axis=0) / n_cols

    # pass 2: variance
    sq = tl.zeros([CHUNK], dtype=tl.float32)
    for start in range(0, n_cols, CHUNK):
        idx = start + lane
        inside = idx < n_cols
        d = tl.load(x_row + idx * x_s1, mask=inside, other=0.0) - mean
        d = tl.where(inside, d, 0.0)
        sq += d * d
    variance = tl.sum(sq, axis=0) / (n_cols - 1)
    inv = tl.rsqrt(variance + eps)

    # pass 3: write
    for start in range(0, n_cols, CHUNK):
        idx = start + lane
        inside = idx < n_cols
        v = tl.load(x_row + idx * x_s1, mask=inside, other=0.0)
        w = tl.load(w_ptr + idx * w_s, mask=inside, other=0.0)
        b = tl.load(b_ptr + idx * b_s, mask=inside, other=0.0)
        tl.store(o_ptr + row * n_cols + idx, (v - mean) * inv * w + b, mask=inside)


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    rows, cols = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    layer_norm_rows[(rows,)](
        x, weight, bias, out, cols, eps,
        x.stride(0), x.stride(1), weight.stride(0), bias.stride(0), CHUNK=CHUNK,
    )
    return out
