import torch


def gqa_share(weight, heads, kv_heads):
    rows = weight.shape[0] // heads
    group = heads // kv_heads
    new = []
    for j in range(kv_heads):
        old = [weight[h * rows : (h + 1) * rows].double() for h in range(j * group, (j + 1) * group)]
        new.append(torch.stack(old).mean(0))
    return torch.cat(new).to(weight.dtype)
