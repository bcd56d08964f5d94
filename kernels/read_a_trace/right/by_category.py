"""One pass over the events sorts them into categories; delays come from a join."""

import json
from collections import defaultdict

import torch

PRODUCTS_A_STEP = 23

GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def survey(trace: str) -> torch.Tensor:
    """[kernels, busy, span, longest gap, waiting, mean delay] of a trace, us, float64."""
    by_category = defaultdict(list)
    for event in json.loads(trace)["traceEvents"]:
        if "dur" in event:
            by_category[event["cat"]].append(event)
    calls = by_category["cuda_runtime"] + by_category["cuda_driver"]
    kernels = by_category["kernel"]
    busy, span, gap = occupied([e for cat in GPU for e in by_category[cat]])
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
    work = sorted(work, key=lambda e: e["ts"])
    first = reached = work[0]["ts"]
    busy = gap = 0.0
    for event in work:
        start, end = event["ts"], event["ts"] + event["dur"]
        gap = max(gap, start - reached)
        busy += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return busy, reached - first, gap
