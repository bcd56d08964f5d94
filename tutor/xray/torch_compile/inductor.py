"""Inductor: a graph lowered, fused and written as code, kernel by kernel."""

from __future__ import annotations

import re
import time
import types
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from torch.fx import GraphModule

from tutor.base.list_text import join_counted
from tutor.hardware.gpus import Target
from tutor.xray.dynamo.bytecode import Emit
from tutor.xray.dynamo.fx_text import FxText
from tutor.xray.fake_gpu.fake_gpu import pretending, private, replace_private
from tutor.xray.fake_gpu.graph_to_cuda import move_to_cuda
from tutor.xray.model.counts.wrapper import count_buffers
from tutor.xray.model.error_sentence import sentence_of
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.stages import Failure, Link, Number, Stage
from tutor.xray.torch_compile.algorithm_choices import Choices, choose_without_timing
from tutor.xray.torch_compile.aot import AtenGraph
from tutor.xray.torch_compile.fusion import (
    COPIES,
    Group,
    WhyNot,
    fusion_notes,
    groups_of,
    origins_of,
)
from tutor.xray.torch_compile.graph_passes import pass_changes
from tutor.xray.torch_compile.launch_paths import read_launches
from tutor.xray.torch_compile.lowered_text import name_inputs
from tutor.xray.torch_compile.memory_traffic import MemoryTraffic, sum_kernel_traffic, traffic_of

_GRAPH = "torch._inductor.graph.GraphLowering.compile_to_module"
_FUSE = "torch._inductor.scheduler.Scheduler.fuse_nodes"
_WHY = "torch._inductor.scheduler.WhyNoFuse.__call__"
_DEFINE = "torch._inductor.codegen.triton.TritonScheduling.define_kernel"
_COPY = "torch._inductor.ir.ExternKernel.copy_input"
_TUNER = "torch._inductor.runtime.triton_heuristics.CachingAutotuner"
_META, _OPTIONS = f"{_TUNER}._create_compile_meta", f"{_TUNER}._create_compile_options"
# What is counted in a kernel's body, by the key under which Inductor has a count of its own: that one
# leaves out loads at loaded indices, and has reductions that were dropped as common expressions.
_REDUCES = r"(?:any|max2|min2|prod|welford|(?:max|min)_with_index)"
_TRAFFIC = {
    "num_load": ("loads", re.compile(r"\.load\(")),
    "num_store": ("stores", re.compile(r"\.store\(|\btl\.atomic_\w+\(")),
    "num_reduction": (
        "reductions",
        re.compile(
            rf"\btl\.(?:sum|xor_sum|reduce)\(|\btriton_helpers\.{_REDUCES}\("
            r"|\btriton_helpers\.online_softmax_(?=reduce\()|(?<=online_softmax_)reduce\("  # two
        ),
    ),
}
_SCHEDULED = re.compile(r"^(op\d+(?:_op\d+)*): ", re.MULTILINE)
# Scatters and index_put_ that ATen does are statements of its own; `aten.view.dtype(…)` in an argument
# is no call. Also the end of a kernel for row and column sums: ATen adds the columns' parts from its
# workspace.
LIBRARY_CALL = re.compile(
    r"\bextern_kernels\.(\w+)\(|\btorch\.ops\.([\w.]+)\(|^[ \t]+(aten\.[\w.]+)\("
    r"|\bworkspace_\d+\[.*\)\.(\w+)\(dim=0\)",
    re.MULTILINE,
)
_IN_PYTHON = "torch._library.custom_ops.OPDEFS"  # of `torch.library.custom_op`, by name
_IMPLEMENTED = "torch.library._impls"  # of `torch.library.impl`, as "library/name/key"
_COMPUTING = ("CUDA", "CompositeExplicitAutograd", "CompositeImplicitAutograd")  # keys on a GPU
# Where torch's own operators are: what is in no such namespace, a library or the file has registered.
_OF_TORCH = frozenset(
    (
        "_c10d_functional",
        "_c10d_functional_autograd",
        "_dtensor",
        "_native",
        "_quantized",
        "aten",
        "c10d",
        "higher_order",
        "inductor",
        "inductor_prims",
        "mkl",
        "mkldnn",
        "onednn",
        "prims",
        "quantized",
        "quantized_decomposed",
        "rngprims",
        "sparse",
        "symm_mem",
    )
)
# Operators that only make a view, as Inductor writes them: no kernel runs for it.
_VIEWS = re.compile(
    r"aten\.(?:view\.dtype|view_as_(?:real|complex)\.default|_conj\.default|_neg_view\.default)"
)
ALLOCATION = re.compile(r"= empty_strided\w*\(")
_LAUNCH = re.compile(r"^\s+(\w+)\.run\(", re.MULTILINE)
_OTHERS = 6  # configurations that a note names


@dataclass(frozen=True)
class Written:
    """A kernel's text, the operations that it computes, and the scheduler's nodes in it."""

    name: str  # Inductor's
    label: str  # that, and the graph where another graph has one of the same name
    source: str
    operations: tuple[str, ...]
    nodes: tuple[str, ...]
    traffic: MemoryTraffic | None  # of its first launch


@dataclass
class Seen:
    """The records of one graph's compilation by Inductor."""

    taken: frozenset[str]
    before: list[tuple[str, str]] = field(default_factory=list)  # name, text of each node
    after: list[tuple[str, str]] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    why: list[WhyNot] = field(default_factory=list)
    choices: list[Choices] = field(default_factory=list)
    kernels: list[Written] = field(default_factory=list)
    traffic: dict[str, tuple[str, MemoryTraffic]] = field(default_factory=dict)  # by node
    launched: list[MemoryTraffic | None] = field(
        default_factory=list
    )  # one an entry of the wrapper
    fused_ms: float = 0.0
    copied: dict[str, Any] = field(default_factory=dict)  # value that a call reads, by its buffer


def list_calls(body: str) -> list[str]:
    """Return the calls of libraries and of ATen in a wrapper's text, without those that make a view."""
    names = ("".join(found) for found in LIBRARY_CALL.findall(body))
    return [name for name in names if not _VIEWS.fullmatch(name)]


def lower_graph(
    graph: AtenGraph, target: Target, real: bool, taken: frozenset[str], emit: Emit
) -> tuple[Any, list[KernelSource]]:
    """Let `compile_fx_inner` compile a graph of ATen operations, and stop before anything runs.

    `taken` are names of kernels of other graphs: each graph numbers its own. Emits `lowered`,
    `ir_pre_fusion`, `ir_post_fusion`, `wrapper` and each kernel's `triton`; returns what
    `compile_fx_inner` did, and the kernels.
    """
    seen = Seen(taken)
    kernels: list[KernelSource] = []
    compile_fx_inner = private("torch._inductor.compile_fx.compile_fx_inner")
    stage = GraphStages(graph.suffix, graph.above, emit)
    started = time.perf_counter()

    def stop(lowering: Any) -> Any:
        """In place of GraphLowering.compile_to_module: write the code, but do not load it."""
        stage.emit_post_grad(lowering.module)
        stage.emit_lowered(lowering.operations, seen, (time.perf_counter() - started) * 1e3)
        writing = time.perf_counter()
        wrapper, _ = lowering.codegen()
        text = str(getattr(wrapper, "value", wrapper))
        stage.emit_fused(seen)
        took = (time.perf_counter() - writing) * 1e3
        stage.emit_wrapper(text, seen, max(took - seen.fused_ms, 0.0))
        for written in seen.kernels:
            if (kernel := stage.emit_kernel(written)) is not None:
                kernels.append(kernel)
        return types.SimpleNamespace(call=lambda args: (), __file__="", key="", runner=None)

    module, inputs = graph.module, graph.inputs
    with ExitStack() as stack:
        if not real:
            stack.enter_context(pretending(target))
            module, inputs, mode = move_to_cuda(module)
            context = private("torch._guards.TracingContext")(mode)
            stack.enter_context(private("torch._guards.tracing")(context))
        stack.enter_context(record_inductor(seen, graph.suffix, stop))
        return compile_fx_inner(module, inputs, **graph.arguments), kernels


def record_inductor(
    seen: Seen, suffix: str, stop: Callable[[Any], Any], defines: str = _DEFINE
) -> ExitStack:
    """Wrap the four functions of Inductor whose results are recorded.

    `stop` takes the place of `GraphLowering.compile_to_module`; `defines` is the function that names a
    kernel when it is written.
    """
    fuse, define, copy = private(_FUSE), private(defines), private(_COPY)

    def fuse_and_see(scheduler: Any, nodes: list[Any]) -> list[Any]:
        started = time.perf_counter()
        seen.before += [(node.get_name(), node.debug_str()) for node in nodes]
        fused: list[Any] = fuse(scheduler, nodes)
        seen.after += [(node.get_name(), node.debug_str()) for node in fused]
        seen.groups += groups_of(fused, seen.copied)
        seen.traffic |= traffic_of(fused)
        seen.fused_ms += (time.perf_counter() - started) * 1e3
        return fused

    def copy_and_see(value: Any) -> Any:
        written = copy(value)
        seen.copied[written.get_name()] = value
        return written

    def say_and_see(why: Any, reason: str, *values: Any) -> None:
        seen.why.append(WhyNot(why.name1, why.name2, reason % values if values else reason))

    def define_and_see(scheduling: Any, source: str, nodes: list[Any], kernel: Any = None) -> str:
        known = {written.name for written in seen.kernels}
        name = str(define(scheduling, source, nodes, kernel))
        parts = [part for node in nodes if hasattr(node, "get_nodes") for part in node.get_nodes()]
        names = tuple(dict.fromkeys(str(part.get_name()) for part in parts))
        traffic = sum_kernel_traffic(names, seen.traffic)
        seen.launched.append(traffic)
        if name not in known:
            operations: dict[str, None] = {}
            for part in parts:
                operations |= dict.fromkeys(origins_of(getattr(part, "node", None), seen.copied))
            text = _with_name(source, name, "#" if defines == _DEFINE else "//")
            label = f"{name}@{suffix or 'graph1'}" if name in seen.taken else name
            seen.kernels.append(Written(name, label, text, tuple(operations), names, traffic))
        return name

    stack = ExitStack()
    stack.enter_context(replace_private(_GRAPH, stop))
    stack.enter_context(replace_private(_FUSE, fuse_and_see))
    stack.enter_context(replace_private(_WHY, say_and_see))
    stack.enter_context(replace_private(_COPY, staticmethod(copy_and_see)))
    stack.enter_context(replace_private(defines, define_and_see))
    stack.enter_context(choose_without_timing(seen.choices))
    stack.enter_context(replace_private("torch._inductor.config.force_disable_caches", True))
    return stack


@dataclass
class GraphStages:
    """Emits the stages of one graph, and ties each to the one above."""

    suffix: str
    above: tuple[str, FxText]
    emit: Emit
    places: dict[str, int] = field(default_factory=dict)  # operation -> line in the stage above
    key: str = ""

    def emit_post_grad(self, module: GraphModule) -> None:
        """The stage `post_grad`, which names every node that later notes name."""
        changes = pass_changes(self.above[1], module)
        self.emit_stage(
            "post_grad",
            "The graph after Inductor's passes",
            changes.text.text,
            changes.notes,
            0.0,
            (),
        )
        for above, line in changes.ties:
            self.emit(Link(self.above[0], above, self.key, line))
        self.above = self.key, changes.text

    def emit_lowered(self, operations: list[Any], seen: Seen, ms: float) -> None:
        lines: list[str] = []
        ties = []
        for operation in operations:
            self.places[operation.get_operation_name()] = len(lines) + 1
            ties += [(name, len(lines) + 1) for name in origins_of(operation, seen.copied)]
            shown = str(name_inputs(operation))
            text = f"{operation.get_operation_name()}: {_tidy(shown)}"
            lines += [*text.splitlines(), ""]
        notes = (
            "Each block is a buffer and how one element of it is computed; what was used once is "
            "already inlined into its user.",
            *map(str, seen.choices),
        )
        self.emit_stage(
            "lowered",
            "Inductor's lowered nodes",
            "\n".join(lines),
            notes,
            ms,
            (("buffers", len(operations)),),
        )
        above_key, above = self.above
        for name, line in ties:
            if name in above.lines:
                self.emit(Link(above_key, above.lines[name], self.key, line))

    def emit_fused(self, seen: Seen) -> None:
        self.emit_unfused(seen)
        notes = fusion_notes(seen.groups, seen.why)
        kernels = sum(group.kind == "kernel" for group in seen.groups)
        counts = (
            ("kernels", kernels),
            ("fused", sum(len(g.nodes) > 1 for g in seen.groups)),
            ("units", sum(group.kind not in ("nothing", "view") for group in seen.groups)),
            ("library_calls", sum(group.kind == "call" for group in seen.groups)),
        )
        self.emit_groups(seen, notes, counts)

    def emit_unfused(self, seen: Seen) -> None:
        units = (("units", len(seen.before)),)
        self._nodes("ir_pre_fusion", "Inductor's IR before fusion", seen.before, (), 0.0, units)

    def emit_groups(
        self, seen: Seen, notes: tuple[str, ...], counts: tuple[tuple[str, int], ...]
    ) -> None:
        self._nodes(
            "ir_post_fusion", "Inductor's IR after fusion", seen.after, notes, seen.fused_ms, counts
        )

    def emit_wrapper(self, text: str, seen: Seen, ms: float) -> None:
        body = text.partition("async_compile.wait(")[2] or text  # below the kernels' texts
        calls = list_calls(body)
        launched = _LAUNCH.findall(body)
        written = {kernel.name: kernel for kernel in seen.kernels}
        own = set(launched) - written.keys()
        moved = list(seen.launched)
        branched = read_launches(text)
        if branched:
            launched = list(branched.kernels)
            own = set(launched) - written.keys()
            told = len(moved) == len(launched)
            bytes_moved = [one.read + one.written if one else 0 for one in moved if told]
            taken = branched.find_heaviest(bytes_moved or [0] * len(launched))
            launched = [launched[number] for number in taken]
            moved = [moved[number] for number in taken] if told else [None]
        launches = len(launched)
        kernels = f"{len(written)} Triton kernel{'s' * (len(written) != 1)}"
        if own:
            kernels += f" that Inductor wrote and {len(own)} of the function's own"
        times = f"{launches} launch{'es' * (launches != 1)}"
        notes = [f"{kernels} in {times}, in the order of call()."]
        if calls:
            notes.append(f"Calls into libraries and ATen: {join_counted(calls)}.")
        strange = _find_strange(calls)
        in_python = strange & _list_in_python()
        if strange:
            notes.append(
                f"torch.compile does not look into an operator that is not torch's own: what "
                f"{', '.join(sorted(strange))} launches is no part of this text."
            )
        if branched:
            notes.append(
                "Of the branches of torch.cond a call takes one; counted is the one that moves most."
            )
        known = [traffic for traffic in moved if traffic is not None]
        total = sum(known, MemoryTraffic()).counts if len(known) == len(moved) else ()
        if total and known:
            (_, reads), (_, writes) = total
            which = "Inductor's" if own else "its Triton"
            notes.append(
                f"In one call {which} kernels read {reads} bytes and write {writes}, as Inductor's "
                "accesses tell it: each buffer once in each launch, what a mask leaves out too."
            )
        before = (self.key, dict(self.places))
        self.emit_stage(
            "wrapper",
            "The wrapper that launches the kernels",
            text,
            tuple(notes),
            ms,
            (
                ("kernels", len(written)),
                ("launches", launches),
                ("extern_calls", len(calls)),
                ("allocations", len(ALLOCATION.findall(body))),
                *count_buffers(body).items(),
                *((("own_kernels", len(own)),) if own else ()),
                *((("own_operators", len(in_python)),) if in_python else ()),
                *total,
            ),
        )
        for number, line in enumerate(text.splitlines(), 1):
            if (launch := _LAUNCH.match(line)) and launch[1] in written:
                self.tie(before, written[launch[1]].nodes, number)

    def emit_kernel(self, written: Written) -> KernelSource | None:
        """The stage `triton` of one kernel; None, and a failure, where it cannot be loaded."""
        started = time.perf_counter()
        try:
            source, failure = _load(written), ""
        except Exception as error:
            source, failure = None, f"the kernel cannot be loaded: {sentence_of(error)}"
        key = f"triton:{written.label}"
        title = "The Triton kernel that Inductor wrote"
        took = (time.perf_counter() - started) * 1e3
        self.emit(
            Stage(
                "triton",
                title,
                "python",
                written.source,
                source.notes if source else (),
                took,
                written.label,
                source.counts if source else (),
            )
        )
        lines = written.source.splitlines()
        header = next((n for n, line in enumerate(lines, 1) if line.startswith("def ")), 1)
        post = f"ir_post_fusion:{self.suffix}" if self.suffix else "ir_post_fusion"
        # Of one node the whole body came; of several it is not known which line came from which.
        body = range(header, len(lines) + 1) if len(written.nodes) == 1 else (header,)
        for line in sorted({self.post[node] for node in written.nodes if node in self.post}):
            for number in body:
                self.emit(Link(post, line, key, number, written.label))
        if failure:
            self.emit(Failure(key, failure))
        return source

    post: dict[str, int] = field(default_factory=dict)  # node -> its line after fusion

    def _nodes(
        self,
        name: str,
        title: str,
        nodes: list[tuple[str, str]],
        notes: tuple[str, ...],
        ms: float,
        counts: tuple[tuple[str, int], ...],
    ) -> None:
        before = (self.key, dict(self.places))
        lines: list[str] = []
        places: dict[str, int] = {}
        for node, text in nodes:
            # a fused node's members follow it, each beginning with its own name
            for line in text.rstrip().splitlines():
                if match := _SCHEDULED.match(line):
                    places.setdefault(match[1], len(lines) + 1)
                    for part in match[1].split("_"):
                        if part not in places or "_" not in match[1]:
                            places[part] = len(lines) + 1
                lines.append(line)
            places.setdefault(node, 1)
            lines.append("")
        self.places = places
        self.emit_stage(name, title, "\n".join(lines), notes, ms, counts)
        for node, place in places.items():
            self.tie(before, (node,), place)
        if name == "ir_post_fusion":
            self.post = places

    def tie(self, before: tuple[str, dict[str, int]], nodes: tuple[str, ...], line: int) -> None:
        key, places = before
        for node in nodes:
            if node in places:
                self.emit(Link(key, places[node], self.key, line))

    def emit_stage(
        self,
        name: str,
        title: str,
        text: str,
        notes: tuple[str, ...],
        ms: float,
        counts: tuple[tuple[str, Number], ...],
    ) -> None:
        shown = f"{title} ({self.suffix})" if self.suffix else title
        language = {"wrapper": "python", "post_grad": "fx"}.get(name, "inductor")
        stage = Stage(name, shown, language, text, notes, ms, self.suffix, counts)
        self.key = stage.key
        self.emit(stage)


def _find_strange(calls: list[str]) -> set[str]:
    """Return the operators among the wrapper's calls that are none of torch's, as "library::name"."""
    parts = (name.split(".") for name in calls)
    return {f"{p[0]}::{p[1]}" for p in parts if len(p) > 1 and p[0] not in _OF_TORCH}


def _list_in_python() -> set[str]:
    """Return the operators whose functions for a GPU are Python, as "library::name"."""
    parts = (name.split("/") for name in private(_IMPLEMENTED))
    named = {f"{p[0]}::{p[1].split('.')[0]}" for p in parts if len(p) == 3 and p[2] in _COMPUTING}
    return named | set(private(_IN_PYTHON))


def _with_name(source: str, name: str, comment: str) -> str:
    """The kernel's text with its name filled in, as Inductor does when it writes the wrapper."""
    filled = source.replace("Placeholder.DESCRIPTIVE_NAME", name)
    return filled.replace("Placeholder.KERNEL_NAME", name).replace("#pragma CMT", comment).strip()


def _load(written: Written) -> KernelSource:
    """The kernel as Inductor's autotuner would compile it first. Raises what loading it raises."""
    tuner = getattr(
        private("torch._inductor.codecache.PyCodeCache.load")(written.source), written.name
    )
    meta = private(_META)(tuner, tuner.configs[0])
    options = private(_OPTIONS)(tuner, tuner.configs[0], meta)
    signature = dict(meta["signature"])
    names = list(signature)
    attributes = {
        what: tuple(
            names[place[0]]
            for place, pairs in meta["configs"][0].items()
            if any(pair[0] == what for pair in pairs)
        )
        for what in ("tt.divisibility", "tt.pointer_range")
    }
    metadata = tuner.inductor_meta
    body = written.source.partition(f"def {written.name}(")[2]
    counts = tuple(
        (plural, len(pattern.findall(body)))
        for key, (plural, pattern) in _TRAFFIC.items()
        if key in metadata
    )
    moved = written.traffic.counts if written.traffic else ()
    return KernelSource(
        name=written.label,
        entry=written.name,
        text=written.source,
        signature=tuple(signature.items()),
        constexprs=tuple(meta["constants"].items()),
        divisible=attributes["tt.divisibility"],
        small=attributes["tt.pointer_range"],
        options=tuple(options.items()),
        function=tuner.fn,
        notes=_kernel_notes(written, counts, tuner.configs),
        counts=(*counts, *moved),
    )


def _kernel_notes(
    written: Written, counts: tuple[tuple[str, int], ...], configs: list[Any]
) -> tuple[str, ...]:
    notes = []
    if written.operations:
        group = Group(written.nodes, written.operations, "kernel")
        notes.append(f"It computes {group}.")
    else:
        notes.append(f"It {COPIES}.")
    if counts:
        notes.append(
            f"In its body, counted: {', '.join(f'{what} {count}' for what, count in counts)}."
        )
    if moved := written.traffic:
        notes.append(
            f"One launch reads {moved.read} bytes and writes {moved.written}, each buffer counted "
            "once, as Inductor's accesses tell it."
        )
    if len(configs) == 1:
        notes.append(f"Launched with {_config(configs[0])}.")
    else:
        shown = [_config(config) for config in configs[:_OTHERS]]
        more = "; …" if len(configs) > _OTHERS else ""
        notes.append(
            f"Inductor times {len(configs)} configurations when the kernel first runs "
            f"({'; '.join(shown)}{more}); the stages below are the first one's."
        )
    return tuple(notes)


def _config(config: Any) -> str:
    """A `triton.Config` in few words: its block sizes, warps and stages."""
    sizes = [f"{name}={value}" for name, value in config.kwargs.items()]
    return ", ".join((*sizes, f"num_warps={config.num_warps}", f"num_stages={config.num_stages}"))


def _tidy(text: str) -> str:
    """An operation without the stacks and the fields that say nothing."""
    lines = text.splitlines()
    kept: list[str] = []
    inside = False
    for line in lines:
        if line.strip().startswith("stack_traces = {"):
            inside = True
        if not inside:
            kept.append(line)
        elif line.strip() in ("}", "},"):
            inside = False
    shown = "\n".join(kept)
    return re.sub(r"(?:, _?\w+=None)+\)$", ")", shown)
