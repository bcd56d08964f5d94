"""Triton's passes left out of a lowering: what each bought, and what is not lowered without it.

The private names of Triton that this needs are held here, each by itself.
"""

import os
import re
import signal
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tutor.base.errors import CannotHere, UsageError
from tutor.hardware import gpus
from tutor.xray.model.input_specs import Arguments, parse_inputs
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.stages import Event, Omission, Stage
from tutor.xray.triton_kernels import omissions, specialization, triton_passes
from tutor.xray.triton_kernels.compiler import compile_kernel, compile_or_load
from tutor.xray.triton_kernels.lowering import lower_kernels
from tutor.xray.triton_kernels.pass_changes import _HEADER, PassDump

ADD = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")
MATMUL = ("f16[512,512]", "f16[512,512]", "f16[512,512]", "512", "512", "512")


def specialize(kernels: ModuleType, name: str, inputs: tuple[str, ...]) -> KernelSource:
    arguments = Arguments.of(parse_inputs(inputs))
    return specialization.specialize_kernel(getattr(kernels, name), arguments)


def leave_out(
    kernel: KernelSource, *wanted: str, target: str = "sm_90"
) -> tuple[dict[str, Stage], list[Omission]]:
    """Return the stages of the whole kernel, and the rows in the order of the passes."""
    events: list[Event] = []
    assert omissions.lower_without(kernel, gpus.target(target), events.append, wanted) == 0
    rows = [event for event in events if isinstance(event, Omission)]
    stages = {event.name: event for event in events if isinstance(event, Stage)}
    return stages, sorted(rows, key=lambda row: row.place)


@pytest.mark.parametrize("path", triton_passes.MODULES)
def test_each_module_of_passes_is_there_and_adds_some(path: str) -> None:
    module = import_module(triton_passes.LIBRARY)
    for part in path.split("."):
        module = getattr(module, part)
    assert [name for name in dir(module) if name.startswith("add_")]


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "gfx942"])
def test_the_watched_passes_are_those_that_mlir_runs(kernels: ModuleType, target: str) -> None:
    """By a second path: MLIR's own dump. A pass that Triton adds may run others inside."""
    dump, seen = PassDump(), Counter[str]()

    def note(stage: str, name: str) -> bool:
        seen[name] += stage == "ttgir"
        return True

    compile_kernel(
        specialize(kernels, "add", ADD), gpus.target(target), lambda *_: None, dump, note
    )
    ran = Counter(re.sub(r"\W", "_", name) for name in _HEADER.findall(dump.text))
    for name, mlir in {
        "coalesce": "tritongpu_coalesce",
        "remove_layout_conversions": "tritongpu_remove_layout_conversions",
        "symbol_dce": "symbol_dce",
        "cse": "cse",
    }.items():
        assert seen[name] == ran[mlir] > 0, (name, ran)
    assert 0 < seen["canonicalizer"] <= ran["canonicalize"]


def test_the_functions_are_put_back(kernels: ModuleType) -> None:
    before = {name: [getattr(*p) for p in places] for name, places in _functions()}
    with pytest.raises(RuntimeError, match="stopped here"), triton_passes.watch_passes(_stop):
        compile_kernel(specialize(kernels, "add", ADD), gpus.target("sm_90"), lambda *_: None)
    assert before == {name: [getattr(*p) for p in places] for name, places in _functions()}


def _functions() -> list[tuple[str, list[tuple[object, str]]]]:
    return list(triton_passes.list_functions().items())


def _stop(name: str) -> bool:
    raise RuntimeError(f"stopped here: {name}")


def test_coalescing_buys_wide_accesses(kernels: ModuleType) -> None:
    stages, (whole, row) = leave_out(specialize(kernels, "add", ADD), "coalesce")
    assert list(stages) == ["triton", "ttir", "ttgir", "llir", "ptx", "sass"]
    assert dict(whole.counts) == dict(stages["sass"].counts)
    assert (dict(whole.counts)["load_bits"], dict(row.counts)["load_bits"]) == (128, 32)
    assert (row.stage, row.times, row.place, row.of) == ("ttgir", 1, 1, 1)
    assert row.changed == ("ttgir", "llir", "ptx", "sass")
    texts = dict(row.texts)
    assert "sizePerThread = [4]" in stages["ttgir"].text
    assert "sizePerThread = [1]" in texts["ttgir"]
    assert "LDG.E.128" not in texts["sass"]
    assert "LDG.E.128" in stages["sass"].text


def test_a_kernel_without_a_pass_is_not_kept_in_the_cache(
    kernels: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the judge, which reads figures of the whole kernel there, has those of another."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    kernel = specialize(kernels, "add", ADD)
    leave_out(kernel, "coalesce")
    _, forms = compile_or_load(kernel, gpus.target("sm_90"), lambda metadata: None)
    assert "ld.global.v4.b32" in forms["ptx"]


@pytest.mark.slow
def test_each_pass_of_a_product_of_tiles(kernels: ModuleType) -> None:
    """The counts that the passes are known for, and each left-out row told by the compiler itself."""
    _, (whole, *rows) = leave_out(specialize(kernels, "matmul", MATMUL), "all")
    assert [row.place for row in rows] == list(range(1, whole.of + 1))
    by_name = {(row.stage, row.name): row for row in rows}
    counts = {key: dict(row.counts) for key, row in by_name.items()}
    own = dict(whole.counts)
    assert own["async_copies"] > 0
    assert own["tensor_core"] > 0
    assert counts["ttgir", "pipeline"]["async_copies"] == 0
    assert counts["ttgir", "pipeline"]["shared_bytes"] < own["shared_bytes"]
    assert counts["ttgir", "coalesce"]["async_copies"] == 0
    loose = counts["ttgir", "remove_layout_conversions"]
    assert loose["instructions"] > 3 * own["instructions"]
    assert loose["shared_bytes"] > own["shared_bytes"]
    assert by_name["ttgir", "remove_layout_conversions"].times == 3
    idle = [row for row in rows if not row.changed and not row.sentence]
    assert all(row.counts == whole.counts for row in idle)
    assert len(idle) > len(rows) / 2
    failed = {row.name: row for row in rows if row.failed}
    assert failed["convert_to_ttgpuir"].failed == "ttgir"
    assert "number of warps" in failed["convert_to_ttgpuir"].sentence
    assert "/" not in failed["convert_to_ttgpuir"].sentence.partition(":")[0], "no folder"
    assert failed["accelerate_matmul"].failed == "llir"
    assert failed["to_llvmir"].failed == "llir"


@pytest.mark.slow
def test_amds_passes_too(kernels: ModuleType) -> None:
    _, (whole, row) = leave_out(specialize(kernels, "add", ADD), "coalesce", target="gfx942")
    assert dict(row.counts)["load_bits"] < dict(whole.counts)["load_bits"]
    assert row.changed[-1] == "amdgcn"


def test_a_row_that_changes_nothing_is_the_lowering_itself(kernels: ModuleType) -> None:
    """By a second path: the lowering without the pass, to its end."""
    kernel, target = specialize(kernels, "add", ADD), gpus.target("sm_90")
    stages, (_, row) = leave_out(kernel, "ttgir:pipeline")
    assert (row.changed, row.failed, row.texts) == ((), "", ())
    events: list[Event] = []
    lower_kernels(
        [kernel],
        target,
        events.append,
        note=lambda stage, name: (stage, name) != ("ttgir", "pipeline"),
    )
    texts = {event.name: event.text for event in events if isinstance(event, Stage)}
    assert texts == {name: stage.text for name, stage in stages.items()}


def test_names_are_taken_in_mlirs_form_and_with_their_stage(kernels: ModuleType) -> None:
    kernel = specialize(kernels, "add", ADD)
    _, (_, *rows) = leave_out(kernel, "tritongpu-coalesce", "ttir:cse")
    assert [(row.stage, row.name) for row in rows] == [("ttir", "cse"), ("ttgir", "coalesce")]
    with pytest.raises(UsageError, match=r"'coalesce_all' is no pass .* near it: coalesce"):
        leave_out(kernel, "coalesce_all")
    with pytest.raises(UsageError, match="'llir:coalesce' is no pass"):
        leave_out(kernel, "llir:coalesce")


def test_a_kernel_that_does_not_compile_leaves_no_pass_out(kernels: ModuleType) -> None:
    events: list[Event] = []
    kernel = specialize(kernels, "broken", ("f32[64]", "64"))
    target = gpus.target("sm_90")
    assert omissions.lower_without(kernel, target, events.append, ["all"]) == 1
    assert not [event for event in events if isinstance(event, Omission)]


def test_an_untried_pair_is_refused_in_one_sentence(
    kernels: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(triton_passes, "TRIED", (("1.0", "2.0"),))
    with pytest.raises(
        CannotHere, match=r"^Passes are left out with torch 1\.0 and triton 2\.0 only"
    ):
        leave_out(specialize(kernels, "add", ADD), "coalesce")


# ---- processes


ROW = Omission("add", "ttgir", "coalesce", 1, 1, 1)


def test_a_compiler_that_crashes_takes_only_its_own_row_along() -> None:
    def crash(row: Omission) -> Omission:
        if row.place == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return row

    other = Omission("add", "ttgir", "cse", 1, 2, 2)
    lowered = omissions._in_processes([ROW, other], crash, omissions._say_failed)
    rows = sorted(lowered, key=lambda row: row.place)
    assert (rows[0].failed, rows[0].sentence) == ("ttgir", "Triton's compiler broke off (SIGKILL).")
    assert rows[1] == other


def test_a_compiler_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(omissions, "_SECONDS", 0.2)
    children: list[int] = []
    fork = omissions._fork

    def watch(row: Omission, work: Callable[[Omission], Omission], cache: Path) -> omissions._Child:
        child = fork(row, work, cache)
        children.append(child.pid)
        return child

    monkeypatch.setattr(omissions, "_fork", watch)

    def wait(row: Omission) -> Omission:
        signal.pause()
        return row

    (row,) = omissions._in_processes([ROW], wait, omissions._say_failed)
    assert (row.failed, row.sentence) == ("ttgir", "Triton's compiler had not ended after 0 s.")
    with pytest.raises(ChildProcessError):
        os.waitpid(children[0], os.WNOHANG)  # ended, and waited for
