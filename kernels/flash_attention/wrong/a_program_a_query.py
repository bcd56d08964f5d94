# expect: too-wide-block
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale, causal, D: tl.constexpr, BLOCK: tl.constexpr
):
    head, query = tl.program_id(0), tl.program_id(1)
    dim = tl.arange(0, D)
    key = tl.arange(0, BLOCK)
    start = head * tokens * D
    q = tl.load(q_ptr + start + query * D + dim)
    end = query + 1 if causal else tokens
    at = start + key[:, None] * D + dim[None, :]
    there = key < end
    k = tl.load(k_ptr + at, mask=there[:, None], other=0.0)
    s = tl.where(there, tl.sum(k * q[None, :], axis=1) * scale, float("-inf"))
    p = tl.exp(s - tl.max(s, axis=0))
    v = tl.load(v_ptr + at, mask=there[:, None], other=0.0)
    out = tl.sum(p[:, None] * v, axis=0) / tl.sum(p, axis=0)
    tl.store(out_ptr + start + query * D + dim, out)


def attention(q, k, v, causal):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    heads, tokens, dim = q.shape
    out = torch.empty_like(q)
    attention_kernel[(heads, tokens)](
        q, k, v, out, tokens, dim**-0.5, causal, D=dim, BLOCK=triton.next_power_of_2(tokens)
    )
    return out
