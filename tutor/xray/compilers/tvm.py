"""TVM: Relax from the exported program, TensorIR pass by pass, then LLVM IR and assembly, or CUDA C.

The passes are those of TVM's own pipeline for the target (`relax.get_default_pipeline`), in its
order. CUDA C is written as text: neither a GPU nor CUDA is asked for.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import torch
import tvm
from tvm import relax, tirx
from tvm.ir.instrument import PassInstrument, pass_instrument
from tvm.relax.backend.cpu_generic import pipeline as cpu_pipeline
from tvm.relax.backend.cuda import pipeline as cuda_pipeline

from tutor.xray.compilers.capture import Captured
from tutor.xray.compilers.results import compare_results
from tutor.xray.compilers.tvm_names import (
    Imported,
    Site,
    bindings_of,
    called_function,
    find_sites,
    import_program,
    line_of_definition,
    operation_name,
)
from tutor.xray.model.compiler import TVM
from tutor.xray.model.counts.tvmscript import (
    count_assembly,
    count_cuda,
    count_storages,
    count_tvmscript,
)
from tutor.xray.model.error_sentence import sentence_of
from tutor.xray.model.stages import Event, Failure, Link, Number, Stage

_CPU = (
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
)
_NOT_COMPILED = (
    "Text, not compiled here. NVRTC compiles it where NVIDIA's headers are: the packages "
    "nvidia-cuda-nvrtc, nvidia-cuda-cccl and nvidia-cuda-runtime (13.0 and 13.5 were tried, "
    "for sm_75 to sm_120)."
)
_GPU = ("relax", "legalize", "fuse_ops", "fuse_tir", "schedule", "memory", "loops", "cuda")
_NO_LINES = (
    "TVM keeps no source lines. A line here is tied to the line whose FX node TVM imported there."
)
_BY_FUNCTION = "A function is tied to the lines whose operations went into it."
_PATTERNS = (
    "op_pattern tells FuseOps what may be joined: 0 elementwise, 1 broadcast, 2 injective, "
    "3 reduction, 4 an output that elementwise operations may follow, 8 opaque."
)
_NOT_SCHEDULED = (
    "TVM's pipeline for a CPU schedules nothing: LLVM gets the loops in the order in which "
    "LegalizeOps wrote them."
)
_NO_TENSOR_CORES = (
    "For a matrix product of 16-bit floats or 8-bit integers DLight tries tensor cores. Here it was "
    "asked not to (dlight.do_not_tensorize): it would first read tables of instructions, for tens of "
    "seconds."
)

Anchors = dict[int, frozenset[str]]  # lines, from 1, and the bindings that went into each


def lower(captured: Captured, target: str, emit: Callable[[Event], None], last: str | None) -> None:
    """Emit TVM's stages up to `last`, their links, and a `Failure` for a stage that cannot be made."""
    if refused := TVM.refuse_target(target):
        emit(Failure(f"{TVM.name}/", f"{refused}."))
        return
    order: tuple[str, ...] = _CPU if target == "cpu" else _GPU
    if last is not None and last not in order:
        emit(Failure(f"{TVM.name}/{last}", _elsewhere(last)))
    order = tuple(name for name in order if name in TVM.wanted(last))
    ladder = _Ladder(emit)
    try:
        for stage, tied in _stages(captured, target, order):
            if stage.name not in order:
                break
            ladder.show(stage, tied)
    except Exception as error:
        failed = [*order, order[-1]][order.index(ladder.last) + 1] if ladder.last else order[0]
        emit(Failure(f"{TVM.name}/{failed}", _explain(error)))


def _elsewhere(stage: str) -> str:
    if stage in _CPU:
        return "Only for the CPU: the CUDA C that TVM writes is not compiled or run here."
    return "Only for a GPU. " + (_NOT_SCHEDULED if stage == "schedule" else "Name one, as sm_90.")


def _explain(error: Exception) -> str:
    if unknown := re.search(r"Unsupported function types? \[(.+?)\]", str(error)):
        return f"TVM's importer does not know {unknown[1].replace(chr(39), '')}."
    return sentence_of(error)


class _Ladder:
    """Emits stages, and ties their lines to the source and to the stage above, binding by binding."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._above: dict[str, Anchors] = {}
        self._same: dict[str, Anchors] = {}
        self.last = ""

    def show(self, stage: Stage, tied: _Tied) -> None:
        if stage.name != self.last:
            self._above, self._same = self._same or self._above, {}
            self.last = stage.name
        self._emit(stage)
        source: Anchors = defaultdict(frozenset)
        for name, line in tied.lines.items():
            source[line] |= {name}
        for key, above in (("source", source), *self._above.items()):
            for first, second in sorted(_pairs(above, tied.anchors)):
                self._emit(Link(key, first, stage.key, second, stage.kernel))
        if tied.anchors:
            self._same[stage.key] = tied.anchors


def _pairs(above: Anchors, below: Anchors) -> set[tuple[int, int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for line, names in below.items():
        for name in names:
            places[name].append(line)
    return {
        (line, other) for line, names in above.items() for name in names for other in places[name]
    }


@dataclass(frozen=True)
class _Tied:
    """The lines of a stage that are tied: `lines` are the source lines of bindings."""

    lines: Mapping[str, int]
    anchors: Anchors = field(default_factory=dict)


def _stages(captured: Captured, target: str, order: Sequence[str]) -> Iterator[tuple[Stage, _Tied]]:
    """Yield the stages of `order` with their anchors. Raises what TVM raises."""
    clock = _Clock()
    imported = import_program(captured)
    text = imported.module.script(show_meta=False)
    main = imported.module["main"]
    named = {name: frozenset((name,)) for name in bindings_of(main)}
    yield (
        _stage("relax", text, clock, count_tvmscript(text), notes=(_NO_LINES,)),
        _Tied(imported.lines, _binding_lines(text, named)),
    )
    goal = _target(target)
    pipeline = cpu_pipeline if target == "cpu" else cuda_pipeline
    legalize = [*pipeline.library_dispatch_passes(goal), *pipeline.legalize_passes(goal)]
    before, legalize = _run_until(imported.module, legalize, goal, "FuseOps")
    text = before.script(show_meta=False)
    calls = {name: called_function(value) for name, value in bindings_of(before["main"]).items()}
    functions = _by_function((called, {name}) for name, called in calls.items() if called)
    yield (
        _stage("legalize", text, clock, count_tvmscript(text), notes=(_PATTERNS, _BY_FUNCTION)),
        _Tied(imported.lines, _binding_lines(text, named) | _definition_lines(text, functions)),
    )
    fused, legalize = _run_until(before, legalize, goal, "FuseTIR")
    text = fused.script(show_meta=False)
    sites = find_sites(before, fused)
    units = _units(sites)
    counts = {**count_tvmscript(text), "units": len(units)}
    yield (
        _stage("fuse_ops", text, clock, counts, notes=(_BY_FUNCTION,)),
        _Tied(imported.lines, _definition_lines(text, functions | units)),
    )
    module, legalize = _run_until(fused, legalize, goal, "ApplyDefaultSchedule")
    text = module.script(show_meta=False)
    notes = _what_was_fused(imported, module, sites, calls)
    yield (
        _stage("fuse_tir", text, clock, count_tvmscript(text), notes=notes),
        _Tied(imported.lines, _definition_lines(text, units)),
    )
    if target != "cpu":
        module, note = _schedule(module, legalize, goal)
        text = module.script(show_meta=False)
        counts = count_tvmscript(text)
        del counts["bytes"]  # a buffer shrinks to what a block or thread needs when it is lowered
        yield (
            _stage("schedule", text, clock, counts, notes=note),
            _Tied(imported.lines, _definition_lines(text, units)),
        )
    yield from _below(captured, imported, module, goal, sites, clock, order)


def _below(
    captured: Captured,
    imported: Imported,
    module: Any,
    goal: Any,
    sites: Sequence[Site],
    clock: _Clock,
    order: Sequence[str],
) -> Iterator[tuple[Stage, _Tied]]:
    """Yield the stages below those of the graph: memory, loops, machine code, what ran."""
    units = _units(sites)
    on_cpu = goal.kind.name == "llvm"
    pipeline = cpu_pipeline if on_cpu else cuda_pipeline
    lower_graph = [*pipeline.dataflow_lower_passes(goal), *pipeline.finalize_passes(goal)]
    planned, lower_graph = _run_until(module, lower_graph, goal, "LowerAllocTensor")
    text = planned["main"].script(show_meta=False)
    yield (
        _stage("memory", text, clock, count_storages(text)),
        _Tied(imported.lines, _call_lines(text, sites)),
    )
    if "loops" not in order:
        return
    module, _ = _run_until(planned, lower_graph, goal, "")
    kept: list[Any] = []  # the functions once their loops are lowered, before host and device part
    watch = _keep_before("tirx.SplitHostDevice", kept)
    with tvm.transform.PassContext(opt_level=3, instruments=[watch]), _text_only():
        executable = relax.build(module, goal, relax_pipeline=None)
    ms = clock.read()
    for unit, function in sorted(_lowered(kept, on_cpu).items()):
        text = function.script(show_meta=False)
        counted = count_tvmscript(text)
        counts = {name: counted[name] for name in ("units", "loops", "buffers", "bytes")}
        anchors = _definition_lines(text, {"main": units.get(unit, frozenset())})
        notes = (_NOT_SCHEDULED,) if on_cpu else ()
        yield _stage("loops", text, clock, counts, unit, notes, ms), _Tied(imported.lines, anchors)
        ms = 0.0
    yield from (
        _machine_code(executable, imported, units, clock, order)
        if on_cpu
        else _cuda(executable, imported, units, clock)
    )
    if on_cpu and "vm" in order:
        text = executable.as_text()
        yield _stage("vm", text, clock), _Tied(imported.lines, _call_lines(text, sites))
    if on_cpu and "result" in order:
        yield _run(captured, executable), _Tied({})


def _machine_code(
    executable: Any,
    imported: Imported,
    units: Mapping[str, frozenset[str]],
    clock: _Clock,
    order: Sequence[str],
) -> Iterator[tuple[Stage, _Tied]]:
    (library,) = [part for part in _parts(executable.mod) if part.kind == "llvm"][:1] or [None]
    if library is None:
        return
    for stage, form, place in (
        ("llvm", "ll", r"^define .*@{name}(?:_compute_)?\("),
        ("asm", "s", r"^{name}(?:_compute_)?:"),
    ):
        if stage in order:
            text = library.inspect_source(form)
            counts = count_assembly(text) if stage == "asm" else {}
            anchors = _matching_lines(text, units, place)
            yield _stage(stage, text, clock, counts), _Tied(imported.lines, anchors)


def _cuda(
    executable: Any, imported: Imported, units: Mapping[str, frozenset[str]], clock: _Clock
) -> Iterator[tuple[Stage, _Tied]]:
    text = "".join(part.inspect_source() for part in _parts(executable.mod) if part.kind == "cuda")
    anchors = _matching_lines(text, units, r"__global__ .*\b{name}_kernel(?:_\d+)?\(.*\{{$")
    stage = _stage("cuda", text, clock, count_cuda(text))
    yield replace(stage, notes=(_NOT_COMPILED, *stage.notes)), _Tied(imported.lines, anchors)


def _run(captured: Captured, executable: Any) -> Stage:
    """Run the executable in Relax's virtual machine, and compare its results with PyTorch's."""
    machine = relax.VirtualMachine(executable, tvm.cpu())
    # TVM takes tensors without gaps whose memory begins at a multiple of 64 bytes.
    given = [
        tvm.runtime.from_dlpack(tensor.detach().contiguous().clone()) for tensor in captured.inputs
    ]
    began = time.perf_counter()
    got = machine["main"](*given)
    ms = 1e3 * (time.perf_counter() - began)
    return compare_results(
        TVM.name, captured, [torch.utils.dlpack.from_dlpack(tensor) for tensor in got], ms
    )


def _target(name: str) -> Any:
    if name != "cpu":
        about = {
            "kind": "cuda",
            "arch": name,
            "max_threads_per_block": 1024,
            "max_num_threads": 1024,
            "thread_warp_size": 32,
            "max_shared_memory_per_block": 48 << 10,  # bytes; what a kernel gets without asking
        }
        return tvm.target.Target(about, host="llvm")
    wide = torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
    return tvm.target.Target({"kind": "llvm", "mcpu": "x86-64-v3"} if wide else "llvm")


def _schedule(module: Any, passes: Sequence[Any], goal: Any) -> tuple[Any, tuple[str, ...]]:
    """Run DLight's rules, without tensor cores: `_without_intrinsics` tells why."""
    narrow = {
        name: function.with_attr("dlight.do_not_tensorize", True)
        for name, function in _functions(module).items()
        if any(str(buffer.dtype) in ("float16", "int8") for buffer in function.params)
    }
    for name, function in narrow.items():
        module[name] = function
    with _without_intrinsics() as asked:
        scheduled, _ = _run_until(module, passes, goal, "")
    return scheduled, (_NO_TENSOR_CORES,) if asked else ()


@contextlib.contextmanager
def _without_intrinsics() -> Iterator[list[str]]:
    """Keep DLight from importing `tvm.s_tir.tensor_intrin`, which takes 44 s of a processor (TVM 0.27).

    Its rules for tensor cores import one name of it before they look whether they apply. They get a
    function that refuses to be called. The list has an entry for each time that the name was asked for.
    """
    asked: list[str] = []

    def stand_in(name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        asked.append(name)
        return _refuse

    package, module = "tvm.s_tir.tensor_intrin", "tvm.s_tir.tensor_intrin.cuda"
    before = {name: sys.modules.get(name) for name in (package, module)}
    sys.modules[package] = ModuleType(package)
    sys.modules[module] = ModuleType(module)
    sys.modules[module].__getattr__ = stand_in  # type: ignore[method-assign]
    try:
        yield asked
    finally:
        for name, was in before.items():
            if was is None:
                del sys.modules[name]
            else:
                sys.modules[name] = was


def _refuse(*_: Any, **__: Any) -> None:
    raise NotImplementedError("tensor cores in TVM's schedules are left out here")


@contextlib.contextmanager
def _text_only() -> Iterator[None]:
    """Have TVM keep CUDA C as text, also where CUDA's own compiler is at hand."""
    name = "TVM_COMPILE_FORCE_FALLBACK"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _keep_before(name: str, kept: list[Any]) -> Any:
    """An instrument that puts the module into `kept` before the pass `name` runs."""

    @pass_instrument
    class Keep(PassInstrument):  # type: ignore[misc]
        def run_before_pass(self, module: Any, info: Any) -> None:
            if info.name == name:
                kept.append(module)

    return Keep()


def _run_until(module: Any, passes: Sequence[Any], goal: Any, stop: str) -> tuple[Any, list[Any]]:
    """Run passes up to the one named `stop`, which is the first of those that are returned."""
    for number, one in enumerate(passes):
        if one.info.name == stop:
            return module, list(passes[number:])
        with goal:
            module = one(module)
    return module, []


def _parts(module: Any) -> Iterator[Any]:
    yield module
    for part in module.imports:
        yield from _parts(part)


def _functions(module: Any) -> dict[str, Any]:
    """The functions of TensorIR, by name."""
    return {
        str(name.name_hint): function
        for name, function in (module.functions.items() if module else ())
        if isinstance(function, tirx.PrimFunc)
    }


def _lowered(kept: Sequence[Any], on_cpu: bool) -> dict[str, Any]:
    """The functions of the module that was kept; for a GPU its kernels, by their functions' names."""
    functions = _functions(kept[0] if kept else None)
    if on_cpu:
        return functions
    kernels = {name: re.fullmatch(r"(\w+?)_kernel(_\d+)?", name) for name in functions}
    return {
        found[1] + (found[2] or ""): functions[name] for name, found in kernels.items() if found
    }


def _what_was_fused(
    imported: Imported, module: Any, sites: Sequence[Site], calls: Mapping[str, str]
) -> tuple[str, ...]:
    """One note for each function: the operations of Relax that it computes, at its first call."""
    values = bindings_of(imported.module["main"])
    names = {name: operation_name(values.get(name)) or called for name, called in calls.items()}
    first: dict[str, tuple[str, ...]] = {}
    for site in sites:
        first.setdefault(site.unit, tuple(names[name] for name in site.bindings))
    return tuple(
        f"{unit}: {', '.join(first.get(unit, (unit,)))}" for unit in sorted(_functions(module))
    )


def _units(sites: Sequence[Site]) -> dict[str, frozenset[str]]:
    return _by_function((site.unit, set(site.bindings)) for site in sites)


def _by_function(pairs: Iterable[tuple[str, set[str]]]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    for name, bindings in pairs:
        found[name] |= bindings
    return found


def _binding_lines(text: str, names: Mapping[str, frozenset[str]]) -> Anchors:
    """The lines of `main` that bind these names."""
    lines = text.splitlines()
    start = line_of_definition(text, "main")
    return {
        number: names[match[1]]
        for number, line in enumerate(lines[start:], start + 1)
        if (match := re.match(r"\s+(\w+)(?::| =)", line)) and match[1] in names
    }


def _definition_lines(text: str, functions: Mapping[str, frozenset[str]]) -> Anchors:
    found = {line_of_definition(text, name): names for name, names in functions.items()}
    return {line: names for line, names in found.items() if line}


def _matching_lines(text: str, functions: Mapping[str, frozenset[str]], place: str) -> Anchors:
    """The lines that fit `place`, a regular expression with `{name}` for a function's name."""
    found: Anchors = {}
    for name, names in functions.items():
        fits = re.compile(place.format(name=re.escape(name)))
        found |= {n: names for n, line in enumerate(text.splitlines(), 1) if fits.search(line)}
    return found


def _call_lines(text: str, sites: Sequence[Site]) -> Anchors:
    """The lines that call one of the functions: the first call of a function is its first site."""
    waiting: dict[str, list[Site]] = defaultdict(list)
    for site in sites:
        waiting[site.unit].append(site)
    found: Anchors = {}
    for number, line in enumerate(text.splitlines(), 1):
        word = next((word for word in re.findall(r"\w+", line) if waiting.get(word)), "")
        if word:
            found[number] = frozenset(waiting[word].pop(0).bindings)
    return found


def _stage(
    name: str,
    text: str,
    clock: _Clock,
    counts: Mapping[str, Number] | None = None,
    unit: str = "",
    notes: tuple[str, ...] = (),
    ms: float | None = None,
) -> Stage:
    return TVM.make_stage(name, text, notes, clock.read() if ms is None else ms, unit, counts)


class _Clock:
    """Milliseconds since it was read last."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    def read(self) -> float:
        now = time.perf_counter()
        since, self._since = self._since, now
        return 1e3 * (now - since)
