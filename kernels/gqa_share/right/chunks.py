import torch


def gqa_share(weight, heads, kv_heads):
    old = [part.double() for part in weight.chunk(heads, 0)]
    group = heads // kv_heads
    new = [sum(old[j : j + group]) / group for j in range(0, heads, group)]
    return torch.cat(new).to(weight.dtype).contiguous()
