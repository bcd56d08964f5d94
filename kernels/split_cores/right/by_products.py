import torch


def split_cores(times, threads, machine, moved, limit):
    cores, bandwidth = machine
    # All times in nanoseconds times bandwidth, so that they are integers.
    best = (0, 1, 0)
    middle = times.median(dim=1).values
    for i in range(len(threads)):
        t, alone = int(threads[i]), int(middle[i]) * bandwidth
        for s in range(1, cores + 1):
            time = max(alone, s * moved * 10**9)
            if s * t > cores or time > limit * bandwidth:
                continue
            left, right = s * best[1], best[0] * time
            if left > right or (left == right and (time, t) < (best[1], best[2])):
                best = (s, time, t)
    return torch.tensor([best[0], best[2]], dtype=torch.int64)
