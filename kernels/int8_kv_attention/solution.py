import torch
import triton
import triton.language as tl


@triton.jit
def int8_kv_kernel(
    q_ptr, k_ptr, k_scale_ptr, v_ptr, v_scale_ptr, out_ptr, tokens, factor,
    k_head, k_token, k_dim, ks_head, ks_token, v_head, v_token, v_dim, vs_head, vs_token,
    GROUP: tl.constexpr, HEADS: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr,
):
    # One program: a head of keys and values, and all query heads of its group. So each byte of
    # the cache is loaded once, however many query heads read it.
    shared = tl.program_id(0).to(tl.int64)
    member, dim = tl.arange(0, HEADS), tl.arange(0, D)
    exists = (member < GROUP)[:, None]
    at = (shared * GROUP + member)[:, None] * D + dim[None, :]
    q = tl.load(q_ptr + at, mask=exists, other=0.0) * factor
    largest = tl.full([HEADS], float("-inf"), tl.float32)
    total = tl.zeros([HEADS], tl.float32)
    acc = tl.zeros([HEADS, D], tl.float32)
    for start in range(0, tokens, BLOCK):
        token = (start + tl.arange(0, BLOCK)).to(tl.int64)
        there = token < tokens
        # Steps of the keys, as [D, BLOCK]. They become float32 in registers, and nowhere else.
        k = tl.load(
            k_ptr + shared * k_head + token[None, :] * k_token + dim[:, None] * k_dim,
            mask=there[None, :], other=0,
        )
        k_scale = tl.load(
            k_scale_ptr + shared * ks_head + token * ks_token, mask=there, other=0.0
        )
        # A token has one scale for all numbers of its key, so it leaves the sum over them.
        scores = tl.dot(q, k.to(tl.float32), input_precision="ieee") * k_scale[None, :]
        scores = tl.where(there[None, :], scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weight = tl.exp(scores - new[:, None])
        old = tl.exp(largest - new)
        # The sum of the weights knows nothing of the values, nor of their scales.
        total = total * old + tl.sum(weight, axis=1)
        v = tl.load(
            v_ptr + shared * v_head + token[:, None] * v_token + dim[None, :] * v_dim,
            mask=there[:, None], other=0,
        )
        v_scale = tl.load(
            v_scale_ptr + shared * vs_head + token * vs_token, mask=there, other=0.0
        )
        # The sum over tokens has another scale in each term. So it goes into the term's weight.
        scaled = weight * v_scale[None, :]
        acc = tl.dot(scaled, v.to(tl.float32), acc * old[:, None], input_precision="ieee")
        largest = new
    tl.store(out_ptr + at, acc / total[:, None], mask=exists)


def int8_kv_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    k_scale: torch.Tensor,
    v: torch.Tensor,
    v_scale: torch.Tensor,
) -> torch.Tensor:
    """Return softmax(q @ keys.T * D**-0.5) @ values, float32 [heads, D], from a cache of int8."""
    (heads, dim), (shared, tokens, _) = q.shape, k.shape
    group = heads // shared
    out = torch.empty_like(q)
    int8_kv_kernel[(shared,)](
        q, k, k_scale, v, v_scale, out, tokens, dim**-0.5,
        *k.stride(), *k_scale.stride(), *v.stride(), *v_scale.stride(),
        GROUP=group, HEADS=max(16, triton.next_power_of_2(group)), D=dim, BLOCK=32,
    )
    return out
