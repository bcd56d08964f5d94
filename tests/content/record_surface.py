"""Record the surface that Day 20 searches: the time of one Triton matmul in many configurations.

    python tests/content/record_surface.py [--to FOLDER] [--seconds 60]

writes `surface.json` into FOLDER. Twelve processes compile the configurations and fill Triton's cache;
then this process runs each of them on each shape, twice over, in two orders. A configuration that does
not compile, needs more than the GPU has, or gives a wrong product is kept with its reason. Without a
GPU the interpreter runs a few tiny tiles, and the file says so; that needs TRITON_INTERPRET=1.
"""

import argparse
import itertools
import json
import multiprocessing
import platform
import random
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl

from tutor.base import paths
from tutor.course.surface import surface_file

KEYS = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages")
GRID = ((32, 64, 128, 256), (64, 128, 256), (32, 64, 128), (4, 8), (2, 3, 4))
SHAPES = {"square": (4096, 4096, 4096), "tall": (16384, 1024, 1024), "deep": (512, 512, 16384)}
TINY_GRID = ((16, 32), (16, 32), (16,), (4,), (2, 3))
TINY_SHAPES = {"square": (64, 64, 64), "deep": (32, 32, 128)}
WORKERS, WARM, RUNS = 12, 2, 7

Config = tuple[int, ...]


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    """Multiply row-major float16 matrices whose sides are multiples of the tile's."""
    program = tl.program_id(0)
    across = tl.cdiv(N, BLOCK_N)
    first = program // (GROUP * across) * GROUP
    tall = min(tl.cdiv(M, BLOCK_M) - first, GROUP)
    row = first + program % (GROUP * across) % tall
    column = program % (GROUP * across) // tall
    rows = row * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = column * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a = a_ptr + rows[:, None] * K + inner[None, :]
    b = b_ptr + inner[:, None] * N + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        total = tl.dot(tl.load(a), tl.load(b), total)
        a += BLOCK_K
        b += BLOCK_K * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total.to(tl.float16))


def options(config: Config) -> dict[str, int]:
    return {**dict(zip(KEYS, config, strict=True)), "GROUP": 8}


def compiled(config: Config) -> tuple[Config, dict[str, Any]]:
    """Compile a configuration into Triton's cache. Return its resources, or why it cannot run."""
    try:
        pointers = [torch.float16] * 3
        kernel = matmul_kernel.warmup(*pointers, *SHAPES["square"], **options(config), grid=(1,))
        found = {"shared": int(kernel.metadata.shared)}
        try:
            kernel._init_handles()
        except Exception as trouble:
            return config, {**found, "failed": reason(trouble)}
        return config, {**found, "registers": int(kernel.n_regs), "spills": int(kernel.n_spills)}
    except Exception as trouble:
        return config, {"failed": reason(trouble)}


def reason(trouble: Exception) -> str:
    first = (str(trouble).strip() or "no message").splitlines()[0]
    return f"{type(trouble).__name__}: {first[:200]}"


def compile_all(configs: list[Config], seconds: float) -> dict[Config, dict[str, Any]]:
    """Compile all configurations side by side, those with the largest share of a tile first."""
    costly = sorted(configs, key=lambda c: -c[0] * c[1] / c[3])
    found: dict[Config, dict[str, Any]] = {}
    end = time.monotonic() + seconds
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        results = pool.imap_unordered(compiled, costly)
        while len(found) < len(configs):
            try:
                config, facts = results.next(timeout=max(0.0, end - time.monotonic()))
            except multiprocessing.TimeoutError:
                break
            found[config] = facts
    late = {"failed": f"not compiled: the recording allowed {seconds:.0f} s for all of them"}
    return {config: found.get(config, dict(late)) for config in configs}


def measure(call: Callable[[], Any], device: str) -> float:
    """Return the median time of `RUNS` calls in microseconds, each timed alone."""
    for _ in range(WARM):
        call()
    if device == "cpu":
        began = time.perf_counter()
        call()
        return (time.perf_counter() - began) * 1e6
    marks = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(RUNS)]
    for before, after in marks:
        before.record()
        call()
        after.record()
    torch.cuda.synchronize()
    return 1e3 * statistics.median(before.elapsed_time(after) for before, after in marks)


def matrices(shape: tuple[int, int, int], device: str) -> tuple[torch.Tensor, ...]:
    m, n, k = shape
    torch.manual_seed(0)
    a = torch.randn(m, k, device=device, dtype=torch.float16)
    b = torch.randn(k, n, device=device, dtype=torch.float16)
    return a, b, torch.empty(m, n, device=device, dtype=torch.float16)


def launcher(
    config: Config, tensors: tuple[torch.Tensor, ...], shape: tuple[int, int, int]
) -> Callable[[], None]:
    grid = (triton.cdiv(shape[0], config[0]) * triton.cdiv(shape[1], config[1]),)

    def call() -> None:
        matmul_kernel[grid](*tensors, *shape, **options(config))

    return call


def run_all(
    facts: dict[Config, dict[str, Any]], shapes: dict[str, tuple[int, int, int]], device: str
) -> dict[str, float]:
    """Time each configuration that can run on each shape, twice; note both times in `facts`. Return
    the times of `torch.matmul`, in microseconds."""
    house = {}
    for name, shape in shapes.items():
        a, b, c = tensors = matrices(shape, device)
        truth = (a.float() @ b.float()).to(a.dtype)
        for _ in range(200 if device == "cuda" else 1):  # until the GPU's clock is up
            torch.matmul(a, b)
        house[name] = round(measure(lambda a=a, b=b: torch.matmul(a, b), device), 2)
        for turn in range(2):
            order = [config for config, each in facts.items() if "failed" not in each]
            random.Random(turn).shuffle(order)
            for config in order:
                call = launcher(config, tensors, shape)
                c.zero_()
                try:
                    call()
                    wrong = turn == 0 and not torch.allclose(c, truth, rtol=2e-2, atol=1.0)
                    took = measure(call, device)
                except Exception as trouble:
                    facts[config]["failed"] = reason(trouble)
                    continue
                if wrong:
                    facts[config]["failed"] = f"a wrong product for the shape {name}"
                facts[config].setdefault("us", {}).setdefault(name, []).append(round(took, 2))
    return house


def about(device: str) -> dict[str, Any]:
    """Return what the machine is and has, by name."""
    head: dict[str, Any] = {
        "device": f"CPU interpreter ({platform.machine()})",
        "date": date.today().isoformat(),
        "versions": f"torch {torch.__version__}, triton {triton.__version__}",
    }
    if device == "cuda":
        chip = torch.cuda.get_device_properties(0)
        head |= {
            "device": chip.name,
            "multiprocessors": chip.multi_processor_count,
            "shared_of_a_block": getattr(chip, "shared_memory_per_block_optin", None),
            "shared_of_a_multiprocessor": getattr(chip, "shared_memory_per_multiprocessor", None),
            "registers_of_a_multiprocessor": getattr(chip, "regs_per_multiprocessor", None),
            "threads_of_a_multiprocessor": chip.max_threads_per_multi_processor,
        }
    return head


def rows(facts: dict[Config, dict[str, Any]]) -> Iterator[str]:
    for config, each in facts.items():
        yield "  " + json.dumps({"config": list(config), **each})


def write(
    path: Path,
    head: dict[str, Any],
    shapes: dict[str, tuple[int, int, int]],
    house: dict[str, float],
    facts: dict[Config, dict[str, Any]],
) -> None:
    more = {**head, "keys": KEYS, "shapes": shapes, "torch_matmul_us": house}
    lines = ",\n ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in more.items())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "{" + lines + ',\n "configs": [\n' + ",\n".join(rows(facts)) + "\n ]}\n", encoding="utf-8"
    )


def report(facts: dict[Config, dict[str, Any]], house: dict[str, float]) -> None:
    failed = [each["failed"] for each in facts.values() if "failed" in each]
    print(
        f"{len(facts)} configurations, {len(failed)} cannot run", *sorted(set(failed)), sep="\n  "
    )
    if len(failed) == len(facts):
        return
    for name in house:
        times = {c: each["us"][name] for c, each in facts.items() if "failed" not in each}
        ranked = sorted(times, key=lambda c: min(times[c]))
        noise = statistics.median(abs(a - b) / min(a, b) for a, b in times.values())
        for label, config in (("best", ranked[0]), ("worst", ranked[-1])):
            print(f"{name}: {label} {config} in {min(times[config])} us")
        print(f"{name}: torch.matmul {house[name]} us; the two passes differ by {noise:.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--to", type=Path, default=surface_file(paths.course_root()).parent)
    parser.add_argument("--seconds", type=float, default=60.0, help="time to compile them all")
    chosen = parser.parse_args()
    gpu = torch.cuda.is_available()
    shapes, grid = (SHAPES, GRID) if gpu else (TINY_SHAPES, TINY_GRID)
    configs = list(itertools.product(*grid))
    began = time.monotonic()
    facts: dict[Config, dict[str, Any]] = {each: {} for each in configs}
    if gpu:
        facts = compile_all(configs, chosen.seconds)
        print(f"compiled in {time.monotonic() - began:.0f} s", flush=True)
    house = run_all(facts, shapes, "cuda" if gpu else "cpu")
    path = chosen.to / "surface.json"
    write(path, about("cuda" if gpu else "cpu"), shapes, house, facts)
    report(facts, house)
    print(f"{path}: written after {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
