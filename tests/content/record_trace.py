"""Record the trace that Day 11 reads, on this machine, and write it as a bounded JSON file.

    python tests/content/record_trace.py [--to lessons/recorded/trace-day-11.json]

One training step of a small network is profiled in two versions: `as found` asks for a number of each
layer (`.item()`), `repaired` keeps the same numbers as tensors and asks once, at the end. With a GPU the
trace has operators, calls of the CUDA runtime and GPU work; without one it has operators only, and the
file says so. Format: `tutor.course.trace`.
"""

import argparse
import json
import platform
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, record_function

from tutor.base import paths
from tutor.course.trace import CATEGORIES, MAX_EVENTS, trace_file

WARM, STEPS, DEPTH = 4, 2, 8  # steps before the recording, recorded steps, layers
MAX_NAME = 60  # characters of an event's name


def network(device: str) -> tuple[list[torch.nn.Linear], torch.Tensor]:
    """Make the layers and a batch: on a GPU of such a size that a layer takes somewhat longer than its
    launches."""
    rows, width = (4096, 1024) if device == "cuda" else (64, 256)
    torch.manual_seed(0)
    layers = [torch.nn.Linear(width, width, device=device) for _ in range(DEPTH)]
    return layers, torch.randn(rows, width, device=device)


def as_found(kept: list[Any], h: torch.Tensor) -> None:
    kept.append(h.detach().abs().mean().item())


def repaired(kept: list[Any], h: torch.Tensor) -> None:
    kept.append(h.detach().abs().mean())


def train(device: str, note: Callable[[list[Any], torch.Tensor], None]) -> list[list[Any]]:
    """Profile `STEPS` steps that call `note` after each layer. Return the rows of the trace."""
    layers, batch = network(device)
    optimizer = torch.optim.SGD([p for layer in layers for p in layer.parameters()], lr=1e-3)

    def step(kept: list[Any]) -> None:
        with record_function("forward"):
            h = batch
            for layer in layers:
                h = torch.relu(layer(h))
                note(kept, h)
            loss = (h * h).mean()
        note(kept, loss)
        with record_function("backward"):
            loss.backward()  # type: ignore[no-untyped-call]
        with record_function("update"):
            optimizer.step()
            optimizer.zero_grad()

    def steps(count: int) -> None:
        kept: list[Any] = []
        for _ in range(count):
            with record_function("step"):
                step(kept)
        with record_function("read"):  # the numbers reach Python here at the latest
            if isinstance(kept[0], torch.Tensor):
                torch.stack(kept).tolist()
        if device == "cuda":
            torch.cuda.synchronize()

    steps(WARM)
    activities = [ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(ProfilerActivity.CUDA)
    with profile(activities=activities) as warm_up:
        steps(1)
    del warm_up  # the first profile of a process has the profiler's own start in it
    with profile(activities=activities) as prof:
        steps(1)  # a profile's first step on a GPU has milliseconds of the profiler in it
        steps(STEPS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        prof.export_chrome_trace(str(path))
        return rows(json.loads(path.read_text(encoding="utf-8"))["traceEvents"])


def rows(events: list[dict[str, Any]]) -> list[list[Any]]:
    """Return [category, name, start in us, us, thread, correlation] of each event that is kept, from
    the second step on."""
    spans = [e for e in events if e.get("ph") == "X" and e.get("cat") in CATEGORIES]
    begin = sorted(e["ts"] for e in spans if e["name"] == "step")[1]
    threads: dict[Any, int] = {}
    kept = []
    for e in sorted(spans, key=lambda e: e["ts"]):
        if e["ts"] < begin or e["name"].startswith(("ProfilerStep", "PyTorch Profiler")):
            continue
        thread = threads.setdefault((e["pid"], e["tid"]), len(threads))
        start, took = round(e["ts"] - begin, 3), round(e["dur"], 3)
        correlation = e.get("args", {}).get("correlation", 0)
        kept.append([e["cat"], e["name"][:MAX_NAME], start, took, thread, correlation])
    assert len(kept) <= MAX_EVENTS, f"{len(kept)} events are more than {MAX_EVENTS}"
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--to", type=Path, default=trace_file(paths.course_root()))
    chosen = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        torch.set_num_threads(1)
    name = torch.cuda.get_device_name() if device == "cuda" else f"CPU ({platform.machine()})"
    found = {"as found": train(device, as_found), "repaired": train(device, repaired)}
    head = {
        "device": name,
        "date": date.today().isoformat(),
        "versions": f"torch {torch.__version__}",
    }
    lines = [
        f' "{label}": [\n  ' + ",\n  ".join(map(json.dumps, trace)) + "\n ]"
        for label, trace in found.items()
    ]
    text = json.dumps(head)[:-1] + ', "traces": {\n' + ",\n".join(lines) + "\n}}\n"
    chosen.to.write_text(text, encoding="utf-8")
    for label, trace in found.items():
        end = max(start + took for _, _, start, took, _, _ in trace)
        print(f"{chosen.to}: {label}: {len(trace)} events, {end:.0f} us")


if __name__ == "__main__":
    main()
