"""What torch.compile makes of a function: graphs, breaks with their lines, compilations, kernels.

The private names of `torch._dynamo` and `torch._inductor` that the judge uses are in this file
(read in 2.11 and 2.13).
"""

from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import explain
from torch._inductor import metrics

MAX_BREAKS = 8
_MOST_COMPILATIONS = (
    64  # above torch's 8, so that many cases do not end in a silent fall back to eager
)


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """The learner's own function, also where they put `@torch.compile` on it themselves."""
    return getattr(function, "_torchdynamo_orig_callable", function)


class Capture:
    """Compiles a function with a backend that only counts, and runs the graphs as captured."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.compilations = 0
        torch._dynamo.reset()
        torch._dynamo.config.recompile_limit = _MOST_COMPILATIONS
        self.call = torch.compile(function, backend=self._backend)

    def _backend(self, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        self.compilations += 1
        return graph.forward


def explained(function: Callable[..., Any], args: tuple[Any, ...], filename: str) -> dict[str, Any]:
    """Graphs and breaks of one call, as Dynamo's own `explain` reports them."""
    torch._dynamo.reset()
    found = explain(function)(*args)
    breaks = []
    for reason in found.break_reasons[:MAX_BREAKS]:
        own = [f.lineno for f in reason.user_stack if f.filename == filename]
        breaks.append({"reason": str(reason.reason)[:2000], "line": own[-1] if own else None})
    torch._dynamo.reset()
    return {"graphs": found.graph_count, "breaks": breaks}


def lowered(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Callable[..., Any], int]:
    """The function compiled by Inductor and called once, and how many kernels that generated."""
    torch._dynamo.reset()
    metrics.reset()
    compiled = torch.compile(function)
    with torch._inductor.config.patch(fx_graph_cache=False):  # a cache hit generates none
        compiled(*args)
    return compiled, int(metrics.generated_kernel_count)
