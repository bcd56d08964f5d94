"""FX graphs for exercises on passes: the text of modules, some of them drawn, and trials of a pass.

An exercise's `reference.py` and `probe.py` import this module. A graph travels as the text of a class
`Net`, so that the learner's process and the judge trace it each for itself.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from tutor.judge.cases.fx_effects import draws, target_name, writes
from tutor.judge.cases.result_difference import RESULT, Seen, find_difference
from tutor.judge.spec import Case

Plain = dict[str, Any]
CALLS = 2  # of each graph in a trial: what a pass has frozen shows at the second one

_VALUES: tuple[str, ...] = (
    "{a} + {b}",
    "{a} - {b}",
    "torch.maximum({a}, {b})",
    "{a} * 0.5",
    "{a} + 1",
    "{a}.sin()",
)
_VIEWS: tuple[str, ...] = (
    "{a}.t()",
    "{a}[:]",
    "{a}.view(3, 3)",
    "{a}.reshape(3, 3)",
    "{a}.transpose(0, 1)",
    "{a}.expand(3, 3)",
)
# Each changes every number but 0: a write that changes nothing is not missed when it has gone.
_WRITES: tuple[str, ...] = (
    "{a}.mul_(0.5)",
    "{a}.add_(1)",
    "torch.neg_({a})",
    "F.silu({a}, inplace=True)",
)
_DRAWS: tuple[str, ...] = (
    "torch.rand_like({a})",
    "torch.randn_like({a})",
    "F.dropout({a}, 0.5)",
    "{a}.bernoulli(0.5)",
)
# Parameters, because symbolic_trace computes with a buffer at once and makes no node of it.
WEIGHTS = """
still = lambda t: torch.nn.Parameter(t, requires_grad=False)
self.w = still(torch.arange(9.0).reshape(3, 3) / 8)
self.s = still(torch.tensor([[0.5], [-1.0], [2.0]]).expand(3, 3).contiguous())
"""


def net(forward: str, setup: str = "") -> str:
    """Return the text of a class `Net`: the lines of its `__init__`, and the lines of `forward(x)`."""
    lines = ["class Net(torch.nn.Module):"]
    if setup:
        lines += ["    def __init__(self):", "        super().__init__()"]
        lines += [f"        {line}" for line in setup.strip().splitlines()]
    lines += ["    def forward(self, x):"]
    lines += [f"        {line}" for line in forward.strip().splitlines()]
    return "\n".join(lines) + "\n"


def module(text: str) -> torch.nn.Module:
    """Return a module of the class `Net` in a text."""
    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    exec(text, names)
    made: torch.nn.Module = names.pop("Net")()
    return made


def trace_text(text: str) -> torch.fx.GraphModule:
    """Return the graph of the class `Net` in a text, in a module that runs it."""
    made = module(text)
    return torch.fx.GraphModule(made, _trace(made))


def graph_of(text: str) -> torch.fx.Graph:
    """Return the graph of the class `Net` in a text, without a module that runs it."""
    return _trace(module(text))


def _trace(made: torch.nn.Module) -> torch.fx.Graph:
    """Trace as `symbolic_trace` does, but for what it does to the module `math`: that takes as long."""
    return torch.fx.Tracer(autowrap_modules=()).trace(made)  # type: ignore[arg-type]


def draw(g: torch.Generator, low: int, high: int) -> int:
    """Return a number of `g`, at least `low` and below `high`."""
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def straight_line(
    g: torch.Generator, rows: int = 16, *, views: int = 0, writes: int = 0, draws: int = 0
) -> str:
    """Return the text of a `Net` of `rows` operations on 3 x 3 tensors, drawn from `g`.

    `views`, `writes` and `draws` of them are views, writes in place and random draws. The weights `w`
    and `s` are read, and written where `writes` allows it. What is written is part of the result.
    Values stay below 2 ** rows.
    """
    kinds = [_VIEWS] * views + [_WRITES] * writes + [_DRAWS] * draws
    kinds += [_VALUES] * (rows - len(kinds))
    order = torch.randperm(rows, generator=g, device=g.device).tolist()
    names, lines, written = ["x", "self.w", "self.s"], [], []
    for row, which in enumerate(order):
        forms = kinds[which]
        # Few names to choose from, and early ones among them: so operations repeat.
        near = [*names[:3], *names[-3:]]
        a, b = (near[draw(g, 0, len(near))] for _ in "ab")
        made = forms[draw(g, 0, len(forms))].format(a=a, b=b)
        if forms is _WRITES:
            lines.append(made)
            written.append(a)
            continue
        lines.append(f"t{row} = {made}")
        names.append(f"t{row}")
    kept = [names[-1], names[-draw(g, 2, 6)], names[-draw(g, 2, 9)], *written]
    return net("\n".join([*lines, f"return {' + '.join(kept)}, {kept[1]} - x"]), WEIGHTS)


def graph_case(
    name: str, forward: str, why: str = "", x: torch.Tensor | None = None, setup: str = WEIGHTS
) -> Case:
    """Return the case of a pass: a `Net` of these lines, run on `x`, or on nine numbers from -1 to 1."""
    given = torch.linspace(-1, 1, 9).reshape(3, 3) if x is None else x
    return Case(name, lambda g: (net(forward, setup), given.to(g.device)), why)


def drawn_cases(
    pure: int = 5,
    others: int = 7,
    rows: int = 12,
    *,
    x: torch.Tensor | None = None,
    change: Callable[[str, int], str] = lambda text, number: text,
) -> tuple[Case, ...]:
    """Return cases of a pass with drawn graphs: `pure` ones, and `others` with effects.

    `change` gets each graph's text and its number.
    """
    given = torch.linspace(-1, 1, 9).reshape(3, 3) if x is None else x

    def make(number: int) -> Case:
        kinds = {"views": 2, "writes": 1, "draws": 1} if number >= pure else {}
        return Case(
            f"drawn {number}",
            lambda g: (change(straight_line(g, rows, **kinds), number), given.to(g.device)),
        )

    return tuple(map(make, range(pure + others)))


def try_rewrite(
    rewrite: Callable[[torch.fx.GraphModule], Any],
    text: str,
    x: torch.Tensor,
    rtol: float = 0.0,
    *,
    only_read: bool = False,
    in_place: bool = True,
) -> Plain:
    """Rewrite the graph of a text and compare the two on `x`; plain values only.

    With `rtol` 0 all bits but those of a NaN must agree. With `only_read` callers only read results:
    these may share memory with each other and with weights. Without `in_place` the pass may return
    another module. `fault` puts what is found into words.
    """
    given = trace_text(text)
    weights = {name for name, _ in given.named_parameters()}
    out = rewrite(given)
    if not isinstance(out, torch.fx.GraphModule):
        return asdict(Tried(returned=type(out).__name__))
    if in_place and out is not given:
        return asdict(Tried(returned="another GraphModule"))
    return asdict(_try_graph(out, weights, text, x, rtol, only_read))


def _try_graph(
    out: torch.fx.GraphModule,
    weights: set[str],
    text: str,
    x: torch.Tensor,
    rtol: float,
    only_read: bool,
) -> "Tried":
    try:
        out.graph.lint()
        # The graph as it is, and the code that the module kept: they differ without `recompile`.
        stale = out.graph.python_code("self").src != out.code
        seen = observe(out, (x,), only_read)
    except Exception as error:
        return Tried(error=f"{type(error).__name__}: {error}".splitlines()[0][:200])
    difference = find_difference(observe(module(text), (x,), only_read), seen, rtol)
    nodes = tuple((node.op, target_name(node), len(node.users)) for node in out.graph.nodes)
    kept = tuple(name for name, _ in out.named_modules() if name)
    held = weights.union(name for name, _ in out.named_buffers())
    read = (str(node.target) for node in out.graph.nodes if node.op == "get_attr")
    loose = next((name for name in read if name not in held), "")
    differs = difference.said if difference else ""
    return Tried("", "", stale, loose, differs, nodes, kept)


@dataclass(frozen=True)
class Tried:
    """A trial of a pass. `returned`: what is not the module that was given. `error`: why it does not
    run.

    `stale`: the module runs old code. `loose`: what a node reads that is neither a weight of the
    module from before nor a buffer. `differs`: what it computes otherwise, as a sentence. `nodes`:
    kind, name of the target and number of users of each node that is left; `modules`: submodules.
    """

    returned: str = ""
    error: str = ""
    stale: bool = False
    loose: str = ""
    differs: str = ""
    nodes: tuple[tuple[str, str, int], ...] = ()
    modules: tuple[str, ...] = ()


def fault(tried: Plain, called: str, shown: str) -> tuple[str, str] | None:
    """(code, sentence) where a graph of `tried` does not compute what it did, else None.

    `called` is the name of the learner's function, `shown` what the sentence calls the graph.
    """
    seen = Tried(**tried)
    if seen.returned:
        return "wrong-graph", (
            f"`{called}` returned {seen.returned}; it must be the GraphModule that it was given."
        )
    if seen.error:
        error = seen.error.rstrip(".")
        return "wrong-graph", f"{shown}: the rewritten graph is not in order. {error}."
    if seen.stale:
        return "wrong-graph", (
            f"{shown}: the graph was changed, and the module still runs its old code. `recompile()` "
            "writes `forward` anew."
        )
    if seen.differs:
        return "wrong-values", f"{shown}: {seen.differs}."
    if seen.loose:
        return "wrong-graph", (
            f"{shown}: a node reads `{seen.loose}`, which is neither a weight from before nor a buffer "
            "of the module. `register_buffer` makes one, which is saved and moves with the module."
        )
    return None


def changes(text: str, x: torch.Tensor) -> list[tuple[str, str]]:
    """For each write and draw of a text's graph: its name, and what differs on `x` without it.

    Where that is "", a trial on `x` does not notice a pass that removes it.
    """
    found = []
    for place, node in enumerate(graph_of(text).nodes):
        if not writes(node) and not draws(node):
            continue
        without = trace_text(text)
        gone = list(without.graph.nodes)[place]
        gone.replace_all_uses_with(gone.all_input_nodes[0])
        without.graph.erase_node(gone)
        without.recompile()
        seen = observe(without, (x,))
        difference = find_difference(observe(module(text), (x,)), seen, 0.0)
        found.append((target_name(node), difference.said if difference else ""))
    return found


def observe(
    graph: torch.nn.Module, inputs: tuple[torch.Tensor, ...], only_read: bool = False
) -> list[list[Seen]]:
    """Return what each of two calls gives: the results, the arguments afterwards, what shares memory
    with what, and the next draw."""
    calls = []
    last: list[torch.Tensor] = []
    torch.default_generator.manual_seed(16)  # `torch.manual_seed` seeds GPUs too, in a millisecond
    for _ in range(CALLS):
        given = [x.clone() for x in inputs]
        with torch.no_grad():
            out = graph(*given)
        parts = tree_leaves(out)  # a list in a list and a dictionary have results, too
        seen = [(RESULT, part.clone()) for part in parts]
        others = {"the argument": given}
        if not only_read:
            weights = [*graph.parameters(), *graph.buffers()]
            others |= {"a weight": weights, "a result of the last call": last}
        seen += [("the argument afterwards", x) for x in given]
        seen += [
            (f"the sharing of memory between a result and {what}", _shared(parts, tensors))
            for what, tensors in others.items()
        ]
        if not only_read:
            places = torch.stack([_shared(parts, [part]) for part in parts])
            seen.append(("the sharing of memory between two results", places))
        seen.append(("the next random draw", torch.rand(1)))
        calls.append(seen)
        last = parts
    return calls


def _shared(parts: list[torch.Tensor], others: list[torch.Tensor]) -> torch.Tensor:
    """Say of each of `parts` whether it has the memory of one of `others`."""
    memory = {other.untyped_storage().data_ptr() for other in others}
    return torch.tensor([part.untyped_storage().data_ptr() in memory for part in parts])
