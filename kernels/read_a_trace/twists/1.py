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
    edges = [(e["ts"], 1) for e in work] + [(e["ts"] + e["dur"], -1) for e in work]
    busy = gap = 0.0
    open_ones, before = 0, None
    for at, change in sorted(edges, key=lambda edge: (edge[0], -edge[1])):
        if open_ones:
            busy += at - before
        elif before is not None:
            gap = max(gap, at - before)
        open_ones, before = open_ones + change, at
    return busy, max(edges)[0] - min(edges)[0] if edges else 0.0, gap
