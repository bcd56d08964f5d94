"""Starts and ends are tensors."""

import json

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
    if not work:
        return 0.0, 0.0, 0.0
    rows = torch.tensor([[e["ts"], e["ts"] + e["dur"]] for e in work], dtype=torch.float64)
    start, end = rows[rows[:, 0].argsort()].T
    reached = torch.cummax(end, 0).values
    gaps = (start[1:] - reached[:-1]).clamp(min=0)
    span = reached[-1] - start[0]
    return float(span - gaps.sum()), float(span), float(gaps.max()) if len(gaps) else 0.0
