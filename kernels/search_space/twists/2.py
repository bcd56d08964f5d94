import itertools

import torch


def runnable(values, machine):
    shared, registers, threads = machine
    ms, ns, ks, ws, ss = values
    for w in (w for w in ws if 32 * w <= threads):
        for m, n in itertools.product(ms, ns):
            if m * n > 32 * w * (registers - 32):
                continue
            for k, s in itertools.product(ks, ss):
                if (s - (m < 64)) * (m + n) * k <= shared // 2:
                    yield m, n, k, w, s


def count(values, machine):
    free = 10**9
    limits = [
        [free] * 3,
        [free, free, machine[2]],
        [free, machine[1], free],
        [machine[0], free, free],
        machine,
    ]
    return torch.tensor([sum(1 for _ in runnable(values, each)) for each in limits])
