import torch


def gptq(w, x, group):
    left, x = w.double().clone(), x.double()
    k = left.shape[1]
    h = torch.einsum("ti,tj->ij", x, x)
    h += torch.diag(h.diagonal().mean().expand(k) * 0.01)
    factor = torch.linalg.cholesky(torch.linalg.inv(h), upper=True)
    unit = factor / factor.diagonal()[:, None]
    parts = []
    for start in range(0, k, group):
        stop = start + group
        block = left[:, start:stop].clone()
        scale = block.abs().amax(1, keepdim=True) / 7
        errors = torch.zeros_like(block)
        for i in range(group):
            one = block[:, i : i + 1]
            rounded = torch.nan_to_num(one / scale, nan=0.0).round().clamp(-8, 7) * scale
            errors[:, i : i + 1] = one - rounded
            row = unit[start + i, start + i + 1 : stop]
            block[:, i + 1 :] -= errors[:, i : i + 1] * row
            block[:, i : i + 1] = rounded
        parts.append(block)
        left[:, stop:] -= errors @ unit[start:stop, stop:]
    return torch.cat(parts, 1)
