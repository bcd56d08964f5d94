"""IREE, in this process and in one compilation, which goes on from phase to phase.

IREE's own importer takes the exported program, so torch-mlir is not needed. Each operation is given one
place, a line of the learner's: then IREE keeps lines down to the processor's instructions.
"""

from __future__ import annotations

import copy
import ctypes
import re
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from iree import runtime
from iree.compiler import ir
from iree.compiler.api import Invocation, Output, Session, ctypes_dl
from iree.compiler.extras.fx_importer import FxImporter
from torch._decomp import get_decompositions
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind

from tutor.xray.compilers.capture import Captured
from tutor.xray.compilers.learner_lines import (
    TextWithLines,
    name_origin,
    place_operations,
    read_lines,
)
from tutor.xray.compilers.results import compare_results, returns_tensors
from tutor.xray.model.compiler import IREE, RESULT
from tutor.xray.model.counts import of_text
from tutor.xray.model.counts.iree import count_iree, list_fused
from tutor.xray.model.stages import Event, Failure, Stage

Emit = Callable[[Event], None]

_PHASES = ("input", "dispatch-creation", "flow", "stream", "executable-targets", "hal", "vm")
_CPU = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
)
# The PTX version that LLVM takes by itself is too old for it.
_MORE_FLAGS = {"sm_120": ("--iree-cuda-target-features=+ptx87",)}
_MOST_ELEMENTS = 8  # of a constant that is printed
_DIAGNOSTIC = ctypes.CFUNCTYPE(
    None, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
)
_EXPORT = re.compile(r"hal\.executable\.export public @([\w$]+)")
# Operations that are there once writes in place are gone, and that IREE does not import.
_NOT_IMPORTED = (
    torch.ops.aten._native_batch_norm_legit_no_training,
    torch.ops.aten._native_batch_norm_legit,
)
_OPERATOR = re.compile(r'name = "torch\.([\w.]+)"')


class _RefusedError(Exception):
    """IREE gave up. The text is its first message, in one line."""


def lower(captured: Captured, target: str, emit: Emit, last: str | None) -> None:
    """Emit the stages of `IREE` up to `last`, for "cpu" or a GPU."""
    if sentence := IREE.refuse_target(target):
        emit(Failure(f"iree/{_PHASES[0]}", sentence))
        return
    wanted = IREE.wanted(last)
    phase = _PHASES[0]
    try:
        with tempfile.TemporaryDirectory() as folder:
            compilation = _Compilation(captured, target, Path(folder))
            for phase in _phases_for(wanted):
                for stage, located in _stages_of_phase(compilation, phase):
                    _emit(stage, located, emit)
            phase = "asm" if target == "cpu" else "ptx"
            if phase in wanted:
                for stage, located in _machine_code(compilation):
                    _emit(stage, located, emit)
            phase = RESULT.name
            if phase in wanted and target == "cpu":
                emit(_run(compilation))
    except Exception as error:
        emit(Failure(f"iree/{phase}", _say(error)))


def _emit(stage: Stage, located: TextWithLines, emit: Emit) -> None:
    emit(stage)
    for link in located.links(stage.key, stage.kernel):
        emit(link)


def _phases_for(wanted: frozenset[str]) -> tuple[str, ...]:
    """The phases that the wanted stages need: machine code and results need all."""
    if wanted - set(_PHASES):
        return _PHASES
    return _PHASES[: max((_PHASES.index(name) for name in wanted), default=-1) + 1]


def _say(error: Exception) -> str:
    text = str(error) if isinstance(error, _RefusedError) else f"{type(error).__name__}: {error}"
    return f"IREE refused it: {' '.join(text.split())[:300]}"


def _shorten(message: str) -> str:
    """A diagnostic without the operation that it prints, which may be long, and without folders."""
    says = message.split("\n")[0]
    operator = _OPERATOR.search(says)
    says = re.sub(r"^\S*/", "", re.split(r": (?=[%\"])", says)[0])
    return f"{says} ({operator[1]})" if operator else says


class _Compilation:
    """One compilation: the operations that it has reached are in `module`."""

    def __init__(self, captured: Captured, target: str, folder: Path) -> None:
        started = time.perf_counter()
        self.captured = captured
        self.target = target
        self.folder = folder
        self._library = ctypes_dl._dylib
        _declare(self._library)
        self._session = Session()
        device = (
            _CPU
            if target == "cpu"
            else ("--iree-hal-target-device=cuda", f"--iree-cuda-target={target}")
        )
        self._session.set_flags(
            "--iree-input-type=torch",
            f"--iree-hal-dump-executable-intermediates-to={folder}",
            f"--iree-hal-dump-executable-binaries-to={folder}",
            *device,
            *_MORE_FLAGS.get(target, ()),
        )
        importer = FxImporter(context=self._session.context)
        self.program = _to_import(captured.program)
        importer.import_frozen_program(self.program)
        self.module = importer.module.operation
        self.exports: list[str] = []  # the functions of the executables, once they are there
        with self.module.context:
            place_operations(
                importer.module,
                captured,
                _locate,
                ir.Location.unknown(),
            )
        self._messages: list[str] = []
        # A handler of the Python bindings would be called without Python's lock.
        self._listen = _DIAGNOSTIC(self._note)
        self._invocation: Any = Invocation(self._session)
        self._library.ireeCompilerInvocationEnableCallbackDiagnostics(
            self._invocation._inv_p, 0, self._listen, None
        )
        if not self.module.verify():
            raise _RefusedError(next(iter(self._messages), "the imported module is not valid"))
        self._invocation.import_module(self.module)
        self._reached = "start"
        self._import_ms = 1e3 * (time.perf_counter() - started)

    def _note(self, severity: int, text: int, length: int, _: int | None) -> None:
        if severity == 2:  # an error
            message = ctypes.string_at(text, length).decode(errors="replace")
            self._messages.append(_shorten(message))

    def go_to(self, phase: str) -> float:
        """Compile from the phase that was reached to this one. Returns the milliseconds that it took.

        Raises `_RefusedError`.
        """
        started = time.perf_counter()
        handle = self._invocation._inv_p
        self._library.ireeCompilerInvocationSetCompileFromPhase(handle, self._reached.encode())
        self._library.ireeCompilerInvocationSetCompileToPhase(handle, phase.encode())
        if not self._invocation.execute():
            raise _RefusedError(next(iter(self._messages), "it gave no reason"))
        self._reached = phase
        ms = 1e3 * (time.perf_counter() - started)
        return ms + (self._import_ms if phase == _PHASES[0] else 0.0)

    def read(self, operation: Any) -> TextWithLines:
        text = operation.get_asm(
            enable_debug_info=True,
            large_elements_limit=_MOST_ELEMENTS,
            large_resource_limit=_MOST_ELEMENTS,
        )
        return read_lines(text, self.captured)

    def serialise(self) -> bytes:
        """Return the program for IREE's virtual machine, after the last phase."""
        output = Output.open_membuffer()
        self._invocation.output_vm_bytecode(output)
        return bytes(output.map_memory())


def _to_import(program: ExportedProgram) -> ExportedProgram:
    """Return a program for IREE's importer: it asks for one that changes no tensor in place, and takes
    the inputs that stand for a module's tensors out of the graph that it is given."""
    schemas = (getattr(node.target, "_schema", None) for node in program.graph.nodes)
    if not any(schema is not None and schema.is_mutable for schema in schemas):
        return _copy(program)
    functional: ExportedProgram = program.run_decompositions({})
    functional = functional.run_decompositions(get_decompositions(_NOT_IMPORTED))
    return functional


def _copy(program: ExportedProgram) -> ExportedProgram:
    """Return the program with a graph of its own. The tensors are shared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a deprecated call of PyTorch's own
        module = copy.deepcopy(program.graph_module)
    return ExportedProgram(
        module,
        module.graph,
        program.graph_signature,
        program.state_dict,
        program.range_constraints,
        program.module_call_graph,
        program.example_inputs,
        program.constants,
    )


def _locate(operation: Any, path: str, line: int) -> Any:
    """A place with the name of the operation of ATen, which fusions are told by."""
    place = ir.Location.file(path, line, 0)
    origin = name_origin(operation)
    return ir.Location.name(origin, place) if origin else place


def _declare(library: Any) -> None:
    """Declare the functions of IREE's C interface that its Python module leaves out."""
    phases = (
        library.ireeCompilerInvocationSetCompileFromPhase,
        library.ireeCompilerInvocationSetCompileToPhase,
    )
    for function in phases:
        function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_char_p], None
    listen = library.ireeCompilerInvocationEnableCallbackDiagnostics
    listen.argtypes = [ctypes.c_void_p, ctypes.c_int, _DIAGNOSTIC, ctypes.c_void_p]
    listen.restype = None


def _stages_of_phase(
    compilation: _Compilation, phase: str
) -> Iterator[tuple[Stage, TextWithLines]]:
    """The stage of a phase; of "executable-targets" one for each executable."""
    ms = compilation.go_to(phase)
    if phase != "executable-targets":
        located = compilation.read(compilation.module)
        yield _stage(phase, located, ms), located
        return
    executables = [
        operation.operation
        for operation in compilation.module.regions[0].blocks[0]
        if operation.operation.name == "hal.executable"
    ]
    for operation in executables:
        located = compilation.read(operation)
        names = _EXPORT.findall(located.text)
        compilation.exports += names
        yield _stage(phase, located, ms / len(executables), _short(names[0])), located


def _short(export: str) -> str:
    """`main$async_dispatch_0_matmul` is shown as `dispatch_0_matmul`."""
    return export.removeprefix("main$async_")


def _stage(name: str, located: TextWithLines, ms: float, unit: str = "") -> Stage:
    notes: tuple[str, ...] = ()
    if name == IREE.after:
        fused = list_fused(located.text, located.names)
        notes = tuple(f"{_short(export)}: {', '.join(names)}" for export, names in fused.items())
    elif name == "ptx":
        notes = (
            "IREE's PTX keeps no source lines: a dispatch is tied to its executable by its name.",
        )
    counts = of_text(name, located.text) or tuple(count_iree(name, located.text).items())
    return IREE.make_stage(name, located.text, notes, ms, unit, dict(counts))


def _machine_code(compilation: _Compilation) -> Iterator[tuple[Stage, TextWithLines]]:
    """One stage for each dispatch, from the files that IREE wrote on the way to "hal"."""
    for path in sorted(compilation.folder.glob("*.s")):
        text = path.read_text()
        for export in compilation.exports:
            if located := _find_assembly(text, export, compilation.captured):
                yield _stage("asm", located, 0.0, _short(export)), located
    for path in sorted(compilation.folder.glob("*.ptx")):
        text = path.read_text()
        for export in compilation.exports:
            if entry := _find_entry(text, export):
                located = TextWithLines(entry, {})
                yield _stage("ptx", located, 0.0, _short(export)), located


_FOR_DEBUGGERS = re.compile(r"^\t\.(?:cfi_|loc|file|p2align)|^\.L(?:tmp|func_)")
_LOC = re.compile(r"^\t\.loc\t\d+ (\d+)")
_ENTRY = re.compile(r"^(?:\.visible )?\.entry ([\w$]+)", re.MULTILINE)


def _find_assembly(text: str, export: str, captured: Captured) -> TextWithLines | None:
    """The lines of one function, without what is for debuggers and linkers.

    IREE's assembly names lines but no file: all operations that have a place are the learner's.
    """
    begin = re.search(rf'^"?{re.escape(export)}"?:', text, re.MULTILINE)
    if not begin:
        return None
    path = captured.source.path if captured.source else ""
    kept: list[str] = []
    lines: dict[int, tuple[int, ...]] = {}
    places = 0
    source: int | None = None
    for line in text[begin.start() :].splitlines():
        if line.startswith(".Lfunc_end"):
            break
        if place := _LOC.match(line):
            places += 1
            # The first is of the function itself, for which IREE always says line 1.
            source = captured.line_of(path, int(place[1])) if places > 1 else None
        if _FOR_DEBUGGERS.match(line):
            continue
        kept.append(line)
        if source and line.startswith("\t"):
            lines[len(kept)] = (source,)
    return TextWithLines("\n".join(kept) + "\n", lines)


def _find_entry(text: str, export: str) -> str:
    """The entry of one function, below the declarations at the top of the file; "" without one."""
    entries = list(_ENTRY.finditer(text))
    ends = [entry.start() for entry in entries[1:]] + [len(text)]
    for entry, end in zip(entries, ends, strict=True):
        if entry[1] == export.replace("$", "_"):  # as IREE names it for NVIDIA's tools
            return text[: entries[0].start()] + text[entry.start() : end].rstrip() + "\n"
    return ""


def _run(compilation: _Compilation) -> Stage:
    """Run the program in this process and compare. It leaves no thread behind."""
    if not returns_tensors(compilation.program):
        raise _RefusedError("the function returns something that is no tensor")
    program = compilation.serialise()
    config = runtime.Config("local-sync")
    module = runtime.load_vm_module(
        runtime.VmModule.copy_buffer(config.vm_instance, program), config
    )
    inputs = [_to_array(tensor) for tensor in compilation.captured.inputs]
    started = time.perf_counter()
    results = module["main"](*inputs)
    ms = 1e3 * (time.perf_counter() - started)
    arrays = results if isinstance(results, (tuple, list)) else (results,)
    outputs = compilation.program.graph_signature.output_specs
    tensors = [
        torch.from_numpy(array.to_host().copy())
        for array, output in zip(arrays, outputs, strict=True)
        if output.kind is OutputKind.USER_OUTPUT  # the others are new values of buffers
    ]
    return compare_results(IREE.name, compilation.captured, tensors, ms)


def _to_array(tensor: torch.Tensor) -> Any:
    try:
        return tensor.detach().numpy()
    except TypeError:
        kind = str(tensor.dtype).removeprefix("torch.")
        raise _RefusedError(f"its runtime takes NumPy's arrays, which have no {kind}") from None
