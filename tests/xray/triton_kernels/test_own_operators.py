"""An operator that has a function for the GPU alone shows the kernels that this function launches."""

from pathlib import Path

import pytest
from running import run

FILE = Path(__file__).with_name("own_operators.py")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["calls_a_library", "calls_a_custom_op"])
def test_the_kernel_of_a_gpu_function_is_shown(name: str) -> None:
    shown = run(FILE, name, "f32[1024]", stage="triton")
    assert shown.status == 0, shown.failures
    kernels = [stage.kernel for stage in shown.stages.values() if stage.name == "triton"]
    assert "twice_kernel" in kernels
    assert any(kernel.startswith("triton_poi_fused_add") for kernel in kernels)
