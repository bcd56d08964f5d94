"""AOTAutograd: a graph in ATen operations, its backward, and the values kept between the two."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tutor.hardware.gpus import Target
from tutor.xray.dynamo.bytecode import Emit
from tutor.xray.dynamo.fx_text import (
    FxText,
    format_graph,
    list_operations,
    mark_lines,
    operation,
)
from tutor.xray.dynamo.trace import TracedGraph
from tutor.xray.fake_gpu.attention import attention_on, match_on_device, replace_attention
from tutor.xray.fake_gpu.autocast import autocast_on_device, replace_autocast
from tutor.xray.fake_gpu.decompositions import decompositions_on_device
from tutor.xray.fake_gpu.fake_gpu import private, replace_code, replace_private
from tutor.xray.fake_gpu.pretended_driver import driver_of
from tutor.xray.model.stages import Link, Stage
from tutor.xray.torch_compile.partitioner import Cut, cut_of

_PARTITION = "torch._inductor.compile_fx.partition_fn"
_ATTENTION = "torch._inductor.fx_passes.fuse_attention._scaled_dot_product_attention"
_FEW = 8  # nodes of one stack, as a line with a few operations has
_BY_HAND = "torch._inductor.fx_passes.fuse_attention._sfdp_params_check"
_FUNCTIONAL = "torch.nn.functional.scaled_dot_product_attention"  # called inside other functions
_LAZY = "torch._functorch.config.force_non_lazy_backward_lowering"
_JOINT_PASSES = "torch._inductor.compile_fx._recursive_joint_graph_passes"
_NAMES_ATEN = "torch.fx.experimental.proxy_tensor.set_original_aten_op"
_KEPT_OF_NODES = "torch.fx.proxy._COPY_META_FIELDS"
_CALL = "tutor_call"  # of a node: the number of the ATen call that it comes from


@dataclass(frozen=True)
class AtenGraph:
    """A graph of ATen operations as AOTAutograd hands it on, with what `compile_fx_inner` is given.

    `above` is the key and the text of the stage that shows the graph; `suffix` ends the keys of the
    stages that follow.
    """

    module: GraphModule
    inputs: list[Any]
    arguments: dict[str, Any]
    above: tuple[str, FxText]
    suffix: str


def differentiate(
    graph: TracedGraph,
    target: Target,
    real: bool,
    grad: bool,
    emit: Emit,
    inner: Callable[[AtenGraph], Any],
) -> None:
    """Run Inductor's own `compile_fx` on a graph; `inner` gets each graph to lower.

    Emits `joint`, `forward` and `backward` (without gradients: `forward`). Tensors are the CPU's
    here unless `real`: autograd has no device guard for a device that is pretended. Raises what
    torch raises.
    """
    stages = _AotStages(graph, emit)
    partition = private(_PARTITION)

    def partition_and_see(joint: GraphModule, inputs: Any, **arguments: Any) -> Any:
        seen = stages.read_joint(joint)  # before the joint passes, which the partitioner runs
        started = time.perf_counter()
        try:
            forward, backward = partition(joint, inputs, **arguments)
            cut = cut_of(forward, backward, int(arguments["num_fwd_outputs"]))
        except BaseException:
            stages.emit_joint(seen)
            raise
        stages.emit_joint(seen, cut)
        stages.emit_halves(forward, backward, cut, (time.perf_counter() - started) * 1e3)
        return forward, backward

    def inner_compile(module: GraphModule, inputs: Any, **arguments: Any) -> Any:
        backward = bool(arguments.get("is_backward"))
        if not backward and "forward" not in stages.texts:
            stages.emit_inference(module)
        suffix = "_".join(filter(None, (graph.suffix, "backward" if backward else "")))
        above = stages.texts["backward" if backward else "forward"]
        return inner(AtenGraph(module, list(inputs), arguments, above, suffix))

    with ExitStack() as stack:
        stack.enter_context(_numbering_calls())
        stack.enter_context(stages.noting_origins())
        stack.enter_context(private("torch._guards.tracing")(graph.context))
        stack.enter_context(torch.set_grad_enabled(grad))
        stack.enter_context(replace_private(_PARTITION, partition_and_see))
        stack.enter_context(replace_private(_LAZY, True))
        stack.enter_context(replace_private("torch._inductor.config.force_disable_caches", True))
        if not real:
            stack.enter_context(driver_of(target))  # a kernel of the learner's is looked into
            attention = attention_on(target)
            replace_attention(graph.module, attention)
            stack.enter_context(autocast_on_device())
            replace_autocast(graph.module)
            stack.enter_context(replace_private(_FUNCTIONAL, attention))
            stack.enter_context(replace_private(_ATTENTION, attention))
            stack.enter_context(replace_code(_BY_HAND, match_on_device))
        compile_fx = private("torch._inductor.compile_fx.compile_fx")
        table = None if real else decompositions_on_device()
        compile_fx(graph.module, graph.inputs, inner_compile=inner_compile, decompositions=table)


@contextmanager
def _numbering_calls() -> Iterator[None]:
    """Inside, the nodes that one ATen call is decomposed into get one number, `_CALL`."""
    fields = private(_KEPT_OF_NODES)
    number = depth = 0

    @contextmanager
    def name_and_number(operator: Any) -> Iterator[None]:
        nonlocal number, depth
        with name_aten(operator):
            if depth == 0:
                number += 1
                torch.fx.traceback.get_current_meta()[_CALL] = number
            depth += 1
            try:
                yield
            finally:
                depth -= 1
                if depth == 0:
                    torch.fx.traceback.get_current_meta().pop(_CALL, None)

    fields.append(_CALL)
    try:
        with replace_private(_NAMES_ATEN, name_and_number) as name_aten:
            yield
    finally:
        fields.remove(_CALL)


@dataclass(frozen=True)
class _Joint:
    """The joint graph as it was before the joint passes: text, nodes, notes, milliseconds."""

    text: FxText
    nodes: list[Node]
    notes: tuple[str, ...]
    ms: float


class _AotStages:
    """Emits the stages of one graph, each tied to the one it came from."""

    def __init__(self, graph: TracedGraph, emit: Emit) -> None:
        self.graph = graph
        self.emit = emit
        self.started = time.perf_counter()
        self.texts: dict[str, tuple[str, FxText]] = {}
        self.ranks: dict[str, tuple[int, int]] = {}
        self.before: dict[str, _Call] = {}  # what each node came from, before the joint passes
        # (stack, operation) -> lines of Dynamo's nodes; with "" for the operation, of all
        self.traced: dict[tuple[str, str], list[int]] = {}
        for node in list_operations(graph.module):
            if node.stack_trace and node.name in graph.text.lines:
                for name in (operation(node), ""):
                    lines = self.traced.setdefault((node.stack_trace, name), [])
                    lines.append(graph.text.lines[node.name])

    @contextmanager
    def noting_origins(self) -> Iterator[None]:
        """Inside, `before` is filled as joint passes begin to run on a graph without a backward."""

        def note_and_run(module: GraphModule, *arguments: Any, **named: Any) -> Any:
            if not self.before:  # the outermost graph; the others are in it
                self.before = {node.name: _call_of(node) for node in list_operations(module)}
            return run(module, *arguments, **named)

        with replace_private(_JOINT_PASSES, note_and_run) as run:
            yield

    def read_joint(self, module: GraphModule) -> _Joint:
        """Return what is shown of the joint graph, before passes change it."""
        notes = (
            "Forward and backward as one graph; joint passes run on it, then it is cut in two.",
            *decompositions(module),
        )
        nodes = list_operations(module)
        text = mark_lines(format_graph(module, strides=True), _first_of_backward(nodes))
        return _Joint(text, nodes, notes, (time.perf_counter() - self.started) * 1e3)

    def emit_joint(self, joint: _Joint, cut: Cut | None = None) -> None:
        """Show the joint graph; with a cut, each kept value is marked above its line."""
        text, notes = joint.text, joint.notes
        if cut is not None:
            text = mark_lines(text, cut.marks())
            notes = (notes[0], cut.summary(), *cut.note_recomputed(), *notes[1:])
        counts = cut.counts() if cut is not None else ()
        title = "AOTAutograd's joint graph"
        self._emit_nodes("joint", title, (text, joint.nodes), notes, joint.ms, counts)

    def emit_halves(self, forward: GraphModule, backward: GraphModule, cut: Cut, ms: float) -> None:
        self._emit_stage("forward", "Forward graph", forward, cut.notes(), ms, cut.counts())
        self._emit_stage("backward", "Backward graph", backward, cut.note_recomputed(), 0.0)

    def emit_inference(self, module: GraphModule) -> None:
        notes = (
            "No input needs a gradient, so there is one graph and no backward.",
            *decompositions(module, self.before),
        )
        if not list_operations(module):
            notes = (*notes, "It only hands on what it gets: there is nothing to lower.")
        took = (time.perf_counter() - self.started) * 1e3
        self._emit_stage("forward", "ATen graph", module, notes, took)

    def _emit_stage(
        self,
        name: str,
        title: str,
        module: GraphModule,
        notes: tuple[str, ...],
        ms: float,
        counts: tuple[tuple[str, int], ...] = (),
    ) -> None:
        shown = format_graph(module, strides=True), list_operations(module)
        self._emit_nodes(name, title, shown, notes, ms, counts)

    def _emit_nodes(
        self,
        name: str,
        title: str,
        shown: tuple[FxText, list[Node]],
        notes: tuple[str, ...],
        ms: float,
        counts: tuple[tuple[str, int], ...],
    ) -> None:
        text, nodes = shown
        number = f" of graph {self.graph.number}" if self.graph.suffix else ""
        stage = Stage(
            name,
            title + number,
            "fx",
            text.text,
            notes,
            ms,
            self.graph.suffix,
            (("operations", len(nodes)), *counts),
        )
        self.emit(stage)
        self._rank(nodes)
        for node in nodes:
            if node.name in text.lines:
                self._tie(name, node, stage.key, text.lines[node.name])
        self.texts[name] = (stage.key, text)

    def _tie(self, name: str, node: Node, key: str, line: int) -> None:
        """To the joint graph by name; that, or what has none, to Dynamo's nodes."""
        if name in ("forward", "backward") and "joint" in self.texts:
            joint_key, joint = self.texts["joint"]
            if node.name in joint.lines:
                self.emit(Link(joint_key, joint.lines[node.name], key, line))
                return
        dynamo = f"dynamo:{self.graph.suffix}" if self.graph.suffix else "dynamo"
        for origin in self._origins(node):
            self.emit(Link(dynamo, origin, key, line))

    def _origins(self, node: Node) -> list[int]:
        """Lines of the Dynamo nodes that have the node's stack and, where any does, its operation.

        A loop gives many nodes one stack: the forward's come in Dynamo's order, so each is tied to
        the one as far along; the backward's are left untied then.
        """
        key = (node.stack_trace or "", _original(node))
        same = self.traced.get(key) or self.traced.get((key[0], ""), [])
        if len(same) <= 1:
            return same
        if node.meta.get("partitioner_tag") == "is_backward":
            return same if len(same) <= _FEW else []
        place, of = self.ranks[node.name]
        return [same[place * len(same) // of]]

    def _rank(self, nodes: list[Node]) -> None:
        """Of each forward node, the how-manieth it is of those with its stack and operation."""
        alike: dict[tuple[str, str], list[str]] = {}
        for node in nodes:
            if node.meta.get("partitioner_tag") != "is_backward":
                alike.setdefault((node.stack_trace or "", _original(node)), []).append(node.name)
        self.ranks = {
            name: (place, len(names))
            for names in alike.values()
            for place, name in enumerate(names)
        }


def _first_of_backward(nodes: list[Node]) -> dict[str, str]:
    """Return the mark of the first node that only the backward needs, by the node's name."""
    for node in nodes:
        if node.meta.get("partitioner_tag") == "is_backward":
            return {node.name: "the backward begins"}
    return {}


def _original(node: Node) -> str:
    """The operation that a node was decomposed from, or its own: "gelu"."""
    original = str(node.meta.get("original_aten"))
    return original.split(".")[1] if original.count(".") >= 2 else operation(node)


# Adding 0 and multiplying by 1 go, and what they were given takes over the name of where it came from
# (`remove_no_ops`, torch/_inductor/fx_passes/joint_graph.py, 2.13). None of these is decomposed.
_REMOVED = ("aten.add.Tensor", "aten.sub.Tensor", "aten.mul.Tensor", "aten.div.Tensor")


# Inductor's patterns for it take a product or quotient before it along (joint_graph.py, 2.13).
_SOFTMAX = "aten._softmax.default"
# These fill a new tensor, whatever the one that they are given.
_FILLS = re.compile(r"aten\.(?:\w+_like|new_\w+|lift_fresh|fill|zero)\.\w+")


@dataclass(frozen=True)
class _Call:
    """A call of an ATen operation: which, in what half of the graph, where the function has it.

    `number` tells the calls of one place apart; it is None or -1 where none is known.
    """

    name: str
    original: Any = field(compare=False)  # each node has a copy of it
    half: object
    stack: str | None
    number: object = None
    exact: bool = False  # the number is that of one call, not of one node of autograd

    @property
    def place(self) -> tuple[object, ...]:
        return self.name, self.half, self.stack


def _call_of(node: Node) -> _Call:
    meta = node.meta
    exact = meta.get(_CALL) is not None
    number = meta[_CALL] if exact else meta.get("seq_nr")
    original, half = meta.get("original_aten"), meta.get("partitioner_tag")
    return _Call(str(original), original, half, node.stack_trace, number, exact)


def decompositions(
    module: GraphModule, before: Mapping[str, _Call] = MappingProxyType({})
) -> tuple[str, ...]:
    """`gelu -> mul, mul, erf, add, mul` for each operation that became others.

    `before` has what the nodes came from before passes ran over the graph: what a pass took out leaves
    its origin to the node that it was given.
    """
    times: dict[str, list[int]] = {}  # what became what -> how often, by call
    parts, ends = _find_parts(list_operations(module), before)
    for call, made in parts.items():
        original = call.name
        name = original.split(".")[1] if original.count(".") >= 2 else original
        parts_made = [part for part in made if part != "getitem"]  # of several results, one
        constant = parts_made == ["full"] and not _FILLS.fullmatch(original)
        if constant and _takes_tensor(call.original):
            line = f"{original} has one value throughout, known while compiling: full"
            times.setdefault(line, []).append(1)
        elif parts_made and set(parts_made) != {name}:
            period = _find_period(parts_made)
            if call.exact and period > 1:
                period = len(parts_made)
            several = name in parts_made and not call.exact  # one call stayed: its line has others
            calls_of = f"{original}, in all calls of a line," if several else original
            if call in ends and original == _SOFTMAX:
                calls_of = f"{original}, with the scaling of its input,"
            line = f"{calls_of} became {', '.join(parts_made[:period])}"
            times.setdefault(line, []).append(len(parts_made) // max(period, 1))
    return tuple(f"{line}{_say_times(line, counts)}." for line, counts in times.items())


def _find_parts(
    nodes: list[Node], before: Mapping[str, _Call]
) -> tuple[dict[_Call, list[str]], set[_Call]]:
    """Return the operations of each call's nodes, less the calls of which that is not clear, and the
    calls in whose place a pattern stands."""
    pattern_of = _put_in_by_patterns(nodes)
    calls = {node: before.get(node.name) or _call_of(node) for node in nodes}
    numbered: dict[tuple[object, ...], set[_Call]] = {}
    for node in nodes:
        if calls[node].number is not None:
            numbered.setdefault(calls[node].place, set()).add(calls[node])
    parts: dict[_Call, list[str]] = {}
    unclear: set[_Call] = set()
    ends: set[_Call] = set()
    for node in nodes:
        call = calls[pattern_of.get(node, node)]
        if call.original is None or call.name in _REMOVED:
            continue
        if call.number is None:
            # What a pass put in has no number: it is of the operation whose other parts have one.
            same = numbered.get(call.place, set())
            if len(same) == 1:
                (call,) = same
            elif same:
                unclear |= same
        if node in pattern_of:
            ends.add(call)
        parts.setdefault(call, []).append(operation(node))
    if ends:  # a pattern may have taken a part of another operation
        left = {node.name for node in nodes}
        cut = {call for name, call in before.items() if name not in left and call in parts} - ends
        unclear |= cut | (ends if cut else set())
    return {call: made for call, made in parts.items() if call not in unclear}, ends


def _takes_tensor(original: Any) -> bool:
    schema = getattr(original, "_schema", None)
    return schema is not None and any("Tensor" in str(given.type) for given in schema.arguments)


def _put_in_by_patterns(nodes: list[Node]) -> dict[Node, Node]:
    """Return, of each node that a pattern of Inductor's put in, the one in the replaced one's place.

    Only that one knows the operation it stands for; the others name themselves.
    """
    pattern_of: dict[Node, Node] = {}
    for node in reversed(nodes):
        if node.meta.get("seq_nr") is None and not node.stack_trace:
            ends = {pattern_of.get(user, user) for user in node.users}
            end = ends.pop() if len(ends) == 1 else node
            if end.stack_trace and end.meta.get("seq_nr") is None:
                pattern_of[node] = end
    return pattern_of


def _find_period(parts: list[str]) -> int:
    """Return after how many parts they begin anew: calls in a loop have one place in the source."""
    sizes = (size for size in range(1, len(parts) + 1) if len(parts) % size == 0)
    return next((size for size in sizes if parts == parts[:size] * (len(parts) // size)), 0)


def _say_times(line: str, counts: list[int]) -> str:
    if max(counts) > 1 and ", " not in line:  # of one operation that makes several, or of several
        return f", {sum(counts)} in all"
    return f" ({sum(counts)} times)" if sum(counts) > 1 else ""
