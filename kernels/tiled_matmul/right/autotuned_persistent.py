import torch
import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"BM": 32, "BN": 64, "BK": 32}, num_warps=4, num_stages=2),
    triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_warps=8, num_stages=2),
]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    tiles_n = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * tiles_n, tl.num_programs(0)):
        rows = tile // tiles_n * BM + tl.arange(0, BM)[:, None]
        columns = tile % tiles_n * BN + tl.arange(0, BN)[None, :]
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for start in range(0, K, BK):
            k = start + tl.arange(0, BK)
            x = tl.load(
                a_ptr + rows * K + k[None, :], mask=(rows < M) & (k[None, :] < K), other=0.0
            )
            y = tl.load(
                b_ptr + k[:, None] * N + columns, mask=(k[:, None] < K) & (columns < N), other=0.0
            )
            acc = tl.dot(x, y, acc, input_precision="ieee")
        tl.store(c_ptr + rows * N + columns, acc, mask=(rows < M) & (columns < N))


def matmul(a, b):
    a, b = a.contiguous(), b.contiguous()
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    matmul_kernel[(4,)](a, b, c, m, n, k)
    return c
