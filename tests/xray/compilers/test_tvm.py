"""TVM's ladder: counts, results, lines, what it cannot take, and CUDA C without a GPU."""

import ctypes
import importlib.util
import sys
from math import prod
from pathlib import Path

import pytest
import torch
from subjects import SUBJECTS, Emitted, captured, emitted, source_line

from tutor.xray.compilers.capture import capture
from tutor.xray.model.compiler import TVM
from tutor.xray.model.counts.tvmscript import count_tvmscript

pytest.importorskip("tvm")

from tutor.xray.compilers.tvm import lower

CPU = [
    "relax",
    "legalize",
    "fuse_ops",
    "fuse_tir",
    "memory",
    "loops",
    "llvm",
    "asm",
    "vm",
    "result",
]
GPU = ["relax", "legalize", "fuse_ops", "fuse_tir", "schedule", "memory", "loops", "cuda"]
# Functions before and after FuseTIR, and the calls of them: two calls of attention share a function.
UNITS = {
    "linear_gelu": (3, 1, 1),
    "softmax": (1, 1, 1),
    "layer_norm": (1, 1, 1),
    "attention": (13, 8, 9),
}


@pytest.fixture(scope="module", params=SUBJECTS)
def on_cpu(request: pytest.FixtureRequest) -> tuple[str, Emitted]:
    return request.param, emitted(lower, captured(request.param))


def test_units_and_results_on_a_cpu(on_cpu: tuple[str, Emitted]) -> None:
    name, seen = on_cpu
    assert not seen.failures
    assert list(dict.fromkeys(stage.name for stage in seen.stages)) == CPU
    before, after = seen.counts(TVM.before), seen.counts(TVM.after)
    assert (before["units"], after["units"], after["calls"]) == UNITS[name]
    assert len(seen.stage(TVM.after).notes) == after["units"]
    assert len([stage for stage in seen.stages if stage.name == "loops"]) == after["units"]
    assert seen.counts("result")["difference"] < 2e-5


def test_what_was_fused_is_told_by_the_operations_names() -> None:
    seen = emitted(lower, captured("linear_gelu"), last="fuse_tir")
    assert seen.stage("fuse_tir").notes == ("fused_matmul_add_gelu: matmul, add, gelu",)
    assert seen.stages[-1].name == "fuse_tir"
    seen = emitted(lower, captured("attention"), last="fuse_tir")
    assert "fused_softmax_broadcast_to2: softmax, broadcast_to" in seen.stage("fuse_tir").notes


def test_buffers_are_counted_with_their_bytes() -> None:
    seen = emitted(lower, captured("linear_gelu"), last="loops")
    full = 4 * prod((64, 256))
    assert seen.counts("relax")["bytes"] == 2 * full
    assert (seen.counts("fuse_tir")["buffers"], seen.counts("fuse_tir")["bytes"]) == (6, 6 * full)
    assert seen.counts("fuse_tir")["loops"] == 15  # 3 of the product, and 2 of each other nest
    assert (seen.counts("loops")["buffers"], seen.counts("loops")["bytes"]) == (2, 2 * full)
    assert seen.counts("memory") == {"buffers": 0, "bytes": 0}, "the caller gets the only tensor"
    text = '  a = T.alloc_shared((8, 4), "float16")\n  b = T.sblock_alloc_buffer((n, T.int64(4)))\n'
    assert count_tvmscript(text)["bytes"] == 64


def test_a_node_that_hands_its_operand_on_does_not_take_its_line() -> None:
    """`to` is exported with a check of its operand, which TVM imports as that operand."""

    def narrowed(x):
        y = torch.relu(x)
        return y.to(torch.float16)

    seen = emitted(lower, capture(narrowed, (torch.ones(8),)), last="relax")
    lines = seen.stage("relax").text.split("\n")
    tied = {
        operation: link.source_line
        for link in seen.links
        for operation in ("relu", "astype")
        if f"{operation}(" in lines[link.target_line - 1]
    }
    assert tied == {"relu": 2, "astype": 3}


TIED = [
    ("linear_gelu", "x @ w", "relax", "R.matmul(x, w"),
    ("linear_gelu", "h + b", "relax", "R.add("),
    ("linear_gelu", "F.gelu", "legalize", "cls.gelu"),
    ("linear_gelu", "F.gelu", "fuse_tir", "def fused_matmul_add_gelu("),
    ("linear_gelu", "h + b", "llvm", "@fused_matmul_add_gelu_compute_("),
    ("linear_gelu", "x @ w", "asm", "fused_matmul_add_gelu_compute_:"),
    ("attention", "p = torch", "fuse_ops", "def fused_softmax_broadcast_to2("),
    ("attention", "q @ k", "fuse_tir", "def matmul("),
    ("attention", "p @ v", "fuse_tir", "def matmul1("),
    ("attention", "q @ k", "memory", "fused_broadcast_to_reshape(q"),
    ("attention", "p @ v", "memory", "fused_broadcast_to_reshape(v"),
    ("attention", "p @ v", "vm", "call  matmul1 "),
]


def test_lines_are_tied_to_what_their_operations_went_into() -> None:
    ladders = {name: emitted(lower, captured(name)) for name in ("linear_gelu", "attention")}
    for name, source, stage, text in TIED:
        line = source_line(captured(name), source)
        seen = ladders[name]
        shown = seen.stage(stage).text.splitlines()
        found = [
            shown[link.target_line - 1]
            for link in seen.links
            if (link.source, link.source_line, link.target) == ("source", line, f"tvm/{stage}")
        ]
        assert any(text in line for line in found), (source, stage, found)
    calls = [line for line in found if "fused_broadcast_to_reshape" in line]
    assert len(calls) == 1, "the other call of the same function belongs to another line"
    keys = {stage.key for stage in ladders["attention"].stages} | {"source"}
    assert {
        end for link in ladders["attention"].links for end in (link.source, link.target)
    } <= keys


def test_cuda_c_needs_no_gpu_and_no_table_of_instructions() -> None:
    for name, fused in (("linear_gelu", "fused_matmul_add_gelu"), ("softmax", "softmax")):
        seen = emitted(lower, captured(name), "sm_90")
        assert not seen.failures
        assert [stage.name for stage in seen.stages] == GPU
        assert "threadIdx.x" in seen.stage("schedule").text
        assert seen.stage("loops").kernel == fused
        assert f"{fused}_kernel(" in seen.stage("cuda").text
        assert seen.counts("cuda")["units"] == 1
    narrow = torch.ones(128, 128, dtype=torch.float16)
    seen = emitted(lower, capture(torch.matmul, (narrow, narrow)), "sm_75")
    assert not seen.failures
    assert "tensor cores" in seen.stage("schedule").notes[0]
    assert not {name for name in sys.modules if name.startswith("tvm.s_tir.tensor_intrin")}


def compile_cuda(text: str, target: str) -> str:
    """Compile CUDA C with NVRTC, of the packages that its note names; return PTX. Skips without them."""
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    libraries = [file for place in folders for file in place.glob("*/lib/libnvrtc*.so*")]
    headers = [file for place in folders for file in place.glob("*/include/cccl")]
    if not (libraries and headers):
        pytest.skip("needs nvidia-cuda-nvrtc, nvidia-cuda-cccl and nvidia-cuda-runtime")
    for library in sorted(libraries, key=lambda file: "builtins" not in file.name):
        nvrtc = ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"", 0, None, None) == 0
    options = [f"-arch={target.replace('sm', 'compute')}", "-std=c++17", "-w"]
    options += [f"-I{place}" for place in (headers[0], headers[0].parent)]
    given = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), given)
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    assert status == 0, log.value.decode()
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetPTX(program, ptx) == 0
    return ptx.value.decode()


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_cuda_c_compiles_with_nvrtc(name: str) -> None:
    seen = emitted(lower, captured(name), "sm_80")
    assert "NVRTC" in seen.stage("cuda").notes[0]
    ptx = compile_cuda(seen.stage("cuda").text, "sm_80")
    assert ptx.count(".visible .entry") == seen.counts("cuda")["units"]


def test_cuda_c_stays_text_where_cuda_is_at_hand() -> None:
    """TVM asks for this function where it finds CUDA, and compiles before it calls it."""
    from tvm_ffi.registry import register_global_func, remove_global_func

    asked: list[object] = []
    name = "ffi.Module.create.cuda"
    register_global_func(name, lambda *given: asked.append(given), override=True)
    try:
        seen = emitted(lower, captured("softmax"), "sm_120")
    finally:
        remove_global_func(name)
    assert not seen.failures
    assert asked == []


def two_halves(x):
    first, second = x.split(4, dim=1)
    return torch.cat([first.exp(), second.sin()]), first.sum()


def test_results_in_tuples_and_names_that_stand_twice_are_followed() -> None:
    seen = emitted(lower, capture(two_halves, (torch.ones(8, 8),)))
    assert not seen.failures
    assert "fused_tir_exp_tir_sin_concatenate: exp, sin, concat" in seen.stage("fuse_tir").notes


def decompose(x):
    return torch.linalg.svd(x)[0]


@pytest.mark.parametrize(
    ("target", "last", "stage", "words"),
    [
        ("cpu", None, "tvm/relax", "TVM's importer does not know _linalg_svd.default."),
        ("gfx942", None, "tvm/", "not lowered for gfx942"),
        ("cpu", "schedule", "tvm/schedule", "schedules nothing"),
        ("sm_80", "result", "tvm/result", "not compiled or run"),
    ],
)
def test_what_cannot_be_had_is_told_in_a_sentence(
    target: str, last: str | None, stage: str, words: str
) -> None:
    subject = captured("softmax") if last else capture(decompose, (torch.eye(3),))
    (failure,) = emitted(lower, subject, target, last).failures
    assert failure.stage == stage
    assert words in failure.sentence
