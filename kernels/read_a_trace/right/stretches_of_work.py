"""Work that touches is merged into stretches; the gaps lie between them."""

import json
from itertools import pairwise

import torch

PRODUCTS_A_STEP = 23

GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def survey(trace: str) -> torch.Tensor:
    """[kernels, busy, span, longest gap, waiting, mean delay] of a trace, us, float64."""
    events = [e for e in json.loads(trace)["traceEvents"] if e["ph"] == "X"]
    calls = [e for e in events if e["cat"] in ("cuda_runtime", "cuda_driver")]
    kernels = [e for e in events if e["cat"] == "kernel"]
    busy, span, gap = occupied([e for e in events if e["cat"] in GPU])
    waiting = sum(e["dur"] for e in calls if "Synchronize" in e["name"])
    launched = {e["args"]["correlation"]: e["ts"] for e in calls}
    delays = [
        e["ts"] - launched[e["args"]["correlation"]]
        for e in kernels
        if e["args"]["correlation"] in launched
    ]
    delay = sum(delays) / len(delays) if delays else 0.0
    found = [len(kernels), busy, span, gap, waiting, delay]
    return torch.tensor(found, dtype=torch.float64)


def occupied(work: list[dict]) -> tuple[float, float, float]:
    """us in which something ran, us from first start to last end, longest gap in between."""
    merged: list[list[float]] = []  # stretches of work, none touching the next
    for start, end in sorted((e["ts"], e["ts"] + e["dur"]) for e in work):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    if not merged:
        return 0.0, 0.0, 0.0
    gaps = [after[0] - before[1] for before, after in pairwise(merged)]
    busy = sum(end - start for start, end in merged)
    return busy, merged[-1][1] - merged[0][0], max(gaps, default=0.0)
