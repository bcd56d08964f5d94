"""Capture of the stages from a function or module to the Triton kernels of torch.compile.

`capture` runs Dynamo, AOTAutograd and Inductor, each in its own module here, on this machine's CPU;
Where the target is missing, `fake_gpu` makes Inductor believe that it is present.
"""

from __future__ import annotations

import copy
import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.fx import GraphModule

from tutor.base.errors import CannotHere
from tutor.hardware.gpus import Target, target
from tutor.xray.dynamo import trace
from tutor.xray.dynamo.arguments import Call, make_tensors
from tutor.xray.dynamo.bytecode import Emit, emit_bytecode
from tutor.xray.dynamo.compile_options import CompileOptions, options_of
from tutor.xray.dynamo.fx_text import list_operations
from tutor.xray.dynamo.log_capture import emit_channels, listening
from tutor.xray.dynamo.source_text import SourceText, find_source, function_of
from tutor.xray.fake_gpu import fake_gpu
from tutor.xray.fake_gpu.fake_gpu import private
from tutor.xray.model.error_sentence import sentence_of
from tutor.xray.model.input_specs import Arguments
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.stages import Device, Event, Failure, Stage
from tutor.xray.torch_compile.aot import AtenGraph, differentiate
from tutor.xray.torch_compile.inductor import lower_graph
from tutor.xray.triton_kernels.compiler import unwrap

MOST_OPERATIONS = 4000  # of one graph; 3000 take minutes to lower, most of them in LLVM and ptxas
# Where the backend raises one of these, Dynamo does without the graph, and the call goes on.
_LEFT_TO_PYTHON = "torch._dynamo.exc.exceptions_allowed_to_be_fallback"
_TRACES_AGAIN = "torch._dynamo.exc.TensorifyScalarRestartAnalysis"
_LEAVES_OUT = "torch.compile cannot compile this graph, and runs its lines as Python"
_ALLOCATES = (
    "Inductor has no lowering for a call of `triton.set_allocator` in the graph. Call it before the "
    "compiled function, not inside"
)
_WITHOUT_GRADIENTS = (
    "Compiled as under torch.no_grad(). A parameter asks for gradients: where a result depends on it, a "
    "call outside no_grad is compiled as a training step, and its forward pass may have other kernels. "
    "An X-ray with the backward pass shows them."
)


@dataclass
class Captured:
    """The kernels of all graphs, forward before backward, and where they were made for.

    `has_launched`: kernels were launched between the graphs, too. `dropped`: how many launches of each
    kernel that the learner wrote are in a graph, but in none of what it became.
    """

    device: Device
    kernels: list[KernelSource] = field(default_factory=list)
    has_launched: bool = False
    dropped: Counter[Any] = field(default_factory=Counter)


def capture(
    subject: Callable[..., Any],
    arguments: Arguments,
    target: Target,
    backward: bool,
    emit: Emit,
    *,
    last_stage: str | None = None,
    real: bool | None = None,
    channels: tuple[str, ...] = (),
) -> Captured:
    """Emit every stage of `subject`, called with the arguments, from `source` to each kernel's `triton`.

    Tensors may stand among the arguments in the place of `TensorSpec`s. With `backward`,
    floating-point inputs and a module's parameters need gradients; without, none does. Stages come
    as they are ready; what fails is emitted as a `Failure`, and the stages before it remain.
    `last_stage` names the last one wanted. `real` chooses the device that is here, or pretending;
    None takes it where its architecture is the target's and the call runs on it. `channels` (of
    log_channels.CHANNELS) become stages `log` at the end; where TORCH_LOGS forbids that, a failure of
    `log` says so. Never raises for what the function, or torch, does.
    """
    device: Device = "pretend"
    if fake_gpu.is_real(target) if real is None else real:
        device = "real"
    captured = Captured(device)
    subject, options = options_of(subject)
    source = _emit_own(subject, emit)
    if last_stage in ("source", "bytecode"):
        return captured
    heard: dict[str, list[str]] = {}
    with ExitStack() as stack:
        try:
            heard = _listen(channels, stack, emit)
            call = Call(subject, arguments.positional, arguments.named)
            traced = _trace_call(call, backward, device, target, options, stack)
            notes = options.notes()
            if device == "real" and real is None and (why := _not_on_device(traced)):
                on_cpu = _trace_call(call, backward, "pretend", target, options, stack)
                if on_cpu.error is None:
                    traced, captured.device, notes = on_cpu, "pretend", (*notes, why)
            if not backward and _asks_for_gradients(traced):
                notes = (*notes, _WITHOUT_GRADIENTS)
        except (CannotHere, RuntimeError, TypeError, ValueError, MemoryError) as error:
            emit(Failure("dynamo", sentence_of(error)))
            return captured
        captured.has_launched = traced.has_launched
        if isinstance(traced.error, CannotHere) and not (traced.graphs or traced.has_launched):
            raise traced.error  # it asks what only a GPU knows, and there is nothing else to show
        _emit_dynamo(traced, source, notes, emit)

        def emit_and_hear(event: Event) -> None:
            if isinstance(event, Stage) and event.name == "wrapper" and "output_code" in heard:
                heard["output_code"].append(event.text)  # torch logs it where it loads the code
            emit(event)

        if last_stage not in ("dynamo", "guards", "rewritten"):
            stack.enter_context(private("torch._inductor.config.patch")(options.settings))
            for graph in traced.graphs:
                _compile(graph, target, captured, backward, emit_and_hear)
    emit_channels(heard, emit)
    torch.compiler.reset()
    return captured


def _listen(channels: tuple[str, ...], stack: ExitStack, emit: Emit) -> dict[str, list[str]]:
    """Collect torch's log messages by channel from now on, and keep them from the terminal."""
    if channels:
        try:
            return stack.enter_context(listening(*channels))
        except CannotHere as error:
            emit(Failure("log", str(error)))
    stack.enter_context(_silence())
    return {}


@contextmanager
def _silence() -> Iterator[None]:
    """Keep torch's log messages and warnings from the terminal; failures are emitted as events."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"torch\..*")
            yield
    finally:
        logging.disable(before)


def _trace_call(
    call: Call,
    backward: bool,
    device: Device,
    target: Target,
    options: CompileOptions,
    stack: ExitStack,
) -> trace.Trace:
    pretended = target if device == "pretend" else None

    def try_graph(graph: trace.TracedGraph) -> None:
        if any(
            node.op == "call_method" and node.target == "item" for node in graph.module.graph.nodes
        ):
            _try_numbers(graph, target, device == "real", backward)

    tensors = make_tensors(call, backward, device, stack)
    return trace.trace_call(tensors, backward, pretended, options, try_graph)


def _try_numbers(graph: trace.TracedGraph, target: Target, real: bool, grad: bool) -> None:
    """Raise torch's own request to trace again, where a number cannot stay an input of the graph.

    torch.compile finds that out as it differentiates the graph, and Dynamo then takes the number for a
    constant. Any other failure comes again when the graph is lowered.
    """

    def stop(aten: AtenGraph) -> Any:
        raise _Enough

    tried = replace(graph, module=GraphModule(graph.module, copy.deepcopy(graph.module.graph)))
    tried.module.meta.update(graph.module.meta)
    try:
        differentiate(tried, target, real, grad, lambda event: None, stop)
    except private(_TRACES_AGAIN):
        raise
    except Exception:
        return


class _Enough(Exception):
    """The graph got as far as its lowering."""


def _not_on_device(traced: trace.Trace) -> str:
    """Return why a call that was traced on a real GPU does not run there; "" where it does."""
    if traced.error is not None:
        raised = sentence_of(traced.error)
        return f"Shown for a pretended GPU: on the one that is here the call raised {raised}"
    inputs = (value for graph in traced.graphs for value in graph.inputs)
    if any(isinstance(value, torch.Tensor) and value.is_cpu and value.dim() for value in inputs):
        return "Shown for a pretended GPU: some of the function's own tensors are on the CPU."
    return ""


def _asks_for_gradients(traced: trace.Trace) -> bool:
    inputs = (value for graph in traced.graphs for value in graph.inputs)
    return any(isinstance(value, torch.Tensor) and value.requires_grad for value in inputs)


def _emit_dynamo(
    traced: trace.Trace, source: SourceText | None, notes: tuple[str, ...], emit: Emit
) -> None:
    files = frozenset(frame.code.co_filename for frame in traced.frames)
    for graph in traced.graphs:
        asked = notes if graph.number == 1 else ()
        trace.emit_graph(graph, source, emit, asked, trace.bare_breaks_of(traced, graph), files)
    if failed := trace.failure_of(traced, source):
        emit(failed)
    if traced.skipped:
        sentence = f"{traced.skipped} graphs after the first {trace.MOST_GRAPHS} are left out"
        emit(Failure("dynamo", sentence))
    try:
        trace.emit_guards(traced, source, emit)
    except CannotHere as error:
        emit(Failure("guards", str(error)))
    trace.emit_frames(traced, source, emit)


def lower_training_step(name: str = "sm_90") -> int:
    """Lower one small training step for a device that need not be there.

    Returns how many Triton kernels it became. Raises CannotHere where it cannot be lowered.
    """
    failures: list[str] = []

    def note(event: Event) -> None:
        if isinstance(event, Failure):
            failures.append(event.sentence)

    square = torch.ones(64, 64)
    inputs = (square, square.clone())
    captured = capture(_trivial, Arguments(inputs), target(name), True, note, real=False)
    if failures:
        raise CannotHere(f"torch.compile does not work here: {failures[0]}")
    return len(captured.kernels)


def _trivial(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x @ y + 1).relu().sum()


def _emit_own(subject: Callable[..., Any], emit: Emit) -> SourceText | None:
    function = function_of(subject)
    source = find_source(subject)
    if source is not None:
        notes = (f"{source.path}, from line {source.first}",)
        numbers = source.numbers
        emit(Stage("source", "Python source", "python", source.text, notes, numbers=numbers))
    else:
        emit(Failure("source", "this callable has no Python source to show"))
    if function is not None:
        emit_bytecode(function.__code__, source, emit)
    else:
        emit(Failure("bytecode", "this callable is not a Python function, so it has no bytecode"))
    return source


def _compile(
    graph: trace.TracedGraph, target: Target, captured: Captured, grad: bool, emit: Emit
) -> None:
    """Run AOTAutograd and Inductor on a graph; emit a failure with the first stage it cost."""
    reached = ["joint" if grad else "forward"]
    real = captured.device == "real"
    suffix = f":{graph.suffix}" if graph.suffix else ""
    count = len(list_operations(graph.module))
    if count > MOST_OPERATIONS:
        sentence = f"the graph has {count} operations: more than {MOST_OPERATIONS} are not lowered"
        emit(Failure(f"{reached[0]}{suffix}", sentence))
        return
    if not count:
        return

    def seen(event: Event) -> None:
        if isinstance(event, Stage):
            reached.append(event.key)
        emit(event)

    left = _count_launches(graph.module)

    def inner(aten: AtenGraph) -> Any:
        left.subtract(_count_launches(aten.module))
        taken = frozenset(kernel.name for kernel in captured.kernels)
        result, kernels = lower_graph(aten, target, real, taken, seen)
        captured.kernels += kernels
        return result

    try:
        differentiate(graph, target, real, grad, seen, inner)
        captured.dropped += left  # without what is there more often than before
    except Exception as error:
        after = _NEXT.get(reached[-1].split(":")[0], "lowered")
        key = reached[0] + suffix if len(reached) == 1 else after + suffix
        said = _ALLOCATES if _sets_allocator(graph) else sentence_of(error)
        left_out = isinstance(error, private(_LEFT_TO_PYTHON))
        what = _LEAVES_OUT if left_out else "torch.compile does not get further"
        captured.has_launched |= bool(_count_launches(graph.module))
        emit(Failure(key, f"{what}: {said}"))


def _count_launches(module: Any) -> Counter[Any]:
    """Count a graph's launches of kernels that the learner wrote."""
    table = private("torch._higher_order_ops.triton_kernel_wrap.kernel_side_table")
    return Counter(
        unwrap(table.get_kernel(node.kwargs["kernel_idx"]))[0]
        for node in module.graph.nodes
        if "triton_kernel_wrapper" in getattr(node.target, "__name__", "")
    )


def _sets_allocator(graph: trace.TracedGraph) -> bool:
    """Return True if a call of `triton.set_allocator` is a node of the graph."""
    return any(
        getattr(node.target, "__name__", "") == "invoke_leaf_function"
        and str(node.args[0]).startswith("set_alloc")
        for node in graph.module.graph.nodes
    )


_NEXT = {
    "joint": "forward",
    "post_grad": "lowered",
    "lowered": "ir_pre_fusion",
    "ir_pre_fusion": "ir_post_fusion",
    "ir_post_fusion": "wrapper",
    "wrapper": "triton",
}
