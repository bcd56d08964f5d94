"""Measure layers on a CPU by threads, streams and instruction set, for Day 54.

    python tests/content/record_cpu_sweep.py > FILE

Four tables, which `recorded(54)` reads:

* `sweep`: by workload, a row for each number of threads: threads, then median and quartiles of the
  microseconds of a call. The large layer has 8,192 outputs and 12,288 inputs, and one input row; the
  product is of two matrices of 1,024; the small layer has 96 inputs and outputs, and 16 rows.
* `streams`: by workload, a row for each way to share all cores: streams, threads of each, calls in a
  second of all streams, and the median microseconds of a call. Each stream is a process with cores and
  weights of its own.
* `sets`: what oneDNN does when it may use no later instruction set than this one, on one thread: 64
  products of 255 and 127 added, and microseconds of the product of two matrices in three dtypes.
* `machine`: what `lscpu` says, and what PyTorch uses.
"""

import functools
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F

ISAS = (
    "SSE41",
    "AVX2",
    "AVX512_CORE",
    "AVX512_CORE_VNNI",
    "AVX512_CORE_BF16",
    "AVX512_CORE_AMX",
)
OUTPUTS, INPUTS, SIDE = 8192, 12288, 1024
Work = dict[str, Callable[[], object]]


def large_layer(outputs: int = OUTPUTS, inputs: int = INPUTS) -> Work:
    """Return calls of one large layer in three dtypes: memory limits it."""
    codes = torch.randint(-127, 128, (outputs, inputs), dtype=torch.int8)
    x = torch.randn(1, inputs)
    half, wide, scales = codes.bfloat16(), codes.float(), torch.ones(outputs).bfloat16()
    return {
        "layer float32": lambda: F.linear(x, wide),
        "layer bfloat16": lambda: F.linear(x.bfloat16(), half),
        "layer int8": lambda: torch.ops.aten._weight_int8pack_mm(x.bfloat16(), codes, scales),
        "sum float32": lambda: wide.sum(),
    }


def product() -> Work:
    """Return calls of one product of matrices in three dtypes: arithmetic limits it."""
    a, b = (torch.randint(-127, 128, (SIDE, SIDE), dtype=torch.int8) for _ in range(2))
    wide, half = [a.float(), b.float()], [a.bfloat16(), b.bfloat16()]
    return {
        "product float32": lambda: wide[0] @ wide[1],
        "product bfloat16": lambda: half[0] @ half[1],
        "product int8": lambda: torch._int_mm(a, b),
    }


def small_layer() -> Work:
    """Return a call that is over before threads are worth their start."""
    x, w = torch.randn(16, 96), torch.randn(96, 96)
    return {"small layer": lambda: F.linear(x, w)}


def measured(call: Callable[[], object], seconds: float) -> list[float]:
    """Return median and quartiles of the microseconds of a call, of 7 to 200 calls."""
    for _ in range(2):
        call()
    found: list[float] = []
    until = time.perf_counter() + seconds
    while len(found) < 7 or (len(found) < 200 and time.perf_counter() < until):
        began = time.perf_counter()
        call()
        found.append((time.perf_counter() - began) * 1e6)
    low, median, high = statistics.quantiles(found, n=4)
    return [round(each, 1) for each in (median, low, high)]


def sweep(cores: int) -> dict[str, list[list[float]]]:
    """Measure each workload by threads, up to twice as many as there are cores."""
    counts = sorted({1, 2, 3, 4, 6, 8, 12, 16, cores, 2 * cores})
    rows: dict[str, list[list[float]]] = {}
    for make in (small_layer, product, large_layer):
        for name, call in make().items():
            for threads in (each for each in counts if each <= 2 * cores):
                torch.set_num_threads(threads)
                rows.setdefault(name, []).append([threads, *measured(call, 0.3)])
    return rows


def held_to(cores: list[int]) -> Callable[[], None]:
    """Return what holds a new process to these cores."""
    return functools.partial(os.sched_setaffinity, 0, cores)


def be_stream(threads: int) -> None:
    """Run both workloads as one of several streams, when told to on the standard input."""
    torch.set_num_threads(threads)
    calls = {
        name: call
        for name, call in {**large_layer(), **product()}.items()
        if name in ("layer bfloat16", "product bfloat16")
    }
    for name, call in calls.items():
        call()
        print("ready", flush=True)
        start = float(sys.stdin.readline())
        time.sleep(max(0.0, start - time.time()))
        took: list[float] = []
        until = time.perf_counter() + 1.2
        while time.perf_counter() < until:
            began = time.perf_counter()
            call()
            took.append((time.perf_counter() - began) * 1e6)
        print(
            json.dumps([name, len(took) / (sum(took) / 1e6), statistics.median(took)]), flush=True
        )


def streams(cores: int) -> dict[str, list[list[float]]]:
    """Measure each way to share the cores among streams of equal size."""
    places = sorted(os.sched_getaffinity(0))
    rows: dict[str, list[list[float]]] = {}
    for count in (each for each in (1, 2, 4, 8, 16) if each <= cores):
        threads = cores // count
        running = [
            subprocess.Popen(
                [sys.executable, __file__, "--stream", str(threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                preexec_fn=lambda i=i, n=threads: os.sched_setaffinity(
                    0, places[i * n : i * n + n]
                ),
            )
            for i in range(count)
        ]
        pipes = [(each.stdin, each.stdout) for each in running if each.stdin and each.stdout]
        for _ in range(2):
            for _to, back in pipes:
                back.readline()
            for to, _back in pipes:
                to.write(f"{time.time() + 0.2}\n")
                to.flush()
            said = [json.loads(back.readline()) for _to, back in pipes]
            name, rate = said[0][0], sum(each[1] for each in said)
            middle = statistics.median(each[2] for each in said)
            rows.setdefault(name, []).append([count, threads, round(rate, 1), round(middle, 1)])
        for each in running:
            each.wait()
    return rows


def be_set() -> None:
    """Measure what oneDNN does with the instructions that the environment allows."""
    torch.set_num_threads(1)
    x = torch.full((1, 64), 255, dtype=torch.uint8)
    w = torch.full((16, 64), 127, dtype=torch.int8)

    def dense(x: torch.Tensor, w: torch.Tensor) -> Callable[[], torch.Tensor]:
        packed = torch.ops.onednn.qlinear_prepack(w, None)
        ones, zeros = torch.ones(len(w)), torch.zeros(len(w), dtype=torch.int32)
        return lambda: torch.ops.onednn.qlinear_pointwise(
            x, 1.0, 0, packed, ones, zeros, None, 1.0, 0, torch.float32, "none", [], ""
        )

    a = torch.randint(0, 256, (SIDE, SIDE), dtype=torch.uint8)
    b = torch.randint(-127, 128, (SIDE, SIDE), dtype=torch.int8)
    layer = F.linear
    wide, half = (a.float(), b.float()), (a.bfloat16(), b.bfloat16())
    found = {"added": dense(x, w)()[0, 0].item(), "int8": measured(dense(a, b), 0.5)}
    found["float32"] = measured(lambda: layer(*wide), 0.5)
    found["bfloat16"] = measured(lambda: layer(*half), 0.5)
    print(json.dumps(found))


def sets() -> dict[str, dict[str, object]]:
    """Measure all instruction sets, each in a process that is held to one core of its own."""
    places = sorted(os.sched_getaffinity(0))
    found = {}
    for begin in range(0, len(ISAS), max(1, len(places) // 2)):
        running = {
            isa: subprocess.Popen(
                [sys.executable, __file__, "--set"],
                stdout=subprocess.PIPE,
                env={**os.environ, "ONEDNN_MAX_CPU_ISA": isa},
                preexec_fn=held_to([places[2 * i % len(places)]]),
            )
            for i, isa in enumerate(ISAS[begin : begin + max(1, len(places) // 2)])
        }
        for isa, each in running.items():
            out = each.communicate()[0]
            found[isa] = json.loads(out) if each.returncode == 0 else {"failed": each.returncode}
    return found


def machine() -> dict[str, str]:
    """Return what is known of the processor."""
    said = {}
    if shutil.which("lscpu"):
        listed = subprocess.run(["lscpu"], capture_output=True, text=True).stdout
        for line in listed.splitlines():
            name, _, value = line.partition(":")
            if name.strip() and not name.startswith("Vulnerability"):
                said[name.strip()] = value.strip()
    said["capability"] = torch.backends.cpu.get_cpu_capability()
    said["gcc"] = shutil.which("gcc") or ""
    said["parallel"] = torch.__config__.parallel_info()
    return said


def main() -> None:
    """Measure, and print what `recorded(54)` reads."""
    if sys.argv[1:2] == ["--stream"]:
        be_stream(int(sys.argv[2]))
        return
    if sys.argv[1:2] == ["--set"]:
        be_set()
        return
    cores = min(16, len(os.sched_getaffinity(0)))
    said = machine()
    began = time.time()
    made_with = (
        f"torch {torch.__version__}, {said.get('Model name', 'unknown processor')}, {cores} cores"
    )
    tables: dict[str, object] = {"machine": said, "sets": sets()}
    print(f"sets {time.time() - began:.0f} s", file=sys.stderr)
    tables["streams"] = streams(cores)
    print(f"streams {time.time() - began:.0f} s", file=sys.stderr)
    tables["sweep"] = sweep(cores)
    print(f"sweep {time.time() - began:.0f} s", file=sys.stderr)
    print(json.dumps({"made_with": made_with, "said": tables}, indent=1))


if __name__ == "__main__":
    main()
