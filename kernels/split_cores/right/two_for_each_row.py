from fractions import Fraction

import torch


def split_cores(times, threads, machine, moved, limit):
    cores, bandwidth = machine
    each = Fraction(moved * 10**9, bandwidth)
    best = None
    for t, row in zip(threads.tolist(), times.tolist(), strict=True):
        alone = sorted(row)[len(row) // 2]
        # Up to `below` streams the threads' own time is the longer one; with one more the memory's is.
        below = int(alone / each)
        for s in {min(below, cores // t), min(below + 1, cores // t)}:
            time = max(Fraction(alone), s * each)
            if s < 1 or time > limit:
                continue
            key = (-s / time, time, t)
            if best is None or key < best[0]:
                best = key, [s, t]
    return torch.tensor(best[1] if best else [0, 0])
