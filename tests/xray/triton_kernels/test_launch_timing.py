"""The time of a launch with and without a pass, on a machine with a GPU; elsewhere there is none."""

import json
import linecache
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from tutor.hardware import gpus
from tutor.xray.model.input_specs import Arguments, parse_inputs
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.triton_kernels import launch_timing, recorded_launches, specialization

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
TEXT = """
import torch, triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = lanes < n
    tl.store(out_ptr + lanes, tl.load(x_ptr + lanes, keep) + tl.load(y_ptr + lanes, keep), keep)


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
"""


def record(path: Path) -> KernelSource:
    space: dict[str, Any] = {"__name__": "adds"}
    linecache.cache[str(path)] = (len(TEXT), None, TEXT.splitlines(keepends=True), str(path))
    exec(compile(TEXT, str(path), "exec"), space)
    inputs = Arguments.of(parse_inputs(("f32[4096]", "f32[4096]")))
    (kernel,) = recorded_launches.kernels_of(space["add"], inputs, gpus.target("sm_90")).kernels
    return kernel


def test_a_recorded_launch_keeps_its_grid(tmp_path: Path) -> None:
    kernel = record(tmp_path / "adds.py")
    assert kernel.launch.grid == (4,)
    assert [tuple(x.shape) for x in kernel.launch.args[:3]] == [(4096,)] * 3


def test_without_the_target_s_gpu_there_is_no_time(tmp_path: Path) -> None:
    target = gpus.target("sm_75" if torch.cuda.is_available() else "sm_90")
    kernel = record(tmp_path / "adds.py")
    assert launch_timing.time_launch(kernel, target, lambda *_: True) == ""


def test_a_kernel_alone_has_no_launch_to_time(kernels: ModuleType) -> None:
    inputs = Arguments.of(parse_inputs(("f32[64]", "f32[64]", "f32[64]", "64", "BLOCK=64")))
    kernel = specialization.specialize_kernel(kernels.add, inputs)
    said = launch_timing.time_launch(kernel, gpus.target("sm_90"), lambda *_: True)
    assert said == launch_timing.NO_LAUNCH


@needs_gpu
def test_a_pass_is_timed(tmp_path: Path) -> None:
    file = tmp_path / "adds.py"
    file.write_text(TEXT)
    major, minor = torch.cuda.get_device_capability()
    size = "f32[67108864]"
    command = [
        sys.executable,
        "-m",
        "tutor",
        "xray",
        f"{file}::add",
        "--input",
        size,
        "--input",
        size,
    ]
    told = subprocess.run(
        [*command, "--target", f"sm_{major}{minor}", "--without", "coalesce", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    whole, row = json.loads(told.stdout)["omissions"]
    bytes_moved = 3 * 4 * 67_108_864
    assert whole["untimed"] == row["untimed"] == ""
    for time in (whole["time"], row["time"]):
        assert 0 < time["low"] <= time["median"] <= time["high"]
        assert bytes_moved / time["median"] * 1e6 < 20e12, "no GPU moves 20 TB/s"
    assert row["counts"]["load_bits"] < whole["counts"]["load_bits"]
