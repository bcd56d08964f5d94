"""On a CUDA device: pretending it gives the same kernels as it does, for 40 functions, and its
profiler sees them launched as often."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import xray_functions as functions
from capturing import Seen, f32, look
from running import run
from torch import nn

from tutor.hardware.gpus import TARGETS
from tutor.judge.processes import learner_module
from tutor.xray.fake_gpu import fake_gpu
from tutor.xray.model.input_specs import TensorSpec

F = nn.functional


def bf16(*shape: int) -> TensorSpec:
    return TensorSpec("bf16", shape)


def i64(*shape: int) -> TensorSpec:
    return TensorSpec("i64", shape)


# name: (makes what is looked at, inputs, backward)
CASES = {
    "day1_chain": (lambda: functions.day1_chain, [f32(4096, 4096)], False),
    "day15_gelu": (lambda: functions.day15_gelu, [f32(1024, 1024)], False),
    "day25_sin_cos": (lambda: functions.day25_sin_cos, [f32(1024)], False),
    "day25_to_half": (lambda: functions.day25_to_half, [f32(1024, 1024)], False),
    "day25_training": (lambda: functions.day25_training, [f32(1024)], True),
    "day28_small": (lambda: functions.day28_reduction, [f32(32, 32)] * 2, False),
    "day28_reduction": (lambda: functions.day28_reduction, [f32(1024, 1024)] * 2, False),
    "day28_training": (lambda: functions.day28_reduction, [f32(1024, 1024)] * 2, True),
    "day28_linear": (
        lambda: functions.day28_linear,
        [f32(1024, 1024), f32(1024, 1024), f32(1024)],
        False,
    ),
    "chain": (lambda: functions.chain, [f32(4096, 4096)], False),
    "softmax": (lambda: functions.softmax, [f32(4096, 1024)], False),
    "softmax_training": (lambda: functions.softmax, [f32(4096, 1024)], True),
    "normalised_small": (lambda: functions.normalised, [f32(256)], False),
    "normalised": (lambda: functions.normalised, [f32(1 << 20)], False),
    "layer_norm_gelu": (
        lambda: functions.layer_norm_gelu,
        [f32(512, 768), f32(768), f32(768)],
        False,
    ),
    "layer_norm_training": (
        lambda: functions.layer_norm_gelu,
        [f32(512, 768), f32(768), f32(768)],
        True,
    ),
    "attention_f32": (lambda: functions.attention, [f32(2, 4, 128, 64)] * 3, False),
    "attention_bf16": (lambda: functions.attention, [bf16(2, 4, 128, 64)] * 3, False),
    "attention_training": (lambda: functions.attention, [bf16(2, 4, 128, 64)] * 3, True),
    "attention_by_hand": (lambda: functions.attention_by_hand, [f32(2, 4, 128, 64)] * 3, False),
    "residual_block": (lambda: functions.ResidualBlock().eval(), [f32(2, 64, 16, 16)], False),
    "residual_training": (functions.ResidualBlock, [f32(2, 64, 16, 16)], True),
    "gated_mlp": (functions.GatedMLP, [f32(512, 256)], False),
    "gated_mlp_training": (functions.GatedMLP, [f32(512, 256)], True),
    "encoder_training": (functions.encoder_layer, [f32(2, 16, 64)], True),
    "lookup_training": (lambda: functions.looked_up, [i64(64), f32(128, 32)], True),
    "outer": (lambda: functions.product, [f32(64, 1), f32(1, 64)], False),
    "dot": (lambda: functions.product, [f32(1, 64), f32(64, 1)], False),
    "tiny": (lambda: nn.Sequential(nn.Linear(16, 16), nn.ReLU()), [f32(1, 16)], False),
    "convolution_training": (
        lambda: functions.convolution,
        [f32(2, 3, 16, 16), f32(8, 3, 3, 3), f32(8)],
        True,
    ),
    "vmap_of_dot": (lambda: functions.rows_dot, [f32(64, 8)] * 2, False),
    "grid_sample": (lambda: functions.grid_sample, [f32(2, 3, 16, 16), f32(2, 8, 8, 2)], False),
    "grouped_heads": (
        lambda: functions.grouped_heads,
        [bf16(2, 8, 128, 64), bf16(2, 2, 128, 64), bf16(2, 2, 128, 64)],
        False,
    ),
    "autocast_training": (lambda: functions.autocast_to_half, [f32(128, 128)] * 2, True),
    "autocast_of_the_cpu": (lambda: functions.autocast_of_the_cpu, [f32(128, 128)] * 2, False),
    "asks_for_the_device": (lambda: functions.asks_for_the_device, [f32(8)], False),
    "moves_to_the_device": (lambda: functions.moves_to_the_device, [f32(8)], False),
    "scan": (lambda: functions.scan, [f32(128, 64)], False),
    "broken": (lambda: functions.broken, [f32(64)], False),
    "dropout": (lambda: functions.random, [f32(1000)], False),
}


def kernels_of(seen: Seen) -> list[str]:
    """Kernel names less the number at the end, and calls of libraries, in order."""
    names = [re.sub(r"_\d+(@\w+)?$", "", name) for name in seen.names()]
    calls = [
        n
        for key in seen.order
        if key.startswith("wrapper")
        for n in seen.stages[key].notes
        if n.startswith("Calls")
    ]
    return names + calls


# Autograd makes two independent gradients, in either order.
ORDER_IS_FREE = ("autocast_training",)


def groups_of(seen: Seen) -> list[str]:
    return [seen.text(key) for key in seen.order if key.startswith("ir_post_fusion")]


def without_numbers(seen: Seen) -> list[str]:
    """Return the groups' lines in an order that does not depend on the numbers of buffers."""
    lines = "\n".join(groups_of(seen)).split("\n")
    return sorted(re.sub(r"\b(buf|op)\d+", r"\1", line) for line in lines)


def compiled_by_torch(subject, inputs, backward: bool) -> list[str]:
    """What torch.compile itself makes of it, nothing of the X-ray's between."""
    from torch._inductor.utils import run_and_get_code

    torch._dynamo.reset()
    args = [_on_device(spec, backward) for spec in inputs]
    subject = subject.cuda() if isinstance(subject, nn.Module) else subject

    def run():
        with (
            torch.set_grad_enabled(backward),
            torch._inductor.config.patch(force_disable_caches=True),
        ):
            out = torch.compile(subject)(*args)
            if backward:
                (out if out.dim() == 0 else out.sum()).backward()

    _, codes = run_and_get_code(run)
    names = []
    for code in codes:
        found = re.findall(r"^(triton_\w+?)_\d+ = async_compile", code, re.MULTILINE)
        names += found
    return names


def chip_here():
    capability = tuple(torch.cuda.get_device_capability())
    return next((c for c in TARGETS if c.capability == capability and c.vendor == "nvidia"), None)


needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


@needs_gpu
@pytest.mark.parametrize("name", CASES)
def test_pretending_gives_what_the_device_gives(name: str) -> None:
    make, inputs, backward = CASES[name]
    chip = chip_here()
    if chip is None:
        pytest.skip("this device is not among the targets")
    assert fake_gpu.is_real(chip)
    torch.manual_seed(0)
    pretended = look(make(), *inputs, on=chip.name, backward=backward, real=False)
    real = look(make(), *inputs, on=chip.name, backward=backward)
    assert (pretended.device, real.device) == ("pretend", "real")
    assert (pretended.failures, real.failures) == ([], [])
    assert kernels_of(pretended) == kernels_of(real)
    if name in ORDER_IS_FREE:
        assert without_numbers(pretended) == without_numbers(real)
    else:
        assert groups_of(pretended) == groups_of(real)
    by_torch = compiled_by_torch(make(), inputs, backward)
    assert [re.sub(r"_\d+(@\w+)?$", "", n) for n in real.names()] == by_torch


def profile_launches(
    function: Callable[..., Any], inputs: list[TensorSpec], backward: bool
) -> Counter:
    """How often each kernel ran in a call, by the profiler: those of Triton, by their names.

    Without `backward` no gradients are kept, as in the X-ray: with them torch compiles a module's
    forward pass as a part of its training step. torch numbers the kernels of each graph from 0, so
    the numbers are left out.
    """
    tensors = [_on_device(spec, backward) for spec in inputs]

    def call() -> None:
        with torch.set_grad_enabled(backward):
            out = function(*tensors)
        out = out[0] if isinstance(out, tuple) else out
        if backward:
            (out if out.dim() == 0 else out.sum()).backward()
        torch.cuda.synchronize()

    for _ in range(2):  # compiled, and tuned
        call()
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        call()
    on_device = torch.autograd.DeviceType.CUDA
    names = [event.name for event in profile.events() if event.device_type == on_device]
    return Counter(re.sub(r"_\d+$", "", name) for name in names if _is_of_triton(name))


def _is_of_triton(name: str) -> bool:
    return name.startswith("triton_") or name in {"cubed", "slope"}


def _on_device(spec: TensorSpec, backward: bool) -> torch.Tensor:
    if spec.dtype == "i64":
        return torch.randint(0, 2, spec.shape, device="cuda")
    tensor = torch.randn(spec.shape, device="cuda").to(getattr(torch, spec.torch_name))
    return tensor.requires_grad_(backward)


@needs_gpu
@pytest.mark.parametrize("name", CASES)
def test_the_profiler_sees_as_many_launches(name: str) -> None:
    make, inputs, backward = CASES[name]
    if (chip := chip_here()) is None:
        pytest.skip("this device is not among the targets")
    torch.manual_seed(0)
    shown = look(make(), *inputs, on=chip.name, backward=backward)
    told = sum(shown.count(key, "launches") for key in shown.stages if "wrapper" in key)
    torch._dynamo.reset()
    made = make()
    function = made.cuda() if isinstance(made, nn.Module) else made
    assert profile_launches(torch.compile(function), inputs, backward).total() == told


@needs_gpu
@pytest.mark.parametrize("name", ["alone", "among_operations"])
def test_kernels_of_an_own_backward_are_those_that_run(name: str) -> None:
    if (chip := chip_here()) is None:
        pytest.skip("this device is not among the targets")
    file = Path(__file__).parent / "triton_kernels" / "own_backward.py"
    shown = run(file, name, "f32[1000]", target=chip.name, backward=True)
    assert (shown.status, shown.failures) == (0, ())
    told = {
        re.sub(r"(_\d+)?(@.*)?$", "", key[7:]) for key in shown.stages if key.startswith("triton:")
    }
    module = learner_module.load_module(file.read_text("utf-8"), str(file), "own_backward")
    torch._dynamo.reset()
    function = getattr(module, name)
    function = function if name == "alone" else torch.compile(function)
    seen = profile_launches(function, [f32(1000)], True)
    assert {"cubed", "slope"} <= set(seen) == told


@needs_gpu
@pytest.mark.parametrize("backward", [False, True])
def test_a_function_with_tensors_of_the_cpu_is_shown_on_a_pretended_gpu(backward: bool) -> None:
    chip = chip_here()
    if chip is None:
        pytest.skip("this device is not among the targets")
    weight = torch.ones(64, 64, requires_grad=True)
    seen = look(lambda x: (x @ weight).relu(), f32(64, 64), on=chip.name, backward=backward)
    assert (seen.device, seen.failures) == ("pretend", [])
    assert "Shown for a pretended GPU" in seen.notes("dynamo")
    assert seen.names()


@needs_gpu
def test_properties_are_the_devices() -> None:
    here = torch.cuda.get_device_properties(0)
    chip = next((c for c in TARGETS if c.name in here.name), None)
    if chip is None:
        pytest.skip("this device is not among the targets")
    assert here.multi_processor_count == chip.multiprocessors
    assert here.L2_cache_size == chip.l2
    assert here.regs_per_multiprocessor == chip.registers_per_multiprocessor
    assert here.max_threads_per_multi_processor == chip.threads_per_multiprocessor
    assert here.shared_memory_per_multiprocessor == chip.shared_per_multiprocessor
    assert here.shared_memory_per_block_optin == chip.shared_per_block_optin
    assert here.total_memory == pytest.approx(chip.memory, rel=0.08)
