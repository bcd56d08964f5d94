"""Measure dense against 2:4 products in float16 on a CUDA GPU, and what torch stores of a 2:4 weight,
for Day 51.

    python tests/content/record_two_of_four.py > lessons/recorded/day-51.json

Medians and quartiles of a call's microseconds. All ways of one shape take turns in one run, and each
goes through several weights, so that none stays in the L2 cache. Twelve seconds on an H200.
"""

import json
import statistics
import sys
import time
import warnings

import torch
from torch.nn import functional as F

ROUNDS, BEGAN = 21, time.monotonic()


def two_four(w):
    group = w.view(w.shape[0], -1, 4)
    order = group.abs().argsort(dim=-1, descending=True, stable=True)
    mask = torch.zeros_like(group, dtype=torch.bool).scatter_(-1, order[..., :2], True)
    return torch.where(mask, group, 0).view_as(w)


def quartiles(seconds):
    low, middle, high = statistics.quantiles(seconds, n=4)
    return {"median_us": middle * 1e6, "low_us": low * 1e6, "high_us": high * 1e6}


def captured(calls):
    """Return a function that runs all calls once, as a CUDA graph where that works, and how."""
    for call in calls:
        call()
    torch.cuda.synchronize()
    try:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for call in calls[:2]:
                call()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = [call() for call in calls]
        graph.replay()
        torch.cuda.synchronize()
        return graph.replay, "graph", kept
    except Exception as error:
        torch.cuda.synchronize()
        return (lambda: [call() for call in calls]), f"loop: {str(error)[:120]}", None


def seconds_of(run):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 1e3


def measure(rows, n, k, copies):
    x = torch.randn(rows, k, device="cuda", dtype=torch.float16)
    full = [torch.randn(n, k, device="cuda", dtype=torch.float16) / k**0.5 for _ in range(copies)]
    zeroed = [two_four(w) for w in full]
    ways, notes = {}, {}

    def add(name, make):
        try:
            ways[name] = make()
            ways[name][0]()
            torch.cuda.synchronize()
        except Exception as error:
            ways.pop(name, None)
            notes[name] = f"{type(error).__name__}: {str(error)[:300]}"

    add("dense", lambda: [lambda w=w: F.linear(x, w) for w in full])
    add("dense, half of it zeros", lambda: [lambda w=w: F.linear(x, w) for w in zeroed])

    def of_class(kind):
        held = [kind.from_dense(w) for w in zeroed]
        return [lambda w=w: F.linear(x, w) for w in held]

    add("cusparselt", lambda: of_class(torch.sparse.SparseSemiStructuredTensorCUSPARSELT))
    add("cutlass", lambda: of_class(torch.sparse.SparseSemiStructuredTensorCUTLASS))

    def searched():
        packed = [torch._cslt_compress(w) for w in zeroed]
        best = torch._cslt_sparse_mm_search(packed[0], x.t())
        notes["alg_id found by search"] = int(best)
        return [lambda p=p: torch._cslt_sparse_mm(p, x.t(), alg_id=int(best)) for p in packed]

    add("cusparselt, searched", searched)

    wanted = F.linear(x, zeroed[0]).float()
    errors = {}
    for name, calls in ways.items():
        if name != "dense":
            got = calls[0]()
            got = got.t() if got.shape != wanted.shape or name.endswith("searched") else got
            errors[name] = ((got.float() - wanted).abs().max() / wanted.abs().max()).item()
    runs, how = {}, {}
    for name, calls in ways.items():
        runs[name], how[name], _ = captured(calls)
    times = {name: [] for name in runs}
    for each in range(ROUNDS + 3):
        for name, run in runs.items():
            taken = seconds_of(run) / copies
            if each >= 3:
                times[name].append(taken)
    found = {name: quartiles(taken) | {"by": how[name]} for name, taken in times.items()}
    base = times["dense"]
    for name, taken in times.items():
        ratio = [b / t for b, t in zip(base, taken, strict=True)]
        low, middle, high = statistics.quantiles(ratio, n=4)
        found[name]["times_as_fast"] = [round(low, 3), round(middle, 3), round(high, 3)]
    return {
        "rows": rows,
        "n": n,
        "k": k,
        "copies": copies,
        "ways": found,
        "notes": notes,
        "relative_error": errors,
    }


def stored(n, k):
    """What torch holds of a 2:4 weight, in bytes, and where the indices are."""
    w = two_four(torch.randn(n, k, device="cuda", dtype=torch.float16))
    found = {"n": n, "k": k, "dense_bytes": w.numel() * 2}
    group = (w != 0).view(n, -1, 4).int()
    index = torch.arange(4, device="cuda").expand_as(group)
    pair = torch.where(group > 0, index, 4).sort(dim=-1).values[..., :2]
    four = (pair[..., 0] | pair[..., 1] << 2).view(n, -1, 2)
    plain = (four[..., 0] | four[..., 1] << 4).to(torch.uint8)  # [n, k / 8]
    found["plain_index_bytes"] = plain.numel()
    values = w.view(n, -1, 4).gather(-1, pair).view(n, -1)
    try:
        held = torch.sparse.SparseSemiStructuredTensorCUTLASS.from_dense(w)
        meta = held.meta.contiguous().view(torch.uint8).flatten()
        found["cutlass"] = {
            "packed": [list(held.packed.shape), str(held.packed.dtype), held.packed.nbytes],
            "meta": [list(held.meta.shape), str(held.meta.dtype), held.meta.nbytes],
            "values_equal": bool((held.packed == values).all()),
            "same_bytes_in_some_order": bool(
                (meta.sort().values == plain.flatten().sort().values).all()
            ),
            "back": bool((held.to_dense() == w).all()),
        }
    except Exception as error:
        found["cutlass"] = f"{type(error).__name__}: {str(error)[:300]}"
    try:
        packed = torch._cslt_compress(w)
        raw = packed.contiguous().view(torch.uint8).flatten()
        head, tail = raw[: values.numel() * 2], raw[values.numel() * 2 :]
        flat = values.contiguous().view(torch.uint8).flatten()
        same = tail.numel() >= plain.numel()
        tail_used = tail[: plain.numel()]
        found["cusparselt"] = {
            "packed": [list(packed.shape), str(packed.dtype), packed.nbytes],
            "values_first": bool((head == flat).all()),
            "values_in_some_order": bool(
                (head.view(torch.int16).sort().values == flat.view(torch.int16).sort().values).all()
            ),
            "rest_bytes": tail.numel(),
            "indices_as_they_are": bool(same and (tail_used == plain.flatten()).all()),
            "same_bytes_in_some_order": bool(
                same and (tail_used.sort().values == plain.flatten().sort().values).all()
            ),
        }
    except Exception as error:
        found["cusparselt"] = f"{type(error).__name__}: {str(error)[:300]}"
    return found


def summary(found, day):
    """Return the recording of Day 51: `made_with`, and by name what was measured."""
    products = []
    for product in found["products"]:
        ways = {}
        for name, way in product["ways"].items():
            times = [round(way[key], 1) for key in ("median_us", "low_us", "high_us")]
            ways[name] = {"us": times, "times_as_fast": way["times_as_fast"]}
        products.append({key: product[key] for key in ("rows", "n", "k")} | {"ways": ways})
    refused = sorted({product["notes"].get("cutlass", "") for product in found["products"]} - {""})
    made_with = (
        f"torch {found['torch'].partition('+')[0]}, CUDA {found['cuda']}, "
        f"cuSPARSELt {found['cusparselt'] // 1000}.{found['cusparselt'] // 100 % 10}"
        f".{found['cusparselt'] % 100}, {found['device']}, {day}"
    )
    said = {"products": products, "stored": found["stored"], "cutlass": refused}
    return {"made_with": made_with, "said": said}


def main():
    warnings.filterwarnings("ignore")
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.manual_seed(51)
    found = {
        "device": torch.cuda.get_device_name(),
        "capability": list(torch.cuda.get_device_capability()),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "rounds": ROUNDS,
        "cusparselt": None,
        "stored": [],
        "products": [],
    }
    try:
        found["cusparselt"] = torch.backends.cusparselt.version()
    except Exception as error:
        found["cusparselt"] = str(error)[:200]
    for n, k in ((256, 512), (4096, 4096)):
        try:
            found["stored"].append(stored(n, k))
        except Exception as error:
            found["stored"].append({"n": n, "k": k, "error": str(error)[:300]})
    sizes = [
        (rows, n, k) for n, k in ((4096, 4096), (8192, 8192)) for rows in (16, 128, 1024, 8192)
    ]
    sizes += [(16, 14336, 4096), (2048, 14336, 4096)]
    for rows, n, k in sizes:
        if time.monotonic() - BEGAN > 85:
            found["stopped_before"] = [rows, n, k]
            break
        copies = 4 if n * k > 5e7 else 16  # so that the weights do not stay in the L2 cache
        try:
            found["products"].append(measure(rows, n, k, copies if rows <= 1024 else 4))
        except Exception as error:
            found["products"].append(
                {
                    "rows": rows,
                    "n": n,
                    "k": k,
                    "error": f"{type(error).__name__}: {str(error)[:400]}",
                }
            )
        torch.cuda.empty_cache()
    found["seconds"] = time.monotonic() - BEGAN
    json.dump(summary(found, time.strftime("%d %B %Y")), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
