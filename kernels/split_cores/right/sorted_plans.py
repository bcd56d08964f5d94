import functools
from statistics import median

import torch


def split_cores(times, threads, machine, moved, limit):
    cores, bandwidth = machine
    plans = [
        (s, t, max(median(row) * bandwidth, s * moved * 10**9))
        for t, row in zip(threads.tolist(), times.tolist(), strict=True)
        for s in range(1, cores // t + 1)
    ]
    plans = [plan for plan in plans if plan[2] <= limit * bandwidth]

    def order(one, other):
        faster = other[0] * one[2] - one[0] * other[2]
        return faster or one[2] - other[2] or one[1] - other[1]

    plans.sort(key=functools.cmp_to_key(order))
    s, t, _ = plans[0] if plans else (0, 0, 0)
    return torch.tensor([s, t])
