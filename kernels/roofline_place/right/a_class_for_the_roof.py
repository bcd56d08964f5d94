from dataclasses import dataclass

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


@dataclass(frozen=True)
class Roof:
    peaks: dict
    bandwidth: float

    def times(self, units, flops, nbytes):
        return 1e6 * flops / self.peaks[units], 1e6 * nbytes / self.bandwidth


def roofline_place(runs, peaks, bandwidth, launch):
    roof = Roof(dict(peaks), bandwidth)
    out = torch.empty(len(runs), 4, dtype=torch.float64)
    for row, (units, flops, nbytes, us) in zip(out, runs, strict=True):
        arithmetic, memory = roof.times(units, flops, nbytes)
        longest = sorted((arithmetic, memory))[-1]
        row[0], row[1], row[2] = flops / nbytes, longest, longest * 100 / us
        row[3] = 2 if longest < launch else 1 if arithmetic >= memory else 0
    return out
