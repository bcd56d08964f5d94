"""Measure an all-reduce over NCCL by size, on a host with several GPUs, for Day 64.

    python tests/content/record_all_reduce.py FILE

Once as NCCL chooses, and once with each of its algorithms `Ring` and `Tree`, on two and four GPUs, as
far as there are so many: the library's all-reduce, and beside it a ring of `batch_isend_irecv` written
in Python. A row has the bytes of the vector, and the microseconds of a call: median and quartiles. FILE
gets what `recorded(64)` reads.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

ALGORITHMS = ("default", "Ring", "Tree")
WORLDS = (2, 4)
POWERS = range(10, 31, 2)
WARM = 5


def ring(rank: int, world: int, x: torch.Tensor) -> None:
    """Sum `x` over all ranks, in place. Its length divides by `world`."""
    parts = list(x.view(world, -1).unbind(0))
    for step in range(2 * (world - 1)):
        given, taken = (rank - step) % world, (rank - step - 1) % world
        got = torch.empty_like(parts[taken])
        operations = [
            dist.P2POp(dist.isend, parts[given], (rank + 1) % world),
            dist.P2POp(dist.irecv, got, (rank - 1) % world),
        ]
        for work in dist.batch_isend_irecv(operations):
            work.wait()
        if step < world - 1:
            parts[taken].add_(got)
        else:
            parts[taken].copy_(got)


def time_calls(call: Callable[[], object], count: int) -> list[float]:
    """Return median and quartiles of the microseconds of a call."""
    for _ in range(WARM):
        call()
    torch.cuda.synchronize()
    found = []
    for _ in range(count):
        dist.barrier()
        torch.cuda.synchronize()
        began = time.perf_counter()
        call()
        torch.cuda.synchronize()
        found.append((time.perf_counter() - began) * 1e6)
    low, median, high = statistics.quantiles(found, n=4)
    return [round(each, 2) for each in (median, low, high)]


def be_rank(rank: int, world: int, store: str, to: str) -> None:
    """Measure as this rank; rank 0 writes the rows of both kinds."""
    torch.cuda.set_device(rank)
    file = dist.FileStore(store, world)
    dist.init_process_group("nccl", store=file, rank=rank, world_size=world)
    x = torch.full((5 * world,), rank + 1.0, device="cuda")
    ring(rank, world, x)
    assert bool((x == world * (world + 1) / 2).all())
    rows: dict[str, list[list[float]]] = {"all_reduce": [], "ring": []}
    for power in POWERS:
        y = torch.zeros(2**power // 4, device="cuda")
        count = 30 if power < 26 else 12
        rows["all_reduce"].append([2**power, *time_calls(lambda y=y: dist.all_reduce(y), count)])
        rows["ring"].append([2**power, *time_calls(lambda y=y: ring(rank, world, y), count)])
    if rank == 0:
        Path(to).write_text(json.dumps(rows))
    dist.destroy_process_group()


def measure(to: str) -> None:
    """Measure with this process's settings, and write the rows by world."""
    found = {}
    for world in WORLDS:
        if torch.cuda.device_count() >= world:
            with tempfile.TemporaryDirectory() as folder:
                rows = Path(folder) / "rows"
                mp.spawn(be_rank, (world, f"{folder}/store", str(rows)), world)
                found[str(world)] = json.loads(rows.read_text())
    Path(to).write_text(json.dumps(found))


def main() -> None:
    """Measure each algorithm in a process of its own, since NCCL reads its settings once."""
    if sys.argv[1] == "--measure":
        measure(sys.argv[2])
        return
    said = {}
    for name in ALGORITHMS:
        chosen = {} if name == "default" else {"NCCL_ALGO": name}
        with tempfile.NamedTemporaryFile() as file:
            command = [sys.executable, __file__, "--measure", file.name]
            subprocess.run(command, check=True, env={**os.environ, **chosen})
            said[name] = json.loads(Path(file.name).read_text())
    version = ".".join(map(str, torch.cuda.nccl.version()))
    made_with = f"torch {torch.__version__}, NCCL {version}, {torch.cuda.get_device_name(0)}"
    text = json.dumps({"made_with": made_with, "said": said}, indent=1)
    Path(sys.argv[1]).write_text(f"{text}\n")


if __name__ == "__main__":
    main()
