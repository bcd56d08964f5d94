import torch


def count(values, machine):
    shared, registers, threads = machine
    m, n, k, w, s = torch.meshgrid(*map(torch.tensor, values), indexing="ij")
    lanes = 32 * w
    fits = torch.stack(
        (
            lanes <= threads,
            m * n + 32 * lanes <= registers * lanes,
            (s - (m < 64).long()) * (m + n) * k * 2 <= shared,
        )
    )
    counts = [m.numel(), *fits.flatten(1).sum(1).tolist(), fits.all(0).sum().item()]
    return torch.tensor(counts)
