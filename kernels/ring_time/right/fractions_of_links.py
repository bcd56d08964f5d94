import torch


def ring_time(counts, itemsize, alpha, gbit):
    """One number at a time, in Python's integers."""
    rates = gbit.tolist()
    n = len(rates)
    times = []
    for count in counts.tolist():
        part = -(-count // n) * itemsize
        slowest = max(alpha * 1000 + part * 8000 // rate for rate in rates)
        times.append((n - 1) * 2 * slowest)
    return torch.tensor(times)
