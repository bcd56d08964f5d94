import torch


def gptq(w, x, group):
    now, x = w.to(torch.float64, copy=True), x.to(torch.float64)
    k = now.shape[1]
    h = x.mT @ x
    h.diagonal().add_(h.trace() / k / 100)
    for start in range(0, k, group):
        scale = now[:, start : start + group].abs().max(dim=1).values / 7
        safe = torch.where(scale > 0, scale, torch.ones_like(scale))
        for j in range(start, start + group):
            rounded = (now[:, j] / safe).round().clamp(-8, 7) * scale
            off = now[:, j] - rounded
            now[:, j] = rounded
            if j + 1 < k:
                # What is best for the rest, from its own normal equations.
                rest = torch.linalg.solve(h[j + 1 :, j + 1 :], h[j + 1 :, j])
                now[:, j + 1 :] += torch.outer(off, rest)
    return now.contiguous()
