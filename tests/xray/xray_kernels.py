"""Kernels in the styles of Triton's own tutorials, for X-rays. Never imported: loaded as a learner's."""

import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@triton.jit
def _exponentials(row):
    return tl.exp(row - tl.max(row, axis=0))


@triton.jit
def softmax(x_ptr, out_ptr, stride, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    start = tl.program_id(0) * stride
    row = tl.load(x_ptr + start + at, mask=at < columns, other=-float("inf"))
    top = _exponentials(row)
    tl.store(out_ptr + start + at, top / tl.sum(top, axis=0), mask=at < columns)


@triton.autotune(
    configs=[
        triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_warps=4, num_stages=3),
        triton.Config({"BM": 128, "BN": 128, "BK": 32}, num_warps=8, num_stages=3),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def attention(q, k, v, out, scale, tokens, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1) * tokens * D
    lanes = tl.arange(0, D)
    query = tl.load(q + head + rows[:, None] * D + lanes[None, :])
    most = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, tokens, BN):
        at = start + tl.arange(0, BN)
        keys = tl.load(k + head + lanes[:, None] + at[None, :] * D)
        scores = tl.dot(query, keys) * scale
        higher = tl.maximum(most, tl.max(scores, 1))
        chances = tl.exp(scores - higher[:, None])
        shrink = tl.exp(most - higher)
        weight = weight * shrink + tl.sum(chances, 1)
        values = tl.load(v + head + at[:, None] * D + lanes[None, :])
        total = tl.dot(chances.to(values.dtype), values, total * shrink[:, None])
        most = higher
    out_rows = out + head + rows[:, None] * D + lanes[None, :]
    tl.store(out_rows, (total / weight[:, None]).to(out.dtype.element_ty))


@triton.jit
def greedy(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Holds many blocks at once: with few registers some are spilled."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + at)
    b = tl.load(x_ptr + BLOCK + at)
    c = tl.cumsum(a, 0)
    d = tl.cumsum(b, 0)
    tl.debug_barrier()
    tl.store(out_ptr + at, a * d + b * c)
    tl.store(out_ptr + BLOCK + at, a - b)
    tl.store(out_ptr + 2 * BLOCK + at, c - d)


@triton.jit
def broken(x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, undefined_name)  # noqa: F821


NOT_A_KERNEL = 3


def fits(configs, arguments, **keywords):
    return [each for each in configs if each.kwargs["BLOCK"] <= keywords["n"]]


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 64}, num_warps=2)],
    key=["n"],
    prune_configs_by={"early_config_prune": fits},
)
@triton.jit
def staged(x_ptr, n, num_stages: tl.constexpr, BLOCK: tl.constexpr):
    for start in tl.range(0, n, BLOCK, num_stages=num_stages):
        at = start + tl.arange(0, BLOCK)
        tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


def suits_dtype(configs, arguments, **keywords):
    most = 512 // arguments["x_ptr"].element_size()
    return [each for each in configs if each.kwargs["BLOCK"] <= most]


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in (256, 64, 128, 32)],
    key=["n"],
    prune_configs_by={
        "early_config_prune": suits_dtype,
        "perf_model": lambda x_ptr, n, BLOCK, **options: n / BLOCK,
        "top_k": 2,
    },
)
@triton.heuristics({"HALF": lambda given: given["x_ptr"].dtype.itemsize == 2})
@triton.jit
def modelled(x_ptr, n, BLOCK: tl.constexpr, HALF: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 0.0 if HALF else 1.0, mask=at < n)


@triton.jit
def sines(x, out, n, BLOCK: tl.constexpr):
    """The sine of large arguments keeps an array in the frame; nothing is spilled."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.sin(tl.load(x + at, mask=at < n)), mask=at < n)


@triton.jit
def printed(x, BLOCK: tl.constexpr):
    """What is printed is gathered in the frame."""
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.device_print("value", value)
    tl.store(x + at, value + 1)
