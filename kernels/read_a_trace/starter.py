import json

import torch

# `aten::mm` and `aten::addmm` in one step of the
# trace `as found`, forwards and backwards
PRODUCTS_A_STEP = 0


def survey(trace: str) -> torch.Tensor:
    """[kernels, busy, span, longest gap, waiting, mean delay] of a trace, us, float64."""
    events = [e for e in json.loads(trace)["traceEvents"] if e["ph"] == "X"]
    kernels = [e for e in events if e["cat"] == "kernel"]
    # Five more numbers.
    return torch.tensor([len(kernels), 0, 0, 0, 0, 0], dtype=torch.float64)
