"""torch-mlir: the exported graph in MLIR's torch dialect, down through linalg and loops to LLVM.

Every stage is the same module after a few more of MLIR's passes (`STEPS`). What one operation of the
graph became is followed by its location (mlir_provenance.py).
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from typing import Any

import torch
from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from tutor.xray.compilers import mlir_execution
from tutor.xray.compilers.capture import Captured
from tutor.xray.compilers.mlir_import import import_program, read_refusal
from tutor.xray.compilers.mlir_provenance import Printed, Provenance
from tutor.xray.compilers.object_code import NoDisassembler
from tutor.xray.compilers.results import compare_results
from tutor.xray.model.compiler import MLIR, RESULT
from tutor.xray.model.counts.mlir import count_mlir, read_operations
from tutor.xray.model.mlir_steps import STEPS, Step
from tutor.xray.model.stages import Event, Failure

Emit = Callable[[Event], None]

_LONGEST = 300  # characters of a compiler's message


_ASSERTS = (
    "The run-time checks (`cf.assert`) are left out: this version's loop fusion crashes on them."
)
# One-shot bufferization does not know torch-mlir's own dialect of scans, sorts and scatters.
_TM_TENSOR = (
    "one-shot-bufferize{",
    "func.func(tm-tensor-bufferize),one-shot-bufferize{copy-before-write ",
)
# With this option a value that is returned twice crashes the pass.
_REPEATED = (" hoist-static-allocs=true", "")


# The pass may compute a part of a nest again, and is wrong where that part adds to what it stored. So
# what its loops compute is compared with the loops as they were; the last of these fuses nothing.
_FUSIONS = (
    "func.func(affine-loop-fusion,affine-scalrep)",
    "func.func(affine-loop-fusion{compute-tolerance=0},affine-scalrep)",
    "func.func(affine-scalrep)",
)
_NOT_FUSED = (
    "The loops are not fused: `affine-loop-fusion` made loops of this function that compute something "
    "else, because it repeats a part of a nest that adds to what it has stored."
)
_NOT_CHECKED = "What the fused loops compute was not checked, because the call cannot be run here."


class _CannotLower(Exception):
    """A stage that cannot be made; the message is a sentence without an end."""


def lower(captured: Captured, target: str, emit: Emit, last: str | None) -> None:
    """Emit the stages of torch-mlir up to `last` (None: all of them), their links, and failures."""
    _Lowering(captured, emit, MLIR.wanted(last)).run()


class _Lowering:
    def __init__(self, captured: Captured, emit: Emit, wanted: frozenset[str]) -> None:
        self._captured = captured
        self._emit = emit
        self._wanted = wanted
        self._provenance = Provenance(captured)
        self._above: Printed | None = None  # the stage above
        self._first: Printed | None = None
        self._parameters = 0  # of the compiled function
        self._module: ir.Module | None = None

    def run(self) -> None:
        stage = STEPS[0].name
        try:
            began = time.perf_counter()
            module, program = import_program(self._captured, mlir_execution.ENTRY, frozen=True)
            self._module = module
            for step in STEPS:
                stage = step.name
                if stage not in self._wanted:
                    return
                notes = self._run_passes(module, step, program)
                self._emit_stage(module, step, notes, _ms_since(began))
                began = time.perf_counter()
            stage = "asm"
            if stage not in self._wanted:
                return
            engine = mlir_execution.compile_module(module)
            self._emit_machine_code(engine, _ms_since(began))
            stage = RESULT.name
            if stage in self._wanted:
                self._emit_result(engine, program)
        except Exception as error:
            self._emit(Failure(f"{MLIR.name}/{stage}", self._explain(error)))

    def _run_passes(self, module: ir.Module, step: Step, program: Any) -> tuple[str, ...]:
        """Run the passes of a step. Return the stage's notes."""
        passes, notes = step.passes, [step.note]
        with module.context:
            if step.name == "linalg_fused" and (asserts := _find_operations(module, "cf.assert")):
                for operation in asserts:
                    operation.erase()
                notes.append(_ASSERTS)
            if step.name == "bufferized":
                if _find_operations(module, "tm_tensor."):
                    passes = passes.replace(*_TM_TENSOR)
                if _repeats_a_result(module):
                    passes = passes.replace(*_REPEATED)
            if step.name == "affine_fused":
                passes, more = self._choose_fusion(module, program)
                notes += more
            if step.name == "llvm":
                _offer_c_interface(module)
            PassManager.parse(f"builtin.module({passes})").run(module.operation)
        return (*notes, f"Made by the passes {_name_passes(passes)}.")

    def _emit_stage(self, module: ir.Module, step: Step, notes: tuple[str, ...], ms: float) -> None:
        printed = self._provenance.print_stage(module, f"{MLIR.name}/{step.name}")
        self._first = self._first or printed
        if step.name == MLIR.after:
            notes = (*_describe_units(printed, self._first), *notes)
        counted = count_mlir(printed.text)
        counts = {name: counted[name] for name in step.counts}
        self._emit(MLIR.make_stage(step.name, printed.text, notes, ms, counts=counts))
        for link in printed.links(self._above.key if self._above else ""):
            self._emit(link)
        self._above = printed

    def _emit_machine_code(self, engine: Any, ms: float) -> None:
        try:
            text = mlir_execution.disassemble(engine)
        except NoDisassembler as error:
            self._emit(Failure(f"{MLIR.name}/asm", str(error)))
            return
        count = sum("\t" in line for line in text.splitlines())
        notes = ("LLVM optimised it at level 2. It keeps no lines of the source.",)
        self._emit(MLIR.make_stage("asm", text, notes, ms, counts={"operations": count}))

    def _choose_fusion(self, module: ir.Module, program: Any) -> tuple[str, list[str]]:
        """The first passes of `_FUSIONS` whose loops compute what those of the module do; notes."""
        names = [step.name for step in STEPS]
        below = ",".join(step.passes for step in STEPS[names.index("affine_fused") + 1 :])
        self._parameters = _count_parameters(module)
        try:
            wanted = self._run_copy(module, below, program)
        except Exception:
            return _FUSIONS[0], [_NOT_CHECKED]
        for passes in _FUSIONS[:-1]:
            computed = self._run_copy(module, f"{passes},{below}", program)
            if all(map(_agree, computed, wanted)):
                return passes, []
        return _FUSIONS[-1], [_NOT_FUSED]

    def _run_copy(self, module: ir.Module, passes: str, program: Any) -> list[torch.Tensor]:
        """Return what a copy of the module computes after these passes."""
        inputs, results, _ = self._make_call(program)
        data = io.BytesIO()
        module.operation.write_bytecode(data)
        copy = ir.Module.parse(data.getvalue(), module.context)
        _offer_c_interface(copy)
        PassManager.parse(f"builtin.module({passes})").run(copy.operation)
        mlir_execution.call(mlir_execution.compile_module(copy), inputs, results)
        return results

    def _emit_result(self, engine: Any, program: Any) -> None:
        inputs, results, changed = self._make_call(program)
        began = time.perf_counter()
        mlir_execution.call(engine, inputs, results)
        ms = _ms_since(began)
        self._emit(compare_results(MLIR.name, self._captured, results[changed:], ms))

    def _make_call(self, program: Any) -> tuple[list[torch.Tensor], list[torch.Tensor], int]:
        """Return inputs, memory for what the function returns, and how many inputs it changes: it
        returns those as well, before its results. Raises `_CannotLower`."""
        inputs = [tensor.detach().clone().contiguous() for tensor in self._captured.inputs]
        try:
            wanted = self._captured.run_eagerly()
        except Exception as error:
            raise _CannotLower(f"PyTorch itself refuses this call: {_first_line(error)}") from error
        if not all(isinstance(value, torch.Tensor) for value in wanted):
            raise _CannotLower("the function returns something that is no tensor")
        signature = program.graph_signature
        if signature.buffers_to_mutate:
            raise _CannotLower("the module changes a buffer of its own")
        names = list(signature.user_inputs_to_mutate.values())
        results = [torch.zeros_like(inputs[signature.user_inputs.index(name)]) for name in names]
        results += [torch.zeros(value.shape, dtype=value.dtype) for value in wanted]
        if len(inputs) + len(results) != self._parameters:
            raise _CannotLower(
                "the compiled function takes other arguments than the exported graph"
            )
        return inputs, results, len(names)

    def _explain(self, error: Exception) -> str:
        """A sentence that says why a stage is missing, with the line of the file where it is known."""
        if isinstance(error, _CannotLower):
            return str(error)
        if not isinstance(error, ir.MLIRError) or self._module is None:
            return f"{type(error).__name__}: {_first_line(error)}"
        said, place = read_refusal(error, self._module)
        where = self._captured.name_line(self._provenance.source_line(place))
        return f"MLIR's passes stopped: {said}{where}"


def _offer_c_interface(module: ir.Module) -> None:
    """Let the functions be called from outside, by pointers to descriptors."""
    with module.context:
        for function in module.body.operations:
            if function.operation.name == "func.func":
                function.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()


def _agree(got: torch.Tensor, want: torch.Tensor) -> bool:
    return torch.allclose(got, want, rtol=1e-3, atol=1e-5, equal_nan=True)


def _find_operations(module: ir.Module, prefix: str) -> list[Any]:
    """The operations whose name begins with `prefix`."""
    found: list[Any] = []

    def visit(operation: Any) -> ir.WalkResult:
        if operation.name.startswith(prefix):
            found.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def _repeats_a_result(module: ir.Module) -> bool:
    """True where a function returns one value twice, as one that changes its input and returns it."""
    for operation in _find_operations(module, "func.return"):
        operands = list(operation.operands)
        if any(value == other for n, value in enumerate(operands) for other in operands[:n]):
            return True
    return False


def _count_parameters(module: ir.Module) -> int:
    """How many arguments the entry takes; results are among them once there are buffers."""
    for function in module.body.operations:
        if function.operation.name == "func.func" and function.name.value == mlir_execution.ENTRY:
            return len(function.type.inputs)
    raise _CannotLower("the module has no entry")


def _describe_units(printed: Printed, first: Printed) -> list[str]:
    """A note for each loop nest: the operations of the graph that it computes, in their order."""
    names = {op.line: op.name for op in read_operations(first.text)}
    operations = read_operations(printed.text)
    nests = [operation for operation in operations if operation.is_unit]
    notes = []
    for number, nest in enumerate(nests, 1):
        lines: set[int] = set()
        for operation in operations:
            if operation is nest or nest in operation.around:
                lines |= (
                    printed.origins[operation.line].first
                    if operation.line in printed.origins
                    else set()
                )
        computed = [_name_operation(names[line]) for line in sorted(lines)]
        listed = [name for name in computed if name] or ["no operation of the graph"]
        notes.append(f"nest_{number}: {', '.join(listed)}")
    return notes


def _name_operation(name: str) -> str:
    """`torch.aten.add.Tensor` is `add`; "" for what computes nothing, such as a constant."""
    parts = name.split(".")
    return parts[2] if parts[0] == "torch" and parts[1] in ("aten", "prims") else ""


def _name_passes(pipeline: str) -> str:
    """The passes of a pipeline without options and nesting."""
    plain = re.sub(r"\{[^}]*\}", "", pipeline).replace("func.func(", "").replace(")", "")
    return ", ".join(plain.split(","))


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _first_line(error: BaseException) -> str:
    return _shorten(str(error) or type(error).__name__)


def _shorten(message: str) -> str:
    line = message.strip().split("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
