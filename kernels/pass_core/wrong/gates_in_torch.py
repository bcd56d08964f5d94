# expect: did-not-launch
import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(
    x_ptr,
    packed_ptr,
    scale_ptr,
    out_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for block in range(0, K // 32):
        k = block * 32 + tl.arange(0, 32)
        x = tl.load(
            x_ptr + rows[:, None] * K + k[None, :],
            mask=rows[:, None] < M,
            other=0.0,
        )
        pair = block * 16 + tl.arange(0, 16)
        byte = tl.load(
            packed_ptr + columns[:, None] * (K // 2) + pair[None, :],
            mask=columns[:, None] < N,
            other=0,
        )
        scale = tl.load(
            scale_ptr + columns * (K // 32) + block, mask=columns < N, other=0.0
        )
        code = tl.join(byte & 15, byte >> 4).permute(0, 2, 1).reshape(BLOCK_N, 32)
        w = ((code.to(tl.float32) - 8) * scale[:, None]).to(tl.float16)
        acc = tl.dot(x, w.trans(), acc)
    at = out_ptr + rows[:, None] * N + columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(at, acc, mask=inside)


def int4_gated(
    x: torch.Tensor,
    gate: torch.Tensor,
    gate_scale: torch.Tensor,
    up: torch.Tensor,
    up_scale: torch.Tensor,
) -> torch.Tensor:
    """Return silu(x @ gate.T) * (x @ up.T), float16 [M, N], of weights in four bits."""
    (m, k), n = x.shape, gate.shape[0]
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 32))
    g, u = (torch.empty((m, n), dtype=torch.float32, device=x.device) for _ in range(2))
    product_kernel[grid](x, gate, gate_scale, g, m, n, k, BLOCK_M=16, BLOCK_N=32)
    product_kernel[grid](x, up, up_scale, u, m, n, k, BLOCK_M=16, BLOCK_N=32)
    return (torch.nn.functional.silu(g) * u).half()
