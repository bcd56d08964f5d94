import torch
import triton
import triton.language as tl

BLOCK = 16


@triton.jit
def load_rows(ptr, head, row, tokens, D: tl.constexpr):
    at = ptr + (head + row[:, None]) * D + tl.arange(0, D)[None, :]
    return tl.load(at, mask=row[:, None] < tokens, other=0.0)


@triton.jit
def weights_and_slopes(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    logsum_ptr,
    grad_ptr,
    head,
    query,
    key,
    tokens,
    scale,
    D: tl.constexpr,
):
    q = load_rows(q_ptr, head, query, tokens, D)
    k = load_rows(k_ptr, head, key, tokens, D)
    v = load_rows(v_ptr, head, key, tokens, D)
    grad = load_rows(grad_ptr, head, query, tokens, D)
    out = load_rows(out_ptr, head, query, tokens, D)
    logsum = tl.load(logsum_ptr + head + query, mask=query < tokens, other=float("inf"))
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    s = tl.where(key[None, :] < tokens, s, float("-inf"))
    p = tl.exp(s - logsum[:, None])
    dp = tl.dot(grad, tl.trans(v), input_precision="ieee")
    delta = tl.sum(grad * out, axis=1)
    return p, p * (dp - delta[:, None]) * scale


@triton.jit
def keys_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    logsum_ptr,
    grad_ptr,
    dk_ptr,
    dv_ptr,
    tokens,
    scale,
    D: tl.constexpr,
    BLOCK: tl.constexpr,
):
    head = tl.program_id(0).to(tl.int64) * tokens
    key = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    dk = tl.zeros([BLOCK, D], tl.float32)
    dv = tl.zeros([BLOCK, D], tl.float32)
    for start in range(0, tokens, BLOCK):
        query = start + tl.arange(0, BLOCK)
        p, ds = weights_and_slopes(
            q_ptr, k_ptr, v_ptr, out_ptr, logsum_ptr, grad_ptr, head, query, key, tokens, scale, D
        )
        q = load_rows(q_ptr, head, query, tokens, D)
        grad = load_rows(grad_ptr, head, query, tokens, D)
        dk = tl.dot(tl.trans(ds), q, dk, input_precision="ieee")
        dv = tl.dot(tl.trans(p), grad, dv, input_precision="ieee")
    at = (head + key[:, None]) * D + tl.arange(0, D)[None, :]
    tl.store(dk_ptr + at, dk, mask=key[:, None] < tokens)
    tl.store(dv_ptr + at, dv, mask=key[:, None] < tokens)


@triton.jit
def queries_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    logsum_ptr,
    grad_ptr,
    dq_ptr,
    tokens,
    scale,
    D: tl.constexpr,
    BLOCK: tl.constexpr,
):
    head = tl.program_id(0).to(tl.int64) * tokens
    query = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    dq = tl.zeros([BLOCK, D], tl.float32)
    for start in range(0, tokens, BLOCK):
        key = start + tl.arange(0, BLOCK)
        _, ds = weights_and_slopes(
            q_ptr, k_ptr, v_ptr, out_ptr, logsum_ptr, grad_ptr, head, query, key, tokens, scale, D
        )
        k = load_rows(k_ptr, head, key, tokens, D)
        dq = tl.dot(ds, k, dq, input_precision="ieee")
    at = dq_ptr + (head + query[:, None]) * D + tl.arange(0, D)[None, :]
    tl.store(at, dq, mask=query[:, None] < tokens)


def attention_backward(q, k, v, out, logsum, grad):
    heads, tokens, dim = q.shape
    d = torch.empty((3, heads, tokens, dim), dtype=q.dtype, device=q.device)
    grid, scale = (heads, triton.cdiv(tokens, BLOCK)), dim**-0.5
    given = q, k, v, out, logsum, grad
    keys_kernel[grid](*given, d[1], d[2], tokens, scale, D=dim, BLOCK=BLOCK)
    queries_kernel[grid](*given, d[0], tokens, scale, D=dim, BLOCK=BLOCK)
    return d
