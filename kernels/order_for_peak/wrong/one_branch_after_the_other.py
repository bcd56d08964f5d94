# expect: wrong-values
import torch


def find_order(reads, size):
    """Make all that an output needs, depth first, then the next output."""
    n, order = len(size), []

    def make(i):
        if i not in order:
            for j in range(n):
                if reads[i][j]:
                    make(j)
            order.append(i)

    for i in range(n):
        if not any(reads[k][i] for k in range(n)):
            make(i)
    peak = 0
    for at, i in enumerate(order):
        done = order[:at]
        peak = max(peak, size[i] + sum(
            size[j] for j in done
            if not any(reads[k][j] for k in range(n))
            or any(reads[k][j] for k in range(n) if k not in done)
        ))
    return peak, order


def least_peak(reads, size):
    return torch.tensor([find_order(reads.tolist(), size.tolist())[0]])


def order(reads, size):
    return torch.tensor(find_order(reads.tolist(), size.tolist())[1])
