"""By recursion: which step of a set runs last?"""

from functools import cache

import torch


def solve(reads, size):
    n, bytes_of = len(size), size.tolist()
    readers = [{k for k in range(n) if reads[k, j]} for j in range(n)]

    @cache
    def least(done):
        """The lowest peak with which just these steps can be done, and the last of them."""
        if not done:
            return 0, None
        best = None
        for i in done:
            if readers[i] & done:
                continue
            before = done - {i}
            held = sum(bytes_of[j] for j in before if not readers[j] or not readers[j] <= before)
            peak = max(least(before)[0], held + bytes_of[i])
            if best is None or peak < best[0]:
                best = peak, i
        return best

    steps, done = [], frozenset(range(n))
    peak = least(done)[0]
    while done:
        last = least(done)[1]
        steps.insert(0, last)
        done -= {last}
    return peak, steps


def least_peak(reads, size):
    return torch.tensor([solve(reads, size)[0]])


def order(reads, size):
    return torch.tensor(solve(reads, size)[1])
