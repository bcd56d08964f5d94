"""Launchers that ask for their GPU are judged without one; what only a GPU knows is said to be so."""

import pytest
import torch
from judging import KERNEL, RIGHT, entry, first_code, judged

from tutor.commands.judge import exit_status

without_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")

LAUNCHERS = {
    "device": "with torch.cuda.device(x.device):\n    return launched(x, y)",
    "properties": """\
sms = torch.cuda.get_device_properties(x.device).multi_processor_count
assert sms == 132
out = launched(x, y)
torch.cuda.synchronize()
return out""",
    "capability": """\
major, minor = torch.cuda.get_device_capability(x.device)
assert (major, minor) == (9, 0) and torch.cuda.is_bf16_supported()
assert "H100" in torch.cuda.get_device_name()
assert triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"] == 132
assert triton.runtime.driver.active.get_active_torch_device() == x.device
return launched(x, y)""",
    "streams": """\
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    out = launched(x, y)
torch.cuda.current_stream().wait_stream(side)
torch.cuda.Event().record()
return out""",
    "has_triton": """\
from torch.utils._triton import has_triton
if not has_triton():
    raise RuntimeError("requires triton")
return launched(x, y)""",
    "generator": """\
g = torch.Generator(device="cuda")
assert g.manual_seed(3) is g and g.initial_seed() == 3 and g.device.type == "cuda"
torch.cuda.manual_seed(5)
assert torch.cuda.default_generators[0].initial_seed() == torch.cuda.initial_seed() == 5
drawn = torch.rand(x.shape, generator=g, device="cuda")
assert drawn.shape == torch.randn_like(x).cuda().shape
out = launched(x, y)
assert drawn.to("cuda:0").shape == out.shape
return out""",
}


@without_gpu
@pytest.mark.slow
@pytest.mark.parametrize("name", LAUNCHERS)
def test_the_target_answers_what_a_launcher_asks(judge, name: str) -> None:
    verdict = judged(judge, entry(LAUNCHERS[name]), target="sm_90")
    assert verdict.passed, verdict.diagnosis


@pytest.mark.slow
def test_the_target_answers_while_the_file_is_loaded(judge) -> None:
    asks = (
        "SMS = torch.cuda.get_device_properties('cuda').multi_processor_count\n"
        "DEVICE = triton.runtime.driver.active.get_active_torch_device()\n"
    )
    verdict = judged(judge, f"{KERNEL}{asks}{RIGHT[len(KERNEL) :]}")
    assert verdict.passed, verdict.diagnosis
    assert "note" not in (verdict.resources or {}), verdict.resources  # compiled, too


OPERATOR = """
@torch.library.custom_op("course::added", mutates_args=())
def added(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return launched(x, y)
"""
WRAPPED = """
@torch.library.triton_op("course::wrapped", mutates_args={})
def added(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = out.numel()
    grid = (triton.cdiv(n, BLOCK),)
    kernel = torch.library.wrap_triton(add_kernel)
    kernel[grid](x.contiguous(), y.contiguous(), out, n, BLOCK=BLOCK)
    return out
"""
DEFINED = """
library = torch.library.Library("mine", "DEF")
library.define("added(Tensor x, Tensor y) -> Tensor")


@torch.library.impl("mine::added", ("cpu", "cuda"))
def kernel_of(x, y):
    return launched(x, y)


added = torch.ops.mine.added
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "operator",
    [
        OPERATOR,
        pytest.param(
            WRAPPED,
            marks=pytest.mark.skipif(
                not hasattr(torch._library.triton, "_is_interpreted_triton_kernel"),
                reason="torch 2.11's `wrap_triton` refuses a kernel of the interpreter",
            ),
        ),
        DEFINED,
    ],
)
def test_an_operator_of_the_learners_own_is_the_learners_work(judge, operator: str) -> None:
    verdict = judged(judge, entry("return added(x, y)", operator))
    assert verdict.passed, verdict.diagnosis


@pytest.mark.slow
def test_what_pytorch_does_inside_such_an_operator_is_named(judge) -> None:
    operator = OPERATOR.replace("course::added", "course::more").replace(
        "return launched(x, y)", "return launched(x, y) + 0"
    )
    verdict = judged(judge, entry("return added(x, y)", operator))
    assert first_code(verdict) == "did-not-launch"
    assert verdict.diagnosis[0].message.startswith("`torch.add` did a part")


@pytest.mark.slow
def test_a_compiled_launcher_runs_as_it_stands(judge) -> None:
    launcher = "@torch.compile(dynamic=False)\ndef compiled(x, y):\n    return launched(x, y)\n"
    verdict = judged(judge, entry("return torch.compile(compiled)(x, y)", launcher))
    assert verdict.passed, verdict.diagnosis
    assert not verdict.output


NEED_A_GPU = {
    "elapsed_time": """\
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
out = launched(x, y)
end.record()
print(start.elapsed_time(end))
return out""",
    "CUDAGraph": "graph = torch.cuda.CUDAGraph()\nreturn launched(x, y)",
    "mem_get_info": "torch.cuda.mem_get_info()\nreturn launched(x, y)",
    "get_offset": "torch.Generator(device='cuda').get_offset()\nreturn launched(x, y)",
    "benchmark": "triton.testing.do_bench(lambda: launched(x, y))\nreturn launched(x, y)",
}


@without_gpu
@pytest.mark.slow
@pytest.mark.parametrize("name", NEED_A_GPU)
def test_what_only_a_gpu_knows_is_refused_in_one_sentence(judge, name: str) -> None:
    verdict = judged(judge, entry(NEED_A_GPU[name]))
    assert first_code(verdict) == "not-interpretable", verdict.diagnosis
    assert name in verdict.diagnosis[0].message
    assert "this needs a GPU" in verdict.diagnosis[0].message
    assert exit_status(verdict) == 3


@without_gpu
@pytest.mark.slow
def test_a_line_that_needs_a_gpu_is_not_mended_by_leaving_it_out(judge) -> None:
    verdict = judged(judge, entry(NEED_A_GPU["get_offset"]), explain=True)
    assert verdict.repair is None
    assert verdict.example is None
    assert exit_status(verdict) == 3


def _in_kernel(line: str) -> str:
    return RIGHT.replace("    mask = offsets < n\n", f"    mask = offsets < n\n    {line}\n")


@pytest.mark.slow
def test_waiting_for_the_kernel_before_changes_no_result(judge) -> None:
    waits = _in_kernel("tl.extra.cuda.gdc_wait()\n    tl.extra.cuda.gdc_launch_dependents()")
    verdict = judged(judge, waits, target="sm_90")
    assert verdict.passed, verdict.diagnosis


@without_gpu
@pytest.mark.slow
def test_a_question_to_the_running_gpu_is_refused_by_its_name(judge) -> None:
    verdict = judged(judge, _in_kernel("offsets += 0 * tl.extra.cuda.smid()"))
    assert first_code(verdict) == "not-interpretable", verdict.diagnosis
    assert "`tl.extra.cuda.smid`" in verdict.diagnosis[0].message


GLUON = """\
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def sum_kernel(x, y, out, n, B: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.program_id(0).to(gl.int64) * B + gl.arange(0, B, layout=layout)
    total = gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n)
    gl.store(out + i, total, mask=i < n)


def add(x, y):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = out.numel()
    sum_kernel[(triton.cdiv(n, 512),)](x.contiguous(), y.contiguous(), out, n, B=512, num_warps=4)
    return out
"""


@without_gpu
@pytest.mark.slow
def test_a_gluon_kernel_is_not_to_be_checked_without_a_gpu(judge) -> None:
    verdict = judged(judge, GLUON)
    assert first_code(verdict) == "not-interpretable", verdict.diagnosis
    assert "`sum_kernel` is written in Gluon" in verdict.diagnosis[0].message
    assert exit_status(verdict) == 3


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
@pytest.mark.parametrize(
    "source",
    [
        GLUON,
        entry("return compiled(x, y)", "compiled = torch.compile(launched)\n"),
        entry("return added(x, y)", OPERATOR.replace("course::added", "course::on_a_gpu")),
        entry("return added(x, y)", WRAPPED.replace("course::wrapped", "course::wrapped_on_a_gpu")),
    ],
    ids=["gluon", "compiled launcher", "custom_op", "triton_op"],
)
def test_such_a_kernel_is_judged_on_a_gpu(judge, source: str) -> None:
    verdict = judged(judge, source)
    assert verdict.device.startswith("cuda: ")
    assert verdict.passed, verdict.diagnosis
