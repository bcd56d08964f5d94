import torch

ATTAINABLE_US = 0.0  # 2**24 additions on an H200
PERCENT = 0.0  # of the attainable speed, at 52.4 us


def my_kernels() -> list:
    """[units, flops, nbytes, us] of vector_add, row_softmax and tiled_matmul."""
    return [
        ["fp32", 0, 0, 1.0],
        ["fp32", 0, 0, 1.0],
        ["tf32", 0, 0, 1.0],
    ]


def roofline_place(runs: list, peaks: list, bandwidth: float, launch: float) -> torch.Tensor:
    """Intensity, attainable us, per cent of the attainable speed, limit: a row a run, float64."""
    rows = []
    for _units, flops, nbytes, _us in runs:
        rows.append([flops / nbytes, 0, 0, 0])
    # Columns 1 to 3 are missing.
    return torch.tensor(rows, dtype=torch.float64)
