import torch


def up(a, b):
    whole, rest = divmod(a, b)
    return whole + (rest > 0)


def ridge_batch(model, contexts, gpu):
    w, bits, a, t = model
    f, bw, m = gpu
    size = w * bits // 8
    gains = [(2 * w + a * c) * bw - t * c * f for c in contexts.tolist()]
    first = [up(size * f, g) if g > 0 else 0 for g in gains]
    second = [(m - size) // (t * c) if m > size else 0 for c in contexts.tolist()]
    return torch.tensor([first, second]).t().contiguous()
