import torch


def pack_int4(w, scale):
    n, k = w.shape
    out = torch.zeros(n, k // 2, dtype=torch.uint8, device=w.device)
    group = k // scale.shape[1]
    for j in range(k):
        step = scale[:, j // group].double()
        code = torch.where(step > 0, torch.round(w[:, j].double() / step), torch.zeros_like(step))
        code = (code + 7).clamp(0, 14).to(torch.uint8)
        out[:, j // 2] |= code << (4 * (j % 2))
    return out
