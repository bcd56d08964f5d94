"""An X-ray: a kernel and a function of five operations down to machine code, warm and cold.

Cold is a whole process, `tutor xray … --json`. The function is compared with the way without
this program: `TORCH_COMPILE_DEBUG=1 python file.py` writes the graphs and Inductor's files. It compiles
for the present device (without a GPU: C++ for the CPU), shows no machine code, and links no lines.
Every run of either side gets a different source.
"""

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.bench.harness import Times, rounded, timed
from tutor.base.errors import CannotHere
from tutor.judge.client import Judge, environment
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Failure, Request, Stage, XrayDone

TARGET = "sm_90"

_KERNEL = """
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # change {number}
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
"""
_FUNCTION = """
import torch


def five(x):
    return torch.sigmoid(torch.relu(x * {number}.5 + 1) - 3)
"""
_RUN = """
if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.compile(five)(torch.randn(1024, 1024, device=device))
"""
_KERNEL_INPUTS = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")
_FUNCTION_INPUTS = ("f32[1024,1024]",)
_PAUSE_SECONDS = 0.3


@dataclass(frozen=True)
class XrayTimes:
    """`debug` is None where torch.compile does not run here (no C++ compiler)."""

    kernel: Times
    kernel_cold: Times
    first_stage: Times
    function: Times
    function_cold: Times
    debug: Times | None

    def to_json(self) -> dict[str, str | float]:
        found: dict[str, str | float] = {
            "target": TARGET,
            "kernel_warm_ms": rounded(self.kernel.median),
            "kernel_cold_ms": rounded(self.kernel_cold.median),
            "first_stage_ms": rounded(self.first_stage.median),
            "function_warm_ms": rounded(self.function.median),
            "function_cold_ms": rounded(self.function_cold.median),
        }
        if self.debug:
            found["debug_cold_ms"] = rounded(self.debug.median)
            found["debug_over_cold"] = round(self.debug.median / self.function_cold.median, 2)
        return found

    def lines(self) -> list[str]:
        lines = [
            f"kernel, warm    {self.kernel.words()}",
            f"kernel, cold    {self.kernel_cold.words()}, the whole process",
            f"function, warm  {self.function.words()}; first stage {self.first_stage.words()}",
            f"function, cold  {self.function_cold.words()}, the whole process",
        ]
        if self.debug:
            ratio = self.debug.median / self.function_cold.median
            lines.append(
                f"TORCH_COMPILE_DEBUG=1 {self.debug.words()}, {ratio:.2f} x the cold function"
            )
        return lines


def measure(course_root: Path, folder: Path, warm_runs: int, cold_runs: int) -> XrayTimes:
    """`cold_runs` rounds of whole processes, then the warm ones. Raises `CannotHere`."""
    kernel_cold, function_cold, debug = [], [], []
    for number in range(cold_runs):
        kernel_cold.append(_command(folder, "add", _KERNEL.format(number=number), _KERNEL_INPUTS))
        source = _FUNCTION.format(number=number)
        function_cold.append(_command(folder, "five", source, _FUNCTION_INPUTS))
        if (took := _debug(folder, source, number)) is not None:
            debug.append(took)
    kernel, function, first = [], [], []
    with Judge(course_root) as judge:
        judge.wait_warm(mode="lower")
        for number in range(100, 100 + warm_runs):
            _, took = _warm(judge, "add", _KERNEL.format(number=number), _KERNEL_INPUTS)
            kernel.append(took)
            begun, took = _warm(judge, "five", _FUNCTION.format(number=number), _FUNCTION_INPUTS)
            first.append(begun)
            function.append(took)
    return XrayTimes(
        kernel=Times.of(kernel),
        kernel_cold=Times.of(kernel_cold),
        first_stage=Times.of(first),
        function=Times.of(function),
        function_cold=Times.of(function_cold),
        debug=Times.of(debug) if debug else None,
    )


def _warm(judge: Judge, name: str, source: str, inputs: tuple[str, ...]) -> tuple[float, float]:
    """Seconds until the first stage, and until the last."""
    time.sleep(_PAUSE_SECONDS)
    request = Request(
        f"/bench/{name}.py", name, parse_inputs(inputs), TARGET, None, False, source, logs=()
    )
    first = 0.0
    reached = ""
    started = time.perf_counter()
    for event in judge.xray(request):
        if isinstance(event, Stage):
            first = first or time.perf_counter() - started
            reached = event.name
        elif isinstance(event, Failure):
            raise CannotHere(f"the X-ray of {name} has no {event.stage}: {event.sentence}")
        elif isinstance(event, XrayDone) and reached != "sass":
            raise CannotHere(f"the X-ray of {name} ended at {reached}")
    return first, time.perf_counter() - started


def _command(folder: Path, name: str, source: str, inputs: tuple[str, ...]) -> float:
    file = folder / f"{name}.py"
    file.write_text(source, "utf-8")
    words = [word for spec in inputs for word in ("--input", spec)]
    command = [sys.executable, "-m", "tutor", "xray", f"{file}::{name}", *words, "--json", "--cold"]
    return timed(command, environment(), seconds=600)


def _debug(folder: Path, source: str, number: int) -> float | None:
    file = folder / "by_hand_debug.py"
    file.write_text(source + _RUN, "utf-8")
    caches = folder / f"debug{number}"
    surroundings = {
        **os.environ,
        "TORCH_COMPILE_DEBUG": "1",
        "TORCH_COMPILE_DEBUG_DIR": str(caches),
        "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
        "TRITON_CACHE_DIR": str(caches / "triton"),
    }
    with suppress(CannotHere):
        return timed([sys.executable, str(file)], surroundings, seconds=600)
    return None
