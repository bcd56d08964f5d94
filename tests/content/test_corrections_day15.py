"""Facts of Day 15 that can be decided by running, so that a new version that changes one is noticed.

The lesson's LLVM cells also run where llvmlite is missing, from `lessons/recorded/day-15.json`. After a
change of those cells or of llvmlite: `TUTOR_RECORD=1 pytest tests/content/test_corrections_day15.py`.
"""

import ctypes
import importlib.util
import inspect
import io
import json
import operator
import os
import sys
from contextlib import redirect_stdout

import llvmlite
import llvmlite.binding as llvm
import numpy as np
import pytest
import torch
import torch._dynamo.backends.tvm
import triton.language as tl
from torch.fx import symbolic_trace
from torch.fx.passes.dialect.common.cse_pass import CSEPass
from torch.utils._python_dispatch import TorchDispatchMode

from tutor.authoring.proof import has_expected
from tutor.base.paths import course_root
from tutor.course.catalog.course import open_course
from tutor.course.recordings import recorded, transcript_file

LLVM = ".".join(map(str, llvm.llvm_version_info))


def llvm_cells():
    lesson = open_course().lesson(15)
    cells = [c for c in lesson.cells if c.mode != "compile" and "said(" in c.code]
    assert len(cells) == 6
    return cells


def run_cells():
    """(what each cell printed, what `said` returned by name, the cells' names)."""
    names, printed, heard = {}, [], {}
    for cell in llvm_cells():
        out = io.StringIO()
        with redirect_stdout(out):
            exec(cell.code, names)
        printed.append(out.getvalue())
        if "heard" not in names:
            plain = names["said"]

            def listen(name, run, plain=plain):
                heard[name] = plain(name, run)
                return heard[name]

            names |= {"heard": heard, "said": listen}
    return printed, heard, names


@pytest.fixture(scope="module")
def live():
    return run_cells()


# --- the recorded transcript ------------------------------------------------------------------------


def test_the_transcript_is_what_llvm_says_today(live):
    _, heard, _ = live
    made = {"made_with": f"llvmlite {llvmlite.__version__}, LLVM {LLVM}", "said": heard}
    if os.environ.get("TUTOR_RECORD"):
        transcript_file(15).parent.mkdir(exist_ok=True)
        text = json.dumps(made, indent=1, sort_keys=True) + "\n"
        transcript_file(15).write_text(text, encoding="utf-8")
    tape = recorded(15)
    assert tape.made_with == made["made_with"], "record it again: see the top of this file"
    assert tape.said == heard


def test_without_llvmlite_the_cells_say_the_same_and_that_it_is_recorded(live, monkeypatch):
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    printed, _, names = run_cells()
    assert names["llvm"] is None
    assert "RECORDED, not run here: llvmlite" in printed[0]
    for cell, text, same in zip(llvm_cells(), printed, live[0], strict=True):
        assert [e for e in cell.expect if not has_expected(e, text)] == []
        assert "(recorded: " in text or text.startswith("RECORDED")
        assert "(recorded: " not in same
    assert names["left"] == live[2]["left"] == [12, 6, 5, 3, 3]
    assert names["wide"] == live[2]["wide"]


# --- LLVM -------------------------------------------------------------------------------------------


def test_only_leave_to_reassociate_makes_the_sum_wide(live):
    wide = live[2]["wide"]
    assert [word for word, count in wide.items() if count] == ["reassoc"]


def test_the_old_pointer_types_are_still_read_and_never_printed(live):
    dot = live[2]["dot"]
    old = dot.replace("ptr %x,", "float* %x,", 1).replace("ptr %px", "float* %px")
    assert old.count("float*") == 2
    module = llvm.parse_assembly(old)
    module.verify()
    assert "float*" not in str(module)


def test_the_dot_loop_runs_once_even_for_no_elements(live):
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    with llvm.create_mcjit_compiler(llvm.parse_assembly(live[2]["dot"]), machine) as engine:
        engine.finalize_object()
        pointer = ctypes.POINTER(ctypes.c_float)
        kind = ctypes.CFUNCTYPE(ctypes.c_float, pointer, pointer, ctypes.c_int64)
        dot = kind(engine.get_function_address("dot"))
        three, five = (ctypes.c_float * 1)(3.0), (ctypes.c_float * 1)(5.0)
        assert dot(three, five, 0) == 15.0


def test_the_passes_that_the_lesson_names_are_in_llvms_pipeline_and_canonicalize_is_not(live):
    machine = llvm.Target.from_triple("x86_64-linux").create_target_machine(cpu="x86-64-v3", opt=3)
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, tuning)
    builder.start_pass_timing()
    builder.getModulePassManager().run(llvm.parse_assembly(live[2]["dot"]), builder)
    ran = builder.finish_pass_timing()
    for name in ("SROA", "EarlyCSE", "SimplifyCFG", "InstCombine", "LoopRotate", "LICM", "GVN"):
        assert f" {name}Pass" in ran, name
    assert "LoopVectorizePass" in ran
    assert "SLPVectorizerPass" in ran
    assert "anonical" not in ran


# --- arithmetic -------------------------------------------------------------------------------------


def test_the_order_of_a_sum_shows_in_its_result():
    numbers = torch.rand(2**20, generator=torch.Generator().manual_seed(15))
    exact = numbers.double().sum().item()
    one_by_one = float(np.cumsum(numbers.numpy(), dtype=np.float32)[-1])
    assert abs(one_by_one - exact) > 20 * abs(numbers.sum().item() - exact)


def test_a_naive_multiply_has_a_quarter_of_a_flop_per_byte_and_n_over_six_is_the_ceiling():
    n, loads, flops = 12, 0, 0
    for _ in range(n):
        for _ in range(n):
            for _ in range(n):
                loads += 2  # a[i, k] and b[k, j]
                flops += 2  # a product and a sum
    assert flops / (4 * loads) == 0.25
    ceiling = 2 * 4096**3 / (3 * 4 * 4096**2)
    assert ceiling == pytest.approx(4096 / 6)


class Traffic(TorchDispatchMode):
    """The operators that arrive below autograd, and what each must move if it runs alone."""

    def __init__(self):
        super().__init__()
        self.names, self.moved = [], 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        tensors = [a for a in (*args, out) if isinstance(a, torch.Tensor)]
        self.names.append(str(func).split(".")[1])
        self.moved += sum(t.numel() * t.element_size() for t in tensors)
        return out


def test_tanh_gelu_is_eight_operators_that_move_nine_times_what_one_would():
    x = torch.randn(1000)
    with Traffic() as seen:
        cubic = x + 0.044715 * x**3
        0.5 * x * (1.0 + torch.tanh(0.79788456 * cubic))
    assert seen.names == ["pow", "mul", "add", "mul", "mul", "tanh", "add", "mul"]
    assert seen.moved == 72 * 1000 == 9 * (8 * 1000)


# --- graphs and names -------------------------------------------------------------------------------


class Reuse(torch.nn.Module):
    def forward(self, x):
        double = x * 2
        return (double + 1) * 3 - double


def test_reuse_has_six_nodes_and_nothing_for_any_pass():
    net = symbolic_trace(Reuse())
    assert len(net.graph.nodes) == 6
    assert [n.target for n in net.graph.nodes][1:5] == [
        operator.mul,
        operator.add,
        operator.mul,
        operator.sub,
    ]
    assert net.graph.eliminate_dead_code() is False
    assert CSEPass()(net).modified is False
    assert max(len(n.users) for n in net.graph.nodes) == 2


def test_the_cse_pass_merges_two_draws_on_torch_level_names():
    def noisy(x):
        return torch.nn.functional.dropout(x) - torch.nn.functional.dropout(x)

    result = CSEPass()(symbolic_trace(noisy))
    assert result.modified
    assert torch.equal(result.graph_module(torch.randn(1000)), torch.zeros(1000))


def test_triton_has_no_tanh_of_its_own():
    assert not hasattr(tl.math, "tanh")


def test_the_tvm_backend_of_torch_2_13_still_calls_relay():
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if version <= (2, 13):
        assert "relay" in inspect.getsource(torch._dynamo.backends.tvm)


# --- the exercises' references ----------------------------------------------------------------------


def reference(slug):
    path = course_root() / "kernels" / slug / "reference.py"
    spec = importlib.util.spec_from_file_location(f"day15_{slug}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Counted by hand: nodes, foldable calls, dead nodes, nodes that CSE saves.
BY_HAND = {
    "Reuse": [6, 0, 0, 0],
    "one node does nothing": [4, 0, 1, 0],
    "dead code that feeds dead code": [6, 0, 3, 0],
    "the same product twice": [6, 0, 0, 1],
    "twice the same, two steps deep": [9, 0, 0, 3],
    "the operands exchanged": [5, 0, 0, 0],
    "the same but for a keyword": [8, 0, 0, 1],
    "weights only": [7, 3, 0, 0],
    "weights and input": [6, 1, 0, 0],
    "a buffer read twice": [8, 0, 0, 1],
    "two draws": [8, 0, 0, 1],
    "dropout twice": [6, 0, 0, 0],
    "draws as large as a weight": [6, 0, 0, 0],
    "all three": [12, 6, 2, 3],
}


def test_the_reference_of_fx_count_and_find_counts_as_a_person_does():
    module = reference("fx_count_and_find")
    for case in module.CASES:
        if case.name in BY_HAND:
            source = case.make(torch.Generator().manual_seed(1))
            assert module.reference(*source).tolist() == BY_HAND.pop(case.name), case.name
    assert not BY_HAND


def executed(program, arguments):
    """(returned value, cells) of a program of `llvm_passes`; a cell holds its number plus 11."""
    values, cells = [], {}
    for op, a, b in program.tolist():
        if op == 7:
            return values[a], cells
        if op == 6:
            cells[a] = values[b]
        values.append(
            {
                0: lambda a, b: arguments[a],
                1: lambda a, b: a,
                2: lambda a, b: values[a] + values[b],
                3: lambda a, b: values[a] - values[b],
                4: lambda a, b: values[a] * values[b],
                5: lambda a, b: cells.get(a, a + 11),
                6: lambda a, b: None,
            }[op](a, b)
        )
    raise AssertionError("no RET")


@pytest.mark.parametrize("seed", range(10))
def test_the_reference_of_llvm_passes_keeps_the_meaning_and_finds_nothing_twice(seed):
    module = reference("llvm_passes")
    for case in module.CASES:
        (program,) = case.make(torch.Generator().manual_seed(seed))
        short = module.reference(program)
        assert len(short) <= len(program)
        assert executed(short, (5, -7)) == executed(program, (5, -7)), case.name
        assert torch.equal(module.reference(short), short), case.name
