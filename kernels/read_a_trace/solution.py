import json

import torch

# Eight `aten::addmm` forwards. Backwards two `aten::mm` a layer, one for the weights and one for the
# layer below; the first layer has no layer below.
PRODUCTS_A_STEP = 23

GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def survey(trace: str) -> torch.Tensor:
    """[kernels, busy, span, longest gap, waiting, mean delay] of a trace, us, float64."""
    # Flow arrows, counters and names are events too, and have no duration.
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
    work = sorted(work, key=lambda e: e["ts"])
    first = reached = work[0]["ts"]
    busy = gap = 0.0
    for event in work:
        start, end = event["ts"], event["ts"] + event["dur"]
        # `reached` is the latest end so far, not the end of the event before: a short kernel may
        # run inside a long one of another stream.
        gap = max(gap, start - reached)
        busy += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return busy, reached - first, gap
