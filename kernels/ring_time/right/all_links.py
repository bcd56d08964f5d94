import torch


def ring_time(counts, itemsize, alpha, gbit):
    """A table of messages, one row a vector and one column a link."""
    n = len(gbit)
    parts = torch.div(counts + (n - 1), n, rounding_mode="floor")
    messages = 1000 * alpha + parts[:, None] * itemsize * (8000 // gbit)[None, :]
    total = torch.zeros_like(counts)
    for _ in range(2 * n - 2):
        total = total + messages.amax(1)
    return total
