"""One function through one compiler beside Inductor: the source, the exported graph, its own stages."""

from __future__ import annotations

import importlib
import inspect
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from tutor.base.errors import CannotHere, UsageError
from tutor.xray import fresh_state
from tutor.xray.compilers.capture import Captured, capture
from tutor.xray.dynamo.arguments import Call, make_tensors
from tutor.xray.dynamo.fx_text import format_graph, list_operations
from tutor.xray.dynamo.source_text import find_source
from tutor.xray.model.compiler import RESULT, Compiler
from tutor.xray.model.input_specs import Arguments, TensorSpec, map_tensors
from tutor.xray.model.stages import Event, Failure, Link, Stage, XrayDone

MOST_BYTES = 256 << 20  # of all inputs: the compiled forms are run on them

_STRICT = "torch.export, strict: one graph of ATen operations. Every compiler here starts from it."
_NOT_STRICT = (
    "torch.export, not strict: one graph of ATen operations. The function uses a module that stands "
    "outside it; for such the strict export fails (torch 2.13), and without it no lines are kept."
)

Emit = Callable[[Event], None]


@dataclass(frozen=True)
class Goal:
    """What to lower for ("cpu" or a GPU), the last stage wanted (None: all), and the learner's file."""

    target: str
    last: str | None
    path: str


def lower_with(
    compiler: Compiler,
    subject: Callable[..., Any],
    arguments: Arguments,
    goal: Goal,
    emit: Emit,
    explain: Callable[[BaseException], str],
) -> XrayDone:
    """Emit "source", "exported", then the compiler's stages up to the last one wanted.

    Raises `UsageError` for inputs that cannot be made here.
    """
    if refusal := compiler.refuse_target(goal.target):
        emit(Failure(f"{compiler.name}/", refusal))
        return XrayDone("pretend", 3)
    _emit_source(subject, emit)
    inputs = _make_inputs(subject, arguments)
    with fresh_state.in_folder_of(goal.path):
        captured = _export(subject, inputs, emit, explain)
    if captured is None:
        return XrayDone("pretend", 1)
    _emit_exported(captured, emit)
    failed: list[Failure] = []

    def emit_and_note(event: Event) -> None:
        if isinstance(event, Failure):
            failed.append(event)
        emit(event)

    module = importlib.import_module(compiler.module)
    try:
        module.lower(captured, goal.target, emit_and_note, goal.last)
    except CannotHere as error:  # it cannot be run here; what stands above is made
        emit(Failure(f"{compiler.name}/{RESULT.name}", str(error)))
        return XrayDone("pretend", 1 if failed else CannotHere.exit_status)
    return XrayDone("pretend", int(bool(failed)))


def _emit_source(subject: Callable[..., Any], emit: Emit) -> None:
    source = find_source(subject)
    if source is None:
        emit(Failure("source", "this callable has no Python source to show"))
        return
    notes = (f"{source.path}, from line {source.first}",)
    numbers = source.numbers
    emit(Stage("source", "Python source", "python", source.text, notes, numbers=numbers))


def _export(
    subject: Callable[..., Any],
    inputs: tuple[Any, ...],
    emit: Emit,
    explain: Callable[[BaseException], str],
) -> Captured | None:
    try:
        return capture(subject, inputs)
    except Exception as error:
        emit(Failure("exported", f"torch.export does not take it: {explain(error)}"))
        return None


def _make_inputs(subject: Callable[..., Any], arguments: Arguments) -> tuple[Any, ...]:
    """Return the call's inputs in order, with tensors that hold values."""
    specs: list[TensorSpec] = []
    map_tensors(specs.append, [*arguments.positional, *arguments.named.values()])
    if sum(spec.bytes for spec in specs) > MOST_BYTES:
        raise UsageError(
            f"the inputs have more than {MOST_BYTES >> 20} MiB: other compilers than Inductor get "
            "tensors with values, whose results are compared; give smaller shapes"
        )
    with ExitStack() as stack:
        call = make_tensors(
            Call(subject, arguments.positional, arguments.named), False, "pretend", stack
        )
    if not call.named:
        return call.args
    called = subject.forward if hasattr(subject, "forward") else subject
    bound = inspect.signature(called).bind(*call.args, **call.named)
    if bound.kwargs:
        names = ", ".join(bound.kwargs)
        raise UsageError(
            f"{names}: other compilers than Inductor take no argument that has only a name"
        )
    return bound.args


def _emit_exported(captured: Captured, emit: Emit) -> None:
    """Emit the graph that every compiler starts from, each line tied to its line of the source."""
    began = time.perf_counter()
    printed = format_graph(captured.program.graph_module, strides=False)
    count = len(list_operations(captured.program.graph_module))
    notes = (_STRICT if captured.strict else _NOT_STRICT,)
    ms = (time.perf_counter() - began) * 1000
    emit(
        Stage(
            "exported",
            "Exported graph",
            "fx",
            printed.text,
            notes,
            ms=ms,
            counts=(("operations", count),),
        )
    )
    for node in captured.program.graph.nodes:
        source_line = captured.line_of_node(node)
        if source_line and node.name in printed.lines:
            emit(Link("source", source_line, "exported", printed.lines[node.name]))
