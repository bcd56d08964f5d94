# expect: too-wide-block or timeout
import torch
import triton
import triton.language as tl


@triton.jit
def steps_of(code, scale):
    # 8 is taken off a float: in uint8, 3 - 8 would be 251.
    return ((code.to(tl.float32) - 8) * scale).to(tl.float16)


@triton.jit
def gated_kernel(
    x_ptr,
    gate_ptr,
    gate_scale_ptr,
    up_ptr,
    up_scale_ptr,
    out_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    ALL: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    gate = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    up = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    pair = tl.arange(0, ALL)
    inside = pair < K // 2
    at = x_ptr + rows[:, None] * K + (pair // 16 * 32 + pair % 16)[None, :]
    there = (rows[:, None] < M) & inside[None, :]
    first = tl.load(at, mask=there, other=0.0)
    second = tl.load(at + 16, mask=there, other=0.0)
    place = columns[None, :] * (K // 2) + pair[:, None]
    scales = columns[None, :] * (K // 32) + (pair // 16)[:, None]
    also = (columns[None, :] < N) & inside[:, None]
    byte = tl.load(gate_ptr + place, mask=also, other=0)
    scale = tl.load(gate_scale_ptr + scales, mask=also, other=0.0)
    gate = tl.dot(first, steps_of(byte & 15, scale), gate)
    gate = tl.dot(second, steps_of(byte >> 4, scale), gate)
    byte = tl.load(up_ptr + place, mask=also, other=0)
    scale = tl.load(up_scale_ptr + scales, mask=also, other=0.0)
    up = tl.dot(first, steps_of(byte & 15, scale), up)
    up = tl.dot(second, steps_of(byte >> 4, scale), up)
    out = gate / (1 + tl.exp(-gate)) * up
    at = out_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, out.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


def int4_gated(
    x: torch.Tensor,
    gate: torch.Tensor,
    gate_scale: torch.Tensor,
    up: torch.Tensor,
    up_scale: torch.Tensor,
) -> torch.Tensor:
    """Return silu(x @ gate.T) * (x @ up.T), float16 [M, N], of weights in four bits."""
    (m, k), n = x.shape, gate.shape[0]
    out = torch.empty((m, n), dtype=torch.float16, device=x.device)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 256))
    gated_kernel[grid](x, gate, gate_scale, up, up_scale, out, m, n, k, BLOCK_M=16, BLOCK_N=256,
        ALL=triton.next_power_of_2(k // 2),
    )
    return out
