import torch

ATTAINABLE_US = 3 * 4 * 2**24 / 4.8e12 * 1e6
PERCENT = ATTAINABLE_US / 52.4 * 100


def my_kernels() -> list:
    """[units, flops, nbytes, us] of vector_add, row_softmax and tiled_matmul."""
    n, elements, side = 2**24, 4096 * 1024, 2048
    return [
        ["fp32", n, 3 * 4 * n, 52.4],
        ["fp32", 5 * elements, 2 * 4 * elements, 10.0],
        ["tf32", 2 * side**3, 3 * 4 * side**2, 50.0],
    ]


def roofline_place(runs, peaks, bandwidth, launch):
    peaks = dict(peaks)
    arithmetic = [run[1] / (peaks[run[0]] / 1e6) for run in runs]
    memory = [run[2] / (bandwidth / 1e6) for run in runs]
    least = [max(pair) for pair in zip(arithmetic, memory, strict=True)]
    intensity = [run[1] / run[2] for run in runs]
    percent = [time / run[3] * 100 for time, run in zip(least, runs, strict=True)]
    limit = [float(a >= m) for a, m in zip(arithmetic, memory, strict=True)]
    limit = [2.0 if time < launch else each for time, each in zip(least, limit, strict=True)]
    return torch.tensor([intensity, least, percent, limit], dtype=torch.float64).T
