"""An operator that has a function for the GPU alone shows the kernels that this function launches."""

from pathlib import Path

import pytest
from running import run

FILE = Path(__file__).with_name("own_operators.py")


@pytest.mark.slow
def test_the_kernels_of_gpu_functions_are_shown() -> None:
    shown = run(FILE, "calls_both", "f32[1024]", stage="triton")
    assert shown.status == 0, shown.failures
    kernels = [stage.kernel for stage in shown.stages.values() if stage.name == "triton"]
    assert {"twice_kernel", "thrice_kernel"} <= set(kernels)
    assert any(kernel.startswith("triton_poi_fused_add") for kernel in kernels)


@pytest.mark.slow
def test_the_kernel_of_an_operator_for_every_device_is_shown() -> None:
    shown = run(FILE.with_name("imports_operators.py"), "calls_it", "f32[1024]", stage="triton")
    assert shown.status == 0, shown.failures
    kernels = [stage.kernel for stage in shown.stages.values() if stage.name == "triton"]
    assert "fourfold_kernel" in kernels
