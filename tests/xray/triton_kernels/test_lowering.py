"""Kernels down to machine code, without a GPU: what each stage must hold, and what is said if not."""

import importlib
import re
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from running import TRITON
from triton import knobs

from tutor.base.errors import UsageError
from tutor.hardware import gpus
from tutor.ui.ladder.model.stages import Ladder
from tutor.xray.model import counts
from tutor.xray.model.input_specs import Arguments, parse_inputs
from tutor.xray.model.stages import Event, Failure, Link, Stage
from tutor.xray.triton_kernels import compiler, ptxas_log, specialization
from tutor.xray.triton_kernels.lowering import lower_kernels, stages_of

KERNELS = Path(__file__).parents[1] / "xray_kernels.py"
INPUTS = {
    "add": ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024"),
    "softmax": ("f32[64,1000]", "f32[64,1000]", "1000", "1000", "1024"),
    "matmul": ("f16[512,512]", "f16[512,512]", "f16[512,512]", "512", "512", "512"),
    "attention": ("f16[8,512,64]",) * 4 + ("0.125", "512", "64", "64", "64"),
}


class Seen:
    """One kernel's stages by name, with its links and failures."""

    def __init__(
        self,
        kernels: ModuleType,
        name: str,
        inputs: tuple[str, ...],
        target: str,
        last: str | None = None,
    ) -> None:
        self.events: list[Event] = []
        self.kernel = specialization.specialize_kernel(
            getattr(kernels, name), Arguments.of(parse_inputs(inputs))
        )
        self.status = lower_kernels(
            [self.kernel], gpus.target(target), self.events.append, last=last
        )
        self.stages = {e.name: e for e in self.events if isinstance(e, Stage)}
        self.links = [e for e in self.events if isinstance(e, Link)]
        self.failures = [e for e in self.events if isinstance(e, Failure)]

    def count(self, name: str) -> Any:
        return counts.of_stages(self.stages.values())[name]


@pytest.fixture(scope="module")
def seen(kernels: ModuleType) -> Any:
    """Each (kernel, target) is lowered once for all tests."""
    known: dict[tuple[str, str], Seen] = {}

    def look(name: str, target: str) -> Seen:
        if (name, target) not in known:
            known[name, target] = Seen(kernels, name, INPUTS[name], target)
        return known[name, target]

    return look


@pytest.mark.parametrize("name", sorted(INPUTS))
@pytest.mark.parametrize("target", ["sm_80", "sm_90", "gfx942"])
def test_every_stage_is_there_in_its_order(seen: Any, name: str, target: str) -> None:
    found = seen(name, target)
    assert (found.status, found.failures) == (0, [])
    assert tuple(found.stages) == stages_of(gpus.target(target))
    assert all(stage.text.strip() and stage.kernel == name for stage in found.stages.values())
    assert "loc(" not in found.stages["ttir"].text
    assert "!dbg" not in found.stages["llir"].text


def test_an_aligned_load_is_one_of_128_bits(seen: Any) -> None:
    found = seen("add", "sm_90")
    assert "ld.global.v4.b32" in found.stages["ptx"].text
    assert "LDG.E.128" in found.stages["sass"].text
    assert (found.count("ptx.load_bits"), found.count("sass.load_bits")) == (128, 128)
    assert found.count("ptx.global_loads") == found.count("sass.global_loads") == 4
    assert found.count("registers") > 0
    assert found.count("spills") == 0


def test_an_odd_size_cannot_be_aligned(kernels: ModuleType) -> None:
    """Rows of 1001 elements do not begin at multiples of 16 bytes."""
    inputs = ("f32[64,1001]", "f32[64,1001]", "1001", "1001", "1024")
    found = Seen(kernels, "softmax", inputs, "sm_90", last="ptx")
    assert dict(found.stages["ptx"].counts)["load_bits"] == 32


@pytest.mark.parametrize(
    ("target", "instruction", "machine"),
    [
        (
            "sm_80",
            r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32",
            r"HMMA\.16816\.F32",
        ),
        ("sm_90", r"wgmma\.mma_async\.sync\.aligned\.m64n64k16\.f32\.f16\.f16", r"HGMMA\.64x64x16"),
    ],
)
def test_a_dot_of_halves_is_done_by_tensor_cores(
    seen: Any, target: str, instruction: str, machine: str
) -> None:
    for name in ("matmul", "attention"):
        found = seen(name, target)
        assert found.count("ptx.tensor_core") > 0
        assert found.count("sass.tensor_core") > 0
        assert re.search(instruction[:12], found.stages["ptx"].text)
    assert re.search(instruction, seen("matmul", target).stages["ptx"].text)
    assert re.search(machine, seen("matmul", target).stages["sass"].text)


def test_amd_has_its_own_matrix_instruction(seen: Any) -> None:
    found = seen("matmul", "gfx942")
    assert "v_mfma_f32_" in found.stages["amdgcn"].text
    assert found.count("tensor_core") > 0
    assert found.count("vgprs") > 0


def test_blackwell_accumulates_in_tensor_memory(kernels: ModuleType) -> None:
    found = Seen(kernels, "matmul", (*INPUTS["matmul"], "BM=128", "BN=128"), "sm_100")
    assert found.status == 0
    assert "tcgen05.mma" in found.stages["ptx"].text
    assert found.count("sass.tensor_core") > 0


def test_layouts_are_named(seen: Any) -> None:
    notes = "\n".join(seen("matmul", "sm_90").stages["ttgir"].notes)
    assert "the accumulator of wgmma, tiles of 16×64×16" in notes
    assert "#shared: shared memory as wgmma and TMA read it" in notes
    for name in re.findall(r"^#(\w+) = #tt", seen("matmul", "sm_90").stages["ttgir"].text, re.M):
        assert f"#{name}: " in notes


@pytest.mark.parametrize("name", sorted(INPUTS))
@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_a_line_is_tied_to_what_became_of_it(seen: Any, name: str, target: str) -> None:
    """The store's line reaches the store of every stage below, and the store alone leads back."""
    found = seen(name, target)
    lines = found.stages["triton"].text.splitlines()
    store = next(n for n, line in enumerate(lines, 1) if "tl.store(" in line)
    way = Ladder(found.links).lit(f"triton:{name}", store)
    stores = {
        "ttir": ("tt.store",),
        "ttgir": ("tt.store", "buffer_store"),
        "llir": ("st.global", "buffer.store"),
        "ptx": ("st.global",),
        "sass": ("STG.",),
        "amdgcn": ("_store_",),
    }
    for stage, marks in stores.items():
        if stage not in found.stages:
            continue
        text = found.stages[stage].text.splitlines()
        lit = [text[n - 1] for n in way[f"{stage}:{name}"]]
        assert any(mark in line for line in lit for mark in marks), (stage, lit)
    for link in found.links:
        ends = {s.key: s.text.count("\n") + 1 for s in found.stages.values()}
        assert 1 <= link.source_line <= ends[link.source]
        assert 1 <= link.target_line <= ends[link.target]


def test_a_helper_is_shown_and_tied_to_its_own_lines(seen: Any) -> None:
    found = seen("softmax", "sm_90")
    lines = found.stages["triton"].text.splitlines()
    helper = next(n for n, line in enumerate(lines, 1) if "tl.exp(row" in line)
    lit = Ladder(found.links).lit("triton:softmax", helper)["ttir:softmax"]
    text = found.stages["ttir"].text.splitlines()
    assert any("math.exp" in text[n - 1] for n in lit)
    # tl.sum is Triton's own code: its lines are those of the call
    total = next(n for n, line in enumerate(lines, 1) if "tl.sum(" in line)
    lit = Ladder(found.links).lit("triton:softmax", total)["ttir:softmax"]
    assert any("tt.reduce" in text[n - 1] for n in lit)


def test_an_autotuned_kernel_shows_its_first_configuration(seen: Any) -> None:
    found = seen("matmul", "sm_90")
    assert dict(found.kernel.constexprs) == {"BM": 64, "BN": 64, "BK": 32}
    assert dict(found.kernel.options)["num_stages"] == 3
    assert any("of 2 configurations the first" in note for note in found.kernel.notes)


@pytest.mark.slow
def test_few_registers_spill(kernels: ModuleType) -> None:
    roomy = Seen(kernels, "greedy", ("f32[65536]", "f32[65536]", "8192", "num_warps=4"), "sm_80")
    tight = Seen(
        kernels,
        "greedy",
        ("f32[65536]", "f32[65536]", "8192", "num_warps=4", "maxnreg=32"),
        "sm_80",
    )
    assert tight.count("registers") <= 32 < roomy.count("registers")
    assert tight.count("spills") > 0
    assert tight.count("local_stores") > 0
    assert "STL" in tight.stages["sass"].text
    stack, stores, loads = frame_of(tight, "sm_80")
    assert tight.count("stack_bytes") == stack
    assert (tight.count("spill_store_bytes"), tight.count("spill_load_bytes")) == (stores, loads)
    assert tight.count("spills") == min(stack, stores) // 4


def frame_of(seen: Seen, target: str) -> tuple[int, ...]:
    """What `ptxas -v` says of the kernel's PTX: bytes of the frame, of spill stores and loads."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.ptx"
        file.write_text(seen.stages["ptx"].text, "utf-8")
        command = [knobs.nvidia.ptxas.path, "-v", f"--gpu-name={target}", str(file)]
        command += ["--regAllocOptLevel=2", "-o", f"{folder}/kernel.cubin"]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+)", said)
    assert frame, said
    return tuple(map(int, frame.groups()))


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        pytest.param(
            *("sines", ("f32[4096]", "f32[4096]", "4096", "1024")),
            marks=pytest.mark.skipif(TRITON >= (3, 9), reason="ptxas keeps it in registers"),
        ),
        ("printed", ("f32[64]", "64")),
    ],
)
def test_an_array_in_the_frame_is_no_spill(
    kernels: ModuleType, name: str, inputs: tuple[str, ...]
) -> None:
    found = Seen(kernels, name, inputs, "sm_80")
    stack, stores, _ = frame_of(found, "sm_80")
    assert stack > 0 == stores
    assert (found.count("spills"), found.count("stack_bytes")) == (0, stack)
    assert found.count("local_stores") > 0
    assert f"0 spilled words, {stack} bytes of stack" in found.stages["sass"].notes[0]


@pytest.mark.slow
def test_a_block_too_large_for_shared_memory_is_told(kernels: ModuleType) -> None:
    inputs = (*INPUTS["matmul"], "BM=128", "BN=256", "BK=128", "num_stages=4", "num_warps=8")
    found = Seen(kernels, "matmul", inputs, "sm_80")
    assert "cannot be launched" in found.failures[0].sentence
    assert str(gpus.target("sm_80").shared_per_block_optin) in found.failures[0].sentence


@pytest.mark.slow
def test_a_configuration_that_does_not_fit_is_left_out_by_the_autotuner(
    kernels: ModuleType,
) -> None:
    inputs = (*INPUTS["matmul"], "BM=128", "BN=256", "BK=128", "num_stages=4", "num_warps=8")
    kernel = specialization.specialize_kernel(kernels.matmul, Arguments.of(parse_inputs(inputs)))
    events: list[Event] = []
    lower_kernels([replace(kernel, configurations=3)], gpus.target("sm_80"), events.append)
    (failure,) = [event for event in events if isinstance(event, Failure)]
    assert "with the first of its configurations" in failure.sentence
    assert failure.sentence.endswith("The autotuner leaves such a one out")


def test_it_stops_where_it_is_told(kernels: ModuleType) -> None:
    found = Seen(kernels, "add", INPUTS["add"], "sm_90", last="ttgir")
    assert tuple(found.stages) == ("triton", "ttir", "ttgir")
    assert (found.status, found.failures) == (0, [])


def test_several_kernels_are_all_there(kernels: ModuleType) -> None:
    sources = [
        specialization.specialize_kernel(getattr(kernels, n), Arguments.of(parse_inputs(INPUTS[n])))
        for n in ("add", "softmax")
    ]
    events: list[Event] = []
    assert lower_kernels(sources, gpus.target("sm_80"), events.append) == 0
    stages = [event for event in events if isinstance(event, Stage)]
    assert {(s.kernel, s.name) for s in stages} == {
        (kernel, name) for kernel in ("add", "softmax") for name in stages_of(gpus.target("A100"))
    }
    assert counts.of_stages(stages)["kernels"] == 2


def test_a_kernel_that_does_not_compile(kernels: ModuleType) -> None:
    found = Seen(kernels, "broken", ("f32[64]", "64"), "sm_90")
    assert (found.status, tuple(found.stages)) == (1, ("triton",))
    (failure,) = found.failures
    assert failure.stage == "ttir:broken"
    assert "\n" not in failure.sentence


def test_without_nvdisasm_all_but_sass_is_had(
    kernels: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vars(type(knobs.nvidia))["nvdisasm"], "default_path", "/none/nvdisasm")
    found = Seen(kernels, "add", INPUTS["add"], "sm_90")
    assert (found.status, tuple(found.stages)[-1]) == (3, "ptx")
    (failure,) = found.failures
    assert failure.stage == "sass:add"
    assert "nvdisasm was not found" in failure.sentence


@pytest.mark.parametrize(
    ("name", "inputs", "says"),
    [
        ("add", ("f32[8]",), "add needs a value for y_ptr"),
        ("add", (*INPUTS["add"][:4], "f32[8]"), "BLOCK of add is a tl.constexpr"),
        ("add", ("f32[8]",) * 3 + ("'many'", "64"), "n of add takes a tensor or a number, not str"),
        ("add", ("f32[8]",) * 3 + (str(1 << 70), "64"), "does not fit in 64 bits"),
        ("add", (*INPUTS["add"][:4], "1", "2", "3"), "has 5 parameters"),
        ("add", (*INPUTS["add"], "n=4"), "by place and by name"),
        ("add", (*INPUTS["add"], "blocks=4"), "has no parameter blocks"),
        ("add", (*INPUTS["add"], "num_warps='4'"), "num_warps is a whole number"),
    ],
)
def test_inputs_that_do_not_fit(
    kernels: ModuleType, name: str, inputs: tuple[str, ...], says: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        specialization.specialize_kernel(getattr(kernels, name), Arguments.of(parse_inputs(inputs)))


def test_arguments_are_specialized_as_a_launch_does(kernels: ModuleType) -> None:
    def types(*inputs: str) -> dict[str, str]:
        source = specialization.specialize_kernel(
            kernels.softmax, Arguments.of(parse_inputs(inputs))
        )
        return {**dict(source.signature), "divisible": ",".join(source.divisible)}

    tensors = ("f32[8]", "bf16[8]")
    assert types(*tensors, "1", str(1 << 40), "64") == {
        "x_ptr": "*fp32",
        "out_ptr": "*bf16",
        "stride": "constexpr",
        "columns": "i64",
        "BLOCK": "constexpr",
        "divisible": "x_ptr,out_ptr,columns",
    }
    assert types(*tensors, "17", "0.5", "64")["columns"] == "fp32"
    assert types(*tensors, "17", "True", "64")["columns"] == "u1"


@pytest.mark.parametrize(
    "path",
    [
        "backends.compiler.GPUTarget",
        "compiler.ASTSource",
        "knobs.compilation.always_compile",
        "knobs.nvidia.dump_ptxas_log",
        "knobs.nvidia.nvdisasm",
        "knobs.runtime.add_stages_inspection_hook",
        "knobs.runtime.interpret",
        "runtime.jit.JITFunction",
    ],
)
def test_triton_has_the_name(path: str) -> None:
    found: Any = importlib.import_module(f"triton.{path.split('.')[0]}")
    for part in path.split(".")[1:-1]:
        found = getattr(found, part)
    assert hasattr(found, path.split(".")[-1])


@pytest.mark.parametrize("name", ["sm_90", "sm_100"])  # they may have assemblers of their own
def test_a_kernel_that_triton_compiled_for_a_launch_has_the_same_figures(
    kernels: ModuleType, name: str
) -> None:
    """Its metadata has none, as of a kernel that a GPU runs: ptxas assembles its text again."""
    arguments = Arguments.of(parse_inputs(INPUTS["softmax"]))
    source = specialization.specialize_kernel(kernels.softmax, arguments)
    target = gpus.target(name)
    known, forms = compiler.compile_or_load(source, target, lambda metadata: None)
    bare = {name: value for name, value in known.items() if name != ptxas_log.KEY}
    again = ptxas_log.read_usage(bare, forms["ptx"])
    assert {*again} >= {"registers", "spills", "stack_bytes"}
    assert again == ptxas_log.read_usage(known)


def test_a_jitted_function_tells_what_is_asked_of_it(kernels: ModuleType) -> None:
    first, last = kernels.add.params[0], kernels.add.params[-1]
    assert (first.name, last.name, last.is_constexpr, first.is_constexpr) == (
        "x_ptr",
        "BLOCK",
        True,
        False,
    )
    assert not any((first.has_default, first.do_not_specialize, first.annotation_type))
    lines = KERNELS.read_text("utf-8").splitlines(keepends=True)
    start = kernels.add.starting_line_number
    assert kernels.add.raw_src == lines[start - 1 : start - 1 + len(kernels.add.raw_src)]
    assert kernels.add.fn.__code__.co_filename == str(KERNELS)


def test_a_parameter_named_like_an_option_is_the_kernels(kernels: ModuleType) -> None:
    inputs = ("f32[100]", "100", "num_stages=4", "num_warps=1")
    found = specialization.specialize_kernel(kernels.staged, Arguments.of(parse_inputs(inputs)))
    assert dict(found.constexprs)["num_stages"] == 4
    assert dict(found.options) == {"num_warps": 1, "num_ctas": 1}


def test_the_note_of_an_autotuner_says_what_is_compiled(kernels: ModuleType) -> None:
    def note(*inputs: str) -> str:
        given = Arguments.of(parse_inputs(("f32[4096]", *inputs)))
        return specialization.specialize_kernel(kernels.staged, given).notes[0]

    assert note("4096", "2").startswith(
        "Autotuned: of 2 configurations the first is shown (BLOCK=256,"
    )
    pruned = note("100", "2")
    assert (
        "of which early_config_prune leaves 1, the first is shown (BLOCK=64, num_warps=2" in pruned
    )
    assert "BLOCK=128" in (given := note("4096", "2", "BLOCK=128"))
    assert "BLOCK, num_stages as given" in given


@pytest.mark.parametrize(("dtype", "first", "half"), [("f32", 128, False), ("f16", 256, True)])
def test_rules_ask_for_the_dtype_of_a_tensor(
    kernels: ModuleType, dtype: str, first: int, half: bool
) -> None:
    given = Arguments.of(parse_inputs((f"{dtype}[4096]", "4096")))
    found = specialization.specialize_kernel(kernels.modelled, given)
    leave = {128: "early_config_prune leaves 3, of which perf_model leaves 2"}.get(
        first, "perf_model leaves 2"
    )
    assert (
        f"of 4 configurations, of which {leave}, the first is shown (BLOCK={first},"
        in found.notes[0]
    )
    assert dict(found.constexprs)["HALF"] is half


def test_rules_that_raise_are_named(kernels: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(configs: object, arguments: object, **keywords: object) -> list[object]:
        raise RuntimeError("a value is asked for")

    monkeypatch.setattr(kernels.modelled, "early_config_prune", ask)
    given = Arguments.of(parse_inputs(("f32[4096]", "4096")))
    (note, *_) = specialization.specialize_kernel(kernels.modelled, given).notes
    unknown = "what early_config_prune leaves out is not known here"
    assert f"of 4 configurations ({unknown}) the first is shown (BLOCK=256," in note


def test_more_threads_than_a_block_has(kernels: ModuleType) -> None:
    found = Seen(kernels, "add", (*INPUTS["add"], "num_warps=64"), "sm_90")
    assert "num_warps=64 is 2048 threads a block, and H100 has 1024" in found.failures[0].sentence


@pytest.mark.parametrize("target", ["sm_75", "sm_86", "sm_120"])
def test_further_targets(kernels: ModuleType, target: str) -> None:
    found = Seen(kernels, "add", INPUTS["add"], target)
    assert (found.status, found.failures) == (0, [])
    assert found.count("registers") > 0
