"""Dynamo: the graphs of a call, their guards, the breaks between them, and what runs instead.

The function is called once, on CPU tensors, with a backend that keeps each graph and runs it as it
is. So code between two graphs sees values, as it would in eager mode.
"""

from __future__ import annotations

import re
import time
import types
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch.fx import GraphModule, Node

from tutor.base.errors import CannotHere
from tutor.base.number_text import plural
from tutor.hardware.gpus import Target
from tutor.xray.dynamo.arguments import Call
from tutor.xray.dynamo.bytecode import Emit, emit_rewritten, tie
from tutor.xray.dynamo.compile_options import CompileOptions
from tutor.xray.dynamo.fx_text import FxText, format_graph, list_operations
from tutor.xray.dynamo.graph_breaks import GraphBreak, break_of
from tutor.xray.dynamo.guards import format_guards, guards_of
from tutor.xray.dynamo.python_text import python_of
from tutor.xray.dynamo.source_text import SourceText
from tutor.xray.dynamo.stack_values import NoPython
from tutor.xray.fake_gpu.autocast import autocast_on_device
from tutor.xray.fake_gpu.fake_gpu import private, replace_private
from tutor.xray.fake_gpu.launch_recorder import RecordedLaunch
from tutor.xray.fake_gpu.traced_devices import (
    move_to_cpu,
    moved_to_device,
    moved_to_host,
    on_host,
    trace_as_on,
)
from tutor.xray.model.error_sentence import sentence_of
from tutor.xray.model.stages import Failure, Link, Stage

MOST_GRAPHS = 16
_LEFT_OUT = "Deletions, handlers of exceptions and calls for torch's profiler are left out."
_FEW = 6  # names in a note
_POLYFILLS = "_dynamo/polyfills"  # Python that only Dynamo reads, in the place of what a call does
_SPLIT = "torch._dynamo.output_graph.OutputGraph.compile_subgraph"
_IN_LOOP = "torch._dynamo.symbolic_convert.InstructionTranslatorBase.raise_loop_graph_break"
_LOG = "torch._dynamo.symbolic_convert.InstructionTranslatorBase.log_graph_break"
_CONVERT = "torch._dynamo.convert_frame.ConvertFrameAssert.__call__"
_NO_RESUME = "step_unsupported"  # the graph ends at the last place from which Python can go on
_FINALIZER = "torch._dynamo.output_graph.OutputGraph.add_graph_finalizer"
_NUMBER = "torch.fx.experimental.symbolic_shapes.ShapeEnv._generate_unique_id"
_RESUMED = re.compile(r"torch_dynamo_resume_in_(\w+)_at_(\d+)")
_INTERNAL = "InternalTorchDynamoError"  # a fault of Dynamo's; the call itself may be right
# Said of the tensors with which Dynamo tries a call: they hold no values, and NumPy's arrays are such.
_OF_ITS_OWN = re.compile(r"its data is not allocated yet|expected TensorOptions\(dtype=")
_DYNAMO_MEMORY_LIMIT = 64 << 20  # bytes; larger graphs between breaks get zeros, not values


@dataclass
class TracedGraph:
    """A graph as Dynamo handed it to the backend. `number` counts from 1, in order of capture."""

    number: int
    module: GraphModule
    inputs: list[Any]
    context: Any  # torch._guards.TracingContext
    reason: Any  # torch._dynamo.output_graph.GraphCompileReason
    compile_id: str
    ms: float
    on_host: tuple[str, ...] = ()  # nodes that make a tensor of the CPU, also beside a GPU
    on_named_host: tuple[str, ...] = ()  # nodes for which the code names the CPU
    to_host: tuple[str, ...] = ()  # nodes that copy a tensor to the CPU
    moved: tuple[str, ...] = ()  # tensors from outside the call that the graph moves to the GPU
    text: FxText = field(init=False)
    operations: list[Node] = field(init=False)  # those of the text

    def __post_init__(self) -> None:
        self.operations = list_operations(self.module)
        self.text = format_graph(self.module, strides=False)

    def put_on_cpu(self) -> None:
        """Have the graph run on the CPU, and note what of it names another device."""
        self.on_host, self.to_host = on_host(self.module), moved_to_host(self.module)
        self.on_named_host = on_host(self.module, named=True)
        self.moved = moved_to_device(self.module)
        move_to_cpu(self.module)

    @property
    def suffix(self) -> str:
        """The suffix that distinguishes this graph's stages from the first one's."""
        return "" if self.number == 1 else f"graph{self.number}"


@dataclass(frozen=True)
class TracedFrame:
    """A Python frame that Dynamo compiled: its code, and the code that replaces it."""

    compile_id: str
    code: CodeType
    rewritten: CodeType


@dataclass(frozen=True)
class BareBreak:
    """A graph break that ends no graph: no operation stands before it, or its frame is given up.

    `after` is how many graphs were there; `frame` the function that runs as Python as a whole, because
    Python cannot go on from the break, or ""; `in_loop` if it cannot because the break is in a loop.
    `reason` has `reason` and `user_stack`, as torch's has.
    """

    after: int
    reason: Any
    frame: str = ""
    in_loop: bool = False


@dataclass
class Trace:
    """The result of tracing one call. `error`: what the function, or Dynamo, raised."""

    graphs: list[TracedGraph] = field(default_factory=list)
    frames: list[TracedFrame] = field(default_factory=list)
    error: BaseException | None = None
    skipped: int = 0  # graphs beyond MOST_GRAPHS
    refusals: tuple[str, ...] = ()  # torch's texts of what it left to Python, each once
    bare_breaks: list[BareBreak] = field(default_factory=list)
    has_launched: bool = False  # Python launched kernels between the graphs; on a pretended GPU


def trace_call(
    call: Call,
    grad: bool,
    pretended: Target | None,
    options: CompileOptions | None = None,
    try_graph: Callable[[TracedGraph], None] = lambda graph: None,
) -> Trace:
    """Make the call under Dynamo, on tensors of the CPU that stand for those of `pretended`.

    `try_graph` raises what makes Dynamo trace a graph anew. Nothing else is raised: `Trace.error` holds
    what the call raised.
    """
    options = options or CompileOptions()
    trace = Trace()
    tracing_context = private("torch._guards.TracingContext")
    started = time.perf_counter()

    def keep(module: GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        nonlocal started
        if len(trace.graphs) >= MOST_GRAPHS:
            trace.skipped += 1
            return module.forward
        graph = TracedGraph(
            number=len(trace.graphs) + 1,
            module=module,
            inputs=list(inputs),
            context=tracing_context.try_get(),
            reason=module.compile_subgraph_reason,
            compile_id=str(module.meta.get("dynamo_compile_id", "")),
            ms=(time.perf_counter() - started) * 1e3,
        )
        if pretended:
            graph.put_on_cpu()
        try_graph(graph)
        trace.graphs.append(graph)
        started = time.perf_counter()
        last = not graph.reason.graph_break and "0/0" in graph.compile_id
        return _zeros(module) if last or _bytes(module) > _DYNAMO_MEMORY_LIMIT else module.forward

    def remember(code: CodeType, rewritten: CodeType) -> None:
        trace.frames.append(TracedFrame(_compile_id(), code, rewritten))

    torch.compiler.reset()
    counters = private("torch._dynamo.utils.counters")
    counters.clear()
    hook = private("torch._dynamo.convert_frame.register_bytecode_hook")(remember)
    launches: list[RecordedLaunch] = []
    limit = replace_private("torch._dynamo.config.recompile_limit", 8 * MOST_GRAPHS)
    try:
        with limit, _keep_parameters(), ExitStack() as stack, torch.set_grad_enabled(grad):
            stack.enter_context(_note_bare_breaks(trace))
            stack.enter_context(_keep_symbols(call.symbols))
            if pretended:
                launches = stack.enter_context(trace_as_on(pretended))
                stack.enter_context(autocast_on_device())
            compiled = torch.compile(
                call.subject, backend=keep, fullgraph=options.fullgraph, dynamic=options.dynamic
            )
            compiled(*call.args, **call.named)
    except (Exception, SystemExit) as error:
        trace.error = error
    finally:
        hook.remove()
    trace.refusals = tuple(map(str, counters["graph_break"]))
    trace.has_launched = bool(launches)
    return trace


@contextmanager
def _keep_symbols(numbers: dict[str, int]) -> Iterator[None]:
    """Name each symbol as in the inputs. torch numbers it by a hash of where it comes from."""
    number_of = private(_NUMBER)
    kept: WeakKeyDictionary[Any, set[int]] = WeakKeyDictionary()  # by environment

    def keep_number(environment: Any, source_name: str) -> int:
        here = kept.setdefault(environment, set())
        number = numbers.get(source_name)
        if number is None or number in here:
            environment.unique_ids.update(numbers.values())
            return int(number_of(environment, source_name))
        environment.unique_ids.add(number)
        here.add(number)
        return number

    with replace_private(_NUMBER, keep_number):
        yield


def _keep_parameters() -> Any:
    """Keep in a graph the parameters of an optimizer that the call makes: Dynamo lets them go with the
    optimizer, and the graph is lowered when the call is over."""
    return replace_private(_FINALIZER, lambda *given: None)


@contextmanager
def _note_bare_breaks(trace: Trace) -> Iterator[None]:
    """Add each graph break that ends no graph to `trace.bare_breaks`, and to a graph that Python goes on
    from the break that made it end."""
    split = private(_SPLIT)
    causes: dict[CodeType, Any] = {}

    def log_and_see(translator: Any, *args: Any, **named: Any) -> Any:
        causes[translator.f_code] = named.get("exc")
        return log(translator, *args, **named)

    def split_and_see(output: Any, translator: Any, reason: Any, *args: Any, **named: Any) -> Any:
        cause = causes.get(translator.f_code)
        if reason.reason == _NO_RESUME and cause is not None:
            line = reason.user_stack[-1].lineno
            reason.rest = (translator.f_code.co_name, line)
            reason.reason = str(cause)
            reason.user_stack = getattr(cause, "real_stack", None) or reason.user_stack
        before = len(trace.graphs) + trace.skipped
        result = split(output, translator, reason, *args, **named)
        if reason.graph_break and before == len(trace.graphs) + trace.skipped:
            trace.bare_breaks.append(BareBreak(before, reason))
        return result

    with ExitStack() as stack:
        stack.enter_context(_note_skipped_functions(trace))
        stack.enter_context(replace_private(_SPLIT, split_and_see))
        with suppress(CannotHere):
            log = private(_LOG)
            stack.enter_context(replace_private(_LOG, log_and_see))
        yield


@contextmanager
def _note_skipped_functions(trace: Trace) -> Iterator[None]:
    """Add the graph break for which a whole function runs as Python to `trace.bare_breaks`."""

    def note_skipped(code: CodeType, error: Any, in_loop: bool) -> None:
        stack = getattr(error, "real_stack", None) or ()
        reason = types.SimpleNamespace(reason=str(error), user_stack=stack)
        trace.bare_breaks.append(BareBreak(len(trace.graphs), reason, code.co_name, in_loop))

    def give_up_and_see(code: CodeType, error: Any) -> Any:
        note_skipped(code, error, in_loop=True)
        return give_up(code, error)

    def convert_and_see(converter: Any, frame: Any, *args: Any, **named: Any) -> Any:
        before = len(trace.graphs) + trace.skipped, len(trace.bare_breaks)
        try:
            return convert(converter, frame, *args, **named)
        except torch._dynamo.exc.Unsupported as error:
            if before == (len(trace.graphs) + trace.skipped, len(trace.bare_breaks)):
                note_skipped(frame.f_code, error, in_loop=False)
            raise

    with ExitStack() as stack:
        with suppress(CannotHere):  # tried with torch 2.13 and 2.14
            give_up = private(_IN_LOOP)
            stack.enter_context(replace_private(_IN_LOOP, staticmethod(give_up_and_see)))
        with suppress(CannotHere):
            convert = private(_CONVERT)
            stack.enter_context(replace_private(_CONVERT, convert_and_see))
        yield


def emit_graph(
    graph: TracedGraph,
    source: SourceText | None,
    emit: Emit,
    asked: tuple[str, ...] = (),
    around: tuple[BareBreak, ...] = (),
    traced_files: frozenset[str] = frozenset(),
) -> GraphBreak | None:
    """The stage `dynamo` of a graph, tied to the source; returns the break that ended it.

    `around` are the breaks without a graph of their own that this stage has to tell; `traced_files` has
    the files of all frames that became graphs.
    """
    broken = break_of(graph.reason, source) if graph.reason.graph_break else None
    operations = graph.operations
    notes = [
        f"{plural(len(operations), 'operation')}, in torch's own terms; ATen comes after AOTAutograd.",
        *asked,
    ]
    if graph.on_host:
        notes.append(_host_note(graph))
    if graph.on_named_host:
        notes.append(
            f"Made on the CPU, which the code names here: {_list_few(graph.on_named_host)}. They are "
            "taken for the GPU's. A file that asks as it is loaded hears that there is no GPU here."
        )
    if graph.to_host:
        notes.append(
            f"Copied to the CPU by the function itself: {_list_few(graph.to_host)}. What is computed "
            "from that runs there; here it is taken for the GPU's, and no copy is shown."
        )
    if any(isinstance(value, torch.Tensor) and not value.numel() for value in graph.inputs):
        notes.append(
            "An input of this graph has no elements. What is computed from it needs no kernel, and its "
            "size may come from the values of this call, which are made up."
        )
    if graph.moved:
        notes.append(
            f"Moved to the GPU by the graph: {_list_few(graph.moved)}. What lies on the CPU is copied "
            "in each call; here it is taken for the GPU's, and no copy is shown."
        )
    bare = _without_repeats([(one, break_of(one.reason, source)) for one in around])
    notes += dict.fromkeys(_bare_note(graph, one, told) for one, told in bare)
    if broken:
        notes.append(f"It ends at a graph break. {_capitalize(broken)}")
        function, file = broken.library
        if function and file not in traced_files and _POLYFILLS not in file:
            notes.append(
                f"`{function}` of torch runs as Python there, and no operation of its own is in a graph."
            )
        if rest := getattr(graph.reason, "rest", None):
            name = _RESUMED.sub(r"\1", rest[0])
            notes.append(
                f"Dynamo cannot go on behind that break: `{name}` runs as Python from line {rest[1]} "
                "on, and no operation of its own there is in a graph."
            )
    title = "Dynamo's graph" if graph.number == 1 else f"Dynamo's graph {graph.number}"
    counts = [("operations", len(operations))]
    if broken and source and (at := source.line_of(source.path, broken.line)):
        counts.append(("breaks_at_line", at))
    for one, told in bare:
        at = source.line_of(source.path, told.line) if source else None
        if at and one.after < graph.number and not (one.frame or told.called):
            counts.append(("begins_after_line", at))
            break
    stage = Stage(
        "dynamo", title, "fx", graph.text.text, tuple(notes), graph.ms, graph.suffix, tuple(counts)
    )
    emit(stage)
    for node in operations if source else ():
        at = source.line_of_trace(node.stack_trace) if source else None
        line = graph.text.lines.get(node.name)
        if at and line:
            emit(Link("source", at, stage.key, line))
    return broken


def bare_breaks_of(trace: Trace, graph: TracedGraph) -> tuple[BareBreak, ...]:
    """Return the breaks without a graph before this graph; after the last one, those that follow."""
    last = graph.number == len(trace.graphs)
    return tuple(
        one
        for one in trace.bare_breaks
        if one.after == graph.number - 1 or (last and one.after >= graph.number)
    )


def _without_repeats(
    bare: list[tuple[BareBreak, GraphBreak]],
) -> list[tuple[BareBreak, GraphBreak]]:
    """Leave out a break in a library that is told already of the learner's line that calls it."""
    told = {found.reason for _, found in bare if found.line}
    return [(one, found) for one, found in bare if found.line or found.reason not in told]


def _bare_note(graph: TracedGraph, one: BareBreak, told: GraphBreak) -> str:
    if one.frame:
        why = (
            "a graph break stands in a loop"
            if one.in_loop
            else "nothing goes on from a graph break"
        )
        resumed = _RESUMED.fullmatch(one.frame)
        what = f"What follows line {resumed[2]} in `{resumed[1]}`" if resumed else f"`{one.frame}`"
        return (
            f"{what} runs as Python, and no operation of its own is in a graph: {why}. "
            f"{_capitalize(told)}"
        )
    if told.called and one.after < graph.number:
        return f"Python calls `{told.called}`, and Dynamo traces what it can of it. {_capitalize(told)}"
    place = "It begins after" if one.after < graph.number else "After it comes"
    return f"{place} a graph break. {_capitalize(told)}"


def _capitalize(told: GraphBreak) -> str:
    text = str(told)
    return f"{text[0].upper()}{text[1:]}"


def _host_note(graph: TracedGraph) -> str:
    return (
        f"Made on the CPU, on a machine with a GPU too: {_list_few(graph.on_host)}. Here they are taken "
        "for the GPU's; name the device, as in torch.zeros(8, device=x.device)."
    )


def _list_few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return f"{', '.join(names[:_FEW])}{more}"


def emit_guards(trace: Trace, source: SourceText | None, emit: Emit) -> None:
    """A stage `guards` for each graph."""
    entries_of = private("torch._dynamo.eval_frame._debug_get_cache_entry_list")
    managers = {
        str(entry.compile_id): entry.guard_manager
        for code in dict.fromkeys(frame.code for frame in trace.frames)
        for entry in entries_of(code)
    }
    for graph in trace.graphs:
        manager = managers.get(graph.compile_id)
        key = f"guards:{graph.suffix}" if graph.suffix else "guards"
        if manager is None:
            emit(Failure(key, "the call ended before this graph's guards were made"))
            continue
        guards = guards_of(manager)
        text, ties = format_guards(guards, source)
        notes = (
            f"{len(guards)} checks run before each call; where one fails, Dynamo traces again.",
            "Traced on CPU tensors: on the GPU the same guards ask for its device.",
        )
        title = "Guards" if graph.number == 1 else f"Guards of graph {graph.number}"
        stage = Stage(
            "guards",
            title,
            "text",
            text,
            notes,
            kernel=graph.suffix,
            counts=(("guards", len(guards)),),
        )
        emit(stage)
        for source_line, line in ties:
            emit(Link("source", source_line, stage.key, line))


def emit_frames(trace: Trace, source: SourceText | None, emit: Emit) -> None:
    """Emit what runs in place of each frame: calls of the graphs, and of resume functions."""
    for number, frame in enumerate(trace.frames, 1):
        name = frame.code.co_name
        resumed = name.startswith("torch_dynamo_resume_in_")
        if resumed:
            notes: tuple[str, ...] = (
                "After a graph break the rest of the function runs as this new one; Dynamo traces "
                "it in its turn.",
            )
            title = f"Resume function {name}, rewritten"
        else:
            graphs = any(n.startswith("__compiled_fn") for n in frame.rewritten.co_names)
            now = "The graph is one call now" if graphs else "No graph came of it"
            notes = (f"{now}; what could not be traced stays as it was.",)
            title = f"{name} as Dynamo rewrote it"
        started = time.perf_counter()
        try:
            written = python_of(frame.rewritten)
        except NoPython as error:
            notes += (f"It has no text in Python: {error}.",)
            written = None
        emit_rewritten(frame.rewritten, source, f"rewritten{number}", title, notes, emit)
        if written is not None:
            kernel = "" if number == 1 else f"frame{number}"
            notes = (*notes, _LEFT_OUT)
            took = (time.perf_counter() - started) * 1e3
            text = "\n".join(written.lines)
            stage = Stage("rewritten", title, "python", text, notes, took, kernel)
            emit(stage)
            tie(source, frame.rewritten.co_filename, list(written.places), stage.key, emit)


def failure_of(trace: Trace, source: SourceText | None) -> Failure | None:
    """Return what the call raised as a failure of the stages that are missing for it."""
    if trace.error is not None:
        stage = "dynamo" if not trace.graphs else f"dynamo:graph{len(trace.graphs) + 1}"
        if isinstance(trace.error, CannotHere):
            return Failure(stage, str(trace.error))
        internal = type(trace.error).__name__ == _INTERNAL or _OF_ITS_OWN.search(str(trace.error))
        who = "torch.compile failed while it traced the call:" if internal else "the call raised"
        return Failure(stage, f"{who} {sentence_of(trace.error)}")
    if not trace.graphs:
        why = "the call made no graph"
        if trace.bare_breaks:
            one = trace.bare_breaks[0]
            what = " in a loop" if one.in_loop else " from which nothing goes on"
            skipped = f"`{one.frame}` has a graph break{what}, " if one.frame else ""
            why = f"{skipped}{break_of(one.reason, source)}".removesuffix(".")
        elif trace.refusals:
            said = types.SimpleNamespace(reason=trace.refusals[0], user_stack=[])
            why = f"{break_of(said, None)}".removesuffix(".")
        return Failure("dynamo", f"no operation on a tensor was traced: {why}")
    return None


def _compile_id() -> str:
    return str(private("torch._guards.CompileContext").current_compile_id() or "")


def _bytes(module: GraphModule) -> int:
    total = 0
    for node in module.graph.nodes:
        value = node.meta.get("example_value")
        if isinstance(value, torch.Tensor) and all(isinstance(s, int) for s in value.shape):
            total += value.numel() * value.element_size()
    return total


def _zeros(module: GraphModule) -> Callable[..., Any]:
    """Replaces a run of the graph: it returns outputs of the right shapes, which nobody reads."""

    def run(*inputs: Any) -> Any:
        outputs = next(iter(reversed(module.graph.nodes))).args[0]
        values = [
            o.meta.get("example_value") if isinstance(o, torch.fx.Node) else o for o in outputs
        ]
        if not all(_is_static(value) for value in values):
            return module.forward(*inputs)
        return tuple(
            torch.zeros(v.shape, dtype=v.dtype) if isinstance(v, torch.Tensor) else v
            for v in values
        )

    return run


def _is_static(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return all(isinstance(size, int) for size in value.shape)
    return value is None or isinstance(value, (bool, int, float, str))
