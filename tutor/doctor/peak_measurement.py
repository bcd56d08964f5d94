"""Measurement of this machine's memory and arithmetic speed, by a large copy and by matrix products.

Runs in a separate process (`tutor.doctor.probe_main`). On CUDA by events with the L2 cache flushed, as
verdicts are timed (`tutor.judge.sampling.samples`); torch's own matrix products are what cuBLAS or
oneDNN has.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from tutor.hardware import measured_peaks as kept
from tutor.judge.sampling import median, samples

_COPY_BYTES = {"cuda": 1 << 30, "cpu": 1 << 28}  # read, and as many written
_ROUND = 8
_MOST_ROUNDS = 12
_SIZE = {"cuda": 8192, "cpu": 1024}  # of the square matrices
_TYPES = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}


def measure_ceilings() -> dict[str, Any]:
    """`{"device", "torch", "figures": {kind: [median, low, high]}}`, per second."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name(0) if device == "cuda" else kept.processor()
    figures = {kept.BANDWIDTH: _copy_rate(device)}
    for kind in ("fp32", "tf32", "fp16", "bf16") if device == "cuda" else ("fp32",):
        if kind in ("tf32", "bf16") and torch.cuda.get_device_capability(0) < (8, 0):
            continue  # emulated, if at all
        with _tf32(kind == "tf32"):
            figures[kind] = _multiply_rate(device, _TYPES[kind])
    return {"device": name, "torch": torch.__version__, "figures": figures}


def _copy_rate(device: str) -> list[float]:
    size = _COPY_BYTES[device]
    if device == "cuda":
        size = min(size, torch.cuda.mem_get_info()[0] // 4)
    source = torch.ones(size // 4, device=device)
    target = torch.empty_like(source)
    return _rate(lambda s: target.copy_(s), (source,), 2 * source.nbytes)


def _multiply_rate(device: str, dtype: torch.dtype) -> list[float]:
    n = _SIZE[device]
    a, b = (torch.randn(n, n, device=device).to(dtype) for _ in range(2))
    return _rate(lambda x, y: torch.mm(x, y), (a, b), 2 * n**3)


def _rate(function: Callable[..., Any], args: tuple[Any, ...], amount: int) -> list[float]:
    """Median and 95 % interval of `amount` over the time of a call, in units a second."""
    samples.round_of(function, [args], _ROUND)  # clocks rise, libraries choose their kernels
    times: list[float] = []
    for _ in range(_MOST_ROUNDS):
        times += samples.round_of(function, [args], _ROUND)
        if len(times) >= 3 * _ROUND and median.is_precise_enough(times):
            break
    summary = median.summarize_samples(times)
    return [
        amount / (ms * 1e-3) for ms in (summary.median_ms, summary.ci95_ms[1], summary.ci95_ms[0])
    ]


@contextmanager
def _tf32(allowed: bool) -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if allowed else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
