"""XLA for the CPU, from the StableHLO that torch-mlir makes of the exported program; no JAX program.

XLA keeps the place of an operation as a stack frame where its location is a function's name around a
file's line. torch-mlir's locations have no such name, so each operation is given one place in this form.
The tensors of a module are arguments: XLA takes no weights in torch-mlir's form of constants.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")  # XLA would tell of each device on stderr

import jax
from jaxlib import xla_client
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils.dlpack import from_dlpack
from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from tutor.xray.compilers.capture import Captured
from tutor.xray.compilers.learner_lines import (
    TextWithLines,
    find_line,
    name_origin,
    place_operations,
    read_lines,
)
from tutor.xray.compilers.mlir_import import import_program, read_refusal
from tutor.xray.compilers.object_code import NoDisassembler, disassemble, split_functions
from tutor.xray.compilers.results import compare_results, returns_tensors
from tutor.xray.model.compiler import RESULT, XLA
from tutor.xray.model.counts import hlo, xla
from tutor.xray.model.counts.mlir import count_mlir
from tutor.xray.model.stages import Event, Failure, Link, Stage

Emit = Callable[[Event], None]

_PASSES = (
    "func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{extra-library=},"
    "torch-backend-to-stablehlo-backend-pipeline"
)
_LARGE = 8  # elements of a constant that is shown
_FUNCTION = re.compile(r'File "(.+?)", line (\d+), in (\S+)')
_DEFINES = re.compile(r"^define .*?@([\w.$-]+)\(", re.MULTILINE)
# The name of an operation around that of the learner's function, which alone is no origin.
_ORIGIN = re.compile(r'loc\("(\w+)"\("[^"]*"\(')
_TENSOR_CONSTANT = re.compile(r"\barith\.constant (?=dense<.*> : tensor<)")


class _RefusedError(Exception):
    """A stage that cannot be made. The text is a sentence without its end."""


def lower(captured: Captured, target: str, emit: Emit, last: str | None) -> None:
    """Emit the stages of `XLA` up to `last` (None: all of them), their links, and failures."""
    lowering = _Lowering(captured, emit, XLA.wanted(last))
    try:
        if refusal := XLA.refuse_target(target):
            raise _RefusedError(refusal)
        with tempfile.TemporaryDirectory() as folder:
            lowering.run(Path(folder))
    except Exception as error:
        emit(Failure(f"xla/{lowering.stage}", _say(error)))


def _say(error: Exception) -> str:
    if isinstance(error, _RefusedError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


@dataclass(frozen=True)
class _Dumps:
    """What XLA wrote during one compilation."""

    folder: Path

    def read(self, ending: str) -> str:
        """The text of the one file that ends so. Raises `_RefusedError` where there is none."""
        for path in self.folder.glob(f"*{ending}"):
            return path.read_text(errors="replace")
        raise _RefusedError(f"XLA wrote no file *{ending}")

    def passes(self) -> Iterator[tuple[str, str]]:
        """Each pass that was written down, and the module after it."""
        for path in sorted(self.folder.glob("*.txt")):
            if name := xla.name_pass(path.name):
                yield name, hlo.read_hlo(path.read_text(errors="replace")).text

    def units(self, instructions: Container[str]) -> Iterator[tuple[str, str]]:
        """Each module that LLVM compiled: the function in it that computes an instruction, or else its
        first one (a sort calls one that compares), and the module's text."""
        for path in sorted(self.folder.glob("*.ir-with-opt.ll")):
            text = path.read_text(errors="replace")
            names = _DEFINES.findall(text)
            if names:
                yield next((name for name in names if name in instructions), names[0]), text

    def functions(self) -> dict[str, str]:
        """The assembly of every function. Raises `NoDisassembler`."""
        found: dict[str, str] = {}
        for path in sorted(self.folder.glob("*.o")):
            found |= split_functions(disassemble(path))
        return found


class _Lowering:
    def __init__(self, captured: Captured, emit: Emit, wanted: frozenset[str]) -> None:
        self._captured = captured
        self._emit = emit
        self._wanted = wanted
        self.stage = "stablehlo"

    def run(self, folder: Path) -> None:
        began = time.perf_counter()
        program, module = _make_stablehlo(self._captured)
        located = _print(module, self._captured, _LARGE)
        counts = {"operations": count_mlir(located.text)["operations"]}
        self._send("stablehlo", located, counts, _ms_since(began))
        if self._wanted <= {"stablehlo"}:
            return
        self.stage = "hlo"
        if not returns_tensors(program):
            raise _RefusedError("a program of XLA returns tensors, and this one a number as well")
        began = time.perf_counter()
        executable = _compile(
            _TENSOR_CONSTANT.sub("stablehlo.constant ", _full_text(module)), folder
        )
        ms = _ms_since(began)
        dumps = _Dumps(folder)
        before = hlo.read_hlo(dumps.read(".before_optimizations.txt"))
        self._send("hlo", self._locate(before), hlo.count_hlo(before))
        self.stage = "passes"
        if "passes" in self._wanted:
            passes = tuple(dumps.passes())
            text, changing = xla.show_changes(before.text, passes)
            counts = {"passes": len(passes), "changing": changing}
            self._send("passes", TextWithLines(text, {}), counts)
        self.stage = "optimized"
        after = hlo.read_hlo(dumps.read(".cpu_after_optimizations.txt"))
        notes = tuple(
            f"{unit.name}: {', '.join(hlo.list_fused(after, unit))}" for unit in after.units()
        )
        self._send("optimized", self._locate(after), hlo.count_hlo(after), ms, notes)
        self._send_below(dumps, {one.name: one.line for one in after.instructions})
        self.stage = RESULT.name
        if RESULT.name in self._wanted:
            self._emit(_run(executable, program, self._captured))

    def _send_below(self, dumps: _Dumps, lines: dict[str, int]) -> None:
        """Emit what is tied to the optimised module by names. `lines`: those of its instructions."""
        self.stage = "buffers"
        text = dumps.read("-buffer-assignment.txt")
        self._send("buffers", TextWithLines(text, {}), xla.count_buffers(text))
        if self.stage in self._wanted:
            for line, name in xla.list_values(text):
                if name in lines:
                    self._emit(Link("xla/optimized", lines[name], "xla/buffers", line))
        self.stage = "llvm"
        if self.stage not in self._wanted:
            return
        units = tuple(dumps.units(lines))
        for name, text in units:
            self._send("llvm", TextWithLines(text, {}), {}, unit=name)
            self._tie("optimized", lines.get(name), "llvm", _line_of(f"@{name}(", text), name)
        self.stage = "asm"
        if self.stage not in self._wanted:
            return
        try:
            functions = dumps.functions()
        except NoDisassembler as error:
            self._emit(Failure("xla/asm", str(error)))
            return
        for name, text in units:
            if code := functions.get(name):
                counts = {"operations": sum("\t" in line for line in code.split("\n"))}
                self._send("asm", TextWithLines(code, {}), counts, unit=name)
                self._tie(f"llvm:{name}", _line_of(f"@{name}(", text), "asm", 1, name)

    def _tie(
        self, source: str, source_line: int | None, target: str, line: int | None, unit: str
    ) -> None:
        if source_line and line:
            self._emit(Link(f"xla/{source}", source_line, f"xla/{target}:{unit}", line, unit))

    def _send(
        self,
        name: str,
        located: TextWithLines,
        counts: dict[str, Any],
        ms: float = 0.0,
        notes: tuple[str, ...] = (),
        unit: str = "",
    ) -> None:
        """Emit a stage, if it is wanted, and its links from the source."""
        if name not in self._wanted:
            return
        stage = XLA.make_stage(name, located.text, notes, ms, unit, counts)
        self._emit(stage)
        for link in located.links(stage.key, unit):
            self._emit(link)

    def _locate(self, module: hlo.HloText) -> TextWithLines:
        """The module with the innermost shown line of each instruction."""
        lines: dict[int, tuple[int, ...]] = {}
        for instruction in module.instructions:
            for path, line in instruction.frames:
                if shown := self._captured.line_of(path, line):
                    lines[instruction.line] = (shown,)
                    break
        return TextWithLines(module.text, lines)


def _ms_since(began: float) -> float:
    return 1e3 * (time.perf_counter() - began)


def _line_of(needle: str, text: str) -> int | None:
    return next((n for n, line in enumerate(text.split("\n"), 1) if needle in line), None)


def _make_stablehlo(captured: Captured) -> tuple[ExportedProgram, ir.Module]:
    """Return the program after PyTorch's decompositions, and its StableHLO, with places for XLA."""
    module, program = import_program(captured, "main", frozen=False)
    functions = _name_functions(program)
    with module.context:

        def locate(operation: Any, path: str, line: int) -> Any:
            name = functions.get((path, line), Path(path).name)
            place = ir.Location.name(name, ir.Location.file(path, line, 0))
            origin = name_origin(operation)
            return ir.Location.name(origin, place) if origin else place

        place_operations(module, captured, locate, ir.Location.unknown())
        _name_arguments(module, program)
        try:
            PassManager.parse(f"builtin.module({_PASSES})").run(module.operation)
        except ir.MLIRError as error:
            said, place = read_refusal(error, module)
            where = captured.name_line(find_line(place, captured))
            raise _RefusedError(f"torch-mlir makes no StableHLO of it: {said}{where}") from error
        _add_names(module.operation)
    return program, module


def _name_arguments(module: ir.Module, program: ExportedProgram) -> None:
    """Name the arguments as the graph does, so that XLA's parameters have these names."""
    names = [node.name for node in program.graph.nodes if node.op == "placeholder"]
    for function in module.body.operations:
        if function.operation.name == "func.func":
            arguments = function.regions[0].blocks[0].arguments
            for argument, name in zip(arguments, names, strict=True):
                argument.set_location(ir.Location.name(name, argument.location))


def _name_functions(program: ExportedProgram) -> dict[tuple[str, int], str]:
    """The function that each line of a file stands in, from the stacks of the graph's nodes."""
    return {
        (path, int(line)): name
        for node in program.graph.nodes
        for path, line, name in _FUNCTION.findall(node.stack_trace or "")
    }


def _add_names(operation: Any) -> None:
    """Put the operation of StableHLO behind that of ATen: `gelu/multiply`. XLA names instructions so."""
    match = _ORIGIN.match(str(operation.location))
    if match and operation.name.startswith("stablehlo."):
        name = f"{match[1]}/{operation.name.removeprefix('stablehlo.')}"
        operation.location = ir.Location.name(name, operation.location.child_loc)
    for region in operation.regions:
        for block in region:
            for inner in block:
                _add_names(inner.operation)


def _print(module: ir.Module, captured: Captured, elements: int) -> TextWithLines:
    text = module.operation.get_asm(
        enable_debug_info=True, large_elements_limit=elements, large_resource_limit=elements
    )
    return read_lines(text, captured)


def _full_text(module: ir.Module) -> str:
    text: str = module.operation.get_asm(enable_debug_info=True)
    return text


def _compile(text: str, folder: Path) -> Any:
    """Compile for this CPU; XLA writes its stages into the folder."""
    cast(Any, jax.config).update("jax_platforms", "cpu")
    device = jax.devices()[0]
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    debug = options.executable_build_options.debug_options
    debug.xla_dump_to = str(folder)
    debug.xla_dump_hlo_as_text = True
    debug.xla_dump_hlo_pass_re = ".*"
    return device.client.compile_and_load(text, xla_client.DeviceList((device,)), options)


def _run(executable: Any, program: ExportedProgram, captured: Captured) -> Stage:
    """Run the program in this process and compare."""
    given = iter(captured.inputs)
    values = {**program.state_dict, **program.constants}
    signature = program.graph_signature
    inputs = [
        next(given) if spec.kind is InputKind.USER_INPUT else values[str(spec.target)]
        for spec in signature.input_specs
    ]
    with jax.enable_x64(True):  # else JAX makes float32 of float64
        arrays = [jax.dlpack.from_dlpack(tensor.detach().contiguous()) for tensor in inputs]
    began = time.perf_counter()
    results = executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
    for result in results:
        result[0].block_until_ready()
    ms = _ms_since(began)
    tensors = [
        from_dlpack(result[0])
        for result, spec in zip(results, signature.output_specs, strict=True)
        if spec.kind is OutputKind.USER_OUTPUT  # the others are new values of buffers
    ]
    return compare_results(XLA.name, captured, tensors, ms)
