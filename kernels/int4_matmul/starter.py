import torch
import triton
import triton.language as tl


@triton.jit
def int4_kernel(
    x_ptr,
    packed_ptr,
    scale_ptr,
    out_ptr,
    M,
    N,
    K,
    x_row,
    x_col,
    GROUP: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = (start + tl.arange(0, BLOCK_K)).to(tl.int64)
        x = tl.load(
            x_ptr + rows[:, None] * x_row + k[None, :] * x_col,
            mask=(rows[:, None] < M) & (k[None, :] < K),
            other=0.0,
        )
        # Write it: load this step's bytes and scales,
        # make float16 tiles of them, and multiply.
    at = out_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


def int4_matmul(x: torch.Tensor, packed: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return x @ w.T, float16 [M, N]. x is float16 [M, K], w the codes of `packed` with `scale`."""
    (m, k), n = x.shape, packed.shape[0]
    out = torch.empty((m, n), dtype=torch.float16, device=x.device)
    blocks = {"BLOCK_M": 16, "BLOCK_N": 64, "BLOCK_K": 64}
    grid = (triton.cdiv(m, blocks["BLOCK_M"]), triton.cdiv(n, blocks["BLOCK_N"]))
    group = k // scale.shape[1]
    int4_kernel[grid](x, packed, scale, out, m, n, k, *x.stride(), GROUP=group, **blocks)
    return out
