# expect: wrong-values
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


def roofline_place(runs: list, peaks: list, bandwidth: float, launch: float) -> torch.Tensor:
    """Intensity, attainable us, per cent of the attainable speed, limit: a row a run, float64."""
    speed = dict(peaks)
    rows = []
    for units, flops, nbytes, us in runs:
        arithmetic = flops / speed[units] * 1e6
        memory = nbytes / bandwidth * 1e6
        attainable = max(arithmetic, memory)
        limit = 2 if attainable < launch else int(arithmetic >= memory)
        rows.append([nbytes / flops, attainable, attainable / us * 100, limit])
    return torch.tensor(rows, dtype=torch.float64)
