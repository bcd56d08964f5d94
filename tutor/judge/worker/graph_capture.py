"""Capture of a function by torch.compile: graphs, breaks with their lines, compilations, kernels.

The private names of `torch._dynamo` and `torch._inductor` that the judge uses are in this file (read
in 2.11 and 2.13).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import explain
from torch._dynamo.eval_frame import OptimizeContext
from torch._dynamo.exc import Unsupported
from torch._dynamo.utils import counters, get_compilation_metrics
from torch._inductor import metrics

from tutor.judge.processes.wire import escape_surrogates
from tutor.judge.processes.worker_messages.records import CapturedBreak, CapturedGraphs
from tutor.xray.torch_compile.memory_traffic import MemoryTraffic, sum_traffic

MAX_BREAKS = 8
MAX_OPS = 200
MAX_GUARD = 300  # characters of one failed guard
_NUMPY_CALLS = ("numpy_to_tensor_wrapper", "numpy_operator_wrapper", "numpy_method_wrapper")
_MOST_COMPILATIONS = 64  # above torch's 8, so that many cases do not silently fall back to eager


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the learner's own function, also if it is decorated with `@torch.compile`."""
    return getattr(function, "_torchdynamo_orig_callable", function)


def dynamic_setting(function: Callable[..., Any]) -> bool | None:
    """Return `dynamic=` of the learner's own `@torch.compile`; None, torch's default, without one."""
    told = getattr(function, "get_compiler_config", None)
    for cell in getattr(told, "__closure__", None) or ():
        if isinstance(cell.cell_contents, OptimizeContext):
            setting = cell.cell_contents._dynamic
            return setting if type(setting) is bool else None
    return None


class Capture:
    """Compiles a function with a backend that only counts, and runs the graphs as captured.

    `guards` holds, for each compilation after a function's first, the guard that failed. Without
    `compiling` the function runs eagerly: a function that is known to break already has its verdict,
    and its numbers are then available sooner.
    """

    def __init__(
        self, function: Callable[..., Any], dynamic: bool | None = None, *, compiling: bool = True
    ) -> None:
        self.compilations = 0
        self.breaks = 0
        self.guards: list[str] = []
        torch._dynamo.reset()
        torch._dynamo.config.recompile_limit = _MOST_COMPILATIONS
        self._compiled = (
            torch.compile(function, backend=self._backend, dynamic=dynamic)
            if compiling
            else function
        )

    def call(self, *args: Any) -> Any:
        before, broken = self.compilations, counters["graph_break"].total()
        out = self._compiled(*args)
        new = self.compilations - before
        self.breaks += counters["graph_break"].total() - broken
        for compilation in get_compilation_metrics()[-new:] if new else ():
            if compilation.recompile_reason:
                self.guards.append(escape_surrogates(_guard(compilation.recompile_reason)))
        return out

    def _backend(self, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        self.compilations += 1
        return graph.forward


def _guard(reason: str) -> str:
    """Extract `x.size()[0] == 8` from Dynamo's `0/0: x.size()[0] == 8      # where it comes from`."""
    first = reason.strip().splitlines()[0]
    return re.split(r"\s{2,}#", re.sub(r"^\d+/\d+: ", "", first))[0].strip()[:MAX_GUARD]


def explain_graphs(
    function: Callable[..., Any], args: tuple[Any, ...], filename: str
) -> CapturedGraphs:
    """Return graphs, operations and breaks of one call, as Dynamo's own `explain` reports them."""
    torch._dynamo.reset()
    before = counters["graph_break"].total()
    report = explain(function)(*args)
    breaks = [
        _break(str(graph_break.reason), graph_break.user_stack, filename)
        for graph_break in report.break_reasons[:MAX_BREAKS]
    ]
    if not breaks and counters["graph_break"].total() > before:
        # `explain` reports no break that comes before any operation.
        breaks = _first_break(function, args, filename)
    torch._dynamo.reset()
    ops = [name for graph in report.graphs for name in _operations(graph)][:MAX_OPS]
    return CapturedGraphs(report.graph_count, tuple(breaks), tuple(map(escape_surrogates, ops)))


def _break(reason: str, stack: Iterable[Any], filename: str) -> CapturedBreak:
    own = [frame.lineno for frame in stack if frame.filename == filename]
    return CapturedBreak(escape_surrogates(reason[:2000]), own[-1] if own else None)


def _first_break(
    function: Callable[..., Any], args: tuple[Any, ...], filename: str
) -> list[CapturedBreak]:
    """Return the break at which `fullgraph=True` stops."""
    torch._dynamo.reset()
    try:
        torch.compile(function, backend="eager", fullgraph=True)(*args)
    except Unsupported as error:
        return [_break(str(error), error.real_stack or (), filename)]
    return []


def _operations(graph: torch.fx.GraphModule) -> Iterator[str]:
    """Return the names of the calls in a graph and the graphs inside it: `sin`, `add`,
    `mylib.secret.default`, `numpy.maximum`, `answer.hidden` of a function that is not looked into."""
    for module in graph.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.nodes:
                if node.op in ("call_function", "call_method"):
                    own = isinstance(node.target, torch._ops.OpOverload)
                    name = None if own else getattr(node.target, "__name__", None)
                    text = str(name or node.target)[:MAX_GUARD]
                    numpy = type(node.target).__name__ in _NUMPY_CALLS
                    home = getattr(node.target, "__module__", None) or "torch"
                    if isinstance(node.target, FunctionType) and not home.startswith("torch"):
                        text = f"{home}.{text}"[:MAX_GUARD]  # allowed in the graph, unseen
                    yield f"numpy.{text.removeprefix('wrapped_')}" if numpy else text


@dataclass(frozen=True)
class LoweredFunction:
    """A function compiled by Inductor and called once: the generated kernels, and the bytes that
    they read and write in one call as Inductor estimates them
    (`tutor.xray.torch_compile.memory_traffic`), or None without an estimate."""

    function: Callable[..., Any]
    kernels: int
    traffic: MemoryTraffic | None


def lower_function(function: Callable[..., Any], args: tuple[Any, ...]) -> LoweredFunction:
    """Compile the function for these arguments with Inductor, and count its kernels and the bytes
    they move. Raises what the compiler or the call raises."""
    torch._dynamo.reset()
    metrics.reset()
    compiled = torch.compile(function)
    parts: list[MemoryTraffic | None] = []

    def count(nodes: list[Any]) -> list[Any]:
        parts.append(sum_traffic(nodes))
        return nodes

    # A cache hit would generate and fuse nothing.
    with torch._inductor.config.patch(fx_graph_cache=False, _post_fusion_custom_pass=count):
        compiled(*args)
    known = [traffic for traffic in parts if traffic is not None]
    traffic = sum(known, MemoryTraffic()) if known and len(known) == len(parts) else None
    return LoweredFunction(compiled, int(metrics.generated_kernel_count), traffic)
