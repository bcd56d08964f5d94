"""FX graphs for exercises on passes: the text of modules, some of them drawn, and trials of a pass.

An exercise's `reference.py` and `probe.py` import this module. A graph travels as the text of a class
`Net`, so that the learner's process and the judge trace it each for itself.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from tutor.base.number_text import tell_apart
from tutor.judge.cases.fx_effects import target_name, writes

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
_VIEWS: tuple[str, ...] = ("{a}.t()", "{a}[:]")
_WRITES: tuple[str, ...] = ("{a}.mul_(0.5)", "{a}.add_(1)", "F.relu({a}, inplace=True)")
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


def traced(text: str) -> torch.fx.GraphModule:
    """Return the graph of the class `Net` in a text."""
    return torch.fx.symbolic_trace(module(text))


def draw(g: torch.Generator, low: int, high: int) -> int:
    """Return a number of `g`, at least `low` and below `high`."""
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def straight_line(
    g: torch.Generator, rows: int = 16, *, views: int = 0, writes: int = 0, draws: int = 0
) -> str:
    """Return the text of a `Net` of `rows` operations on 3 x 3 tensors, drawn from `g`.

    `views`, `writes` and `draws` of them are views, writes in place and random draws. The weights `w`
    and `s` are read, and written where `writes` allows it. Values stay below 2 ** rows.
    """
    kinds = [_VIEWS] * views + [_WRITES] * writes + [("torch.rand_like({a})",)] * draws
    kinds += [_VALUES] * (rows - len(kinds))
    order = torch.randperm(rows, generator=g, device=g.device).tolist()
    names, lines = ["x", "self.w", "self.s"], []
    for row, which in enumerate(order):
        forms = kinds[which]
        # Few names to choose from, and early ones among them: so operations repeat.
        near = [*names[:3], *names[-3:]]
        a, b = (near[draw(g, 0, len(near))] for _ in "ab")
        made = forms[draw(g, 0, len(forms))].format(a=a, b=b)
        if forms is _WRITES:
            lines.append(made)
            continue
        lines.append(f"t{row} = {made}")
        names.append(f"t{row}")
    kept = [names[-1], names[-draw(g, 2, 6)], names[-draw(g, 2, 9)]]
    return net("\n".join([*lines, f"return {' + '.join(kept)}, {kept[1]} - x"]), WEIGHTS)


def drawn(seed: int, pure: int = 5, others: int = 7, rows: int = 12) -> list[str]:
    """Return texts of graphs drawn from a seed: `pure` ones, and `others` with effects."""
    g = torch.Generator().manual_seed(seed)
    texts = [straight_line(g, rows) for _ in range(pure)]
    return texts + [straight_line(g, rows, views=2, writes=1, draws=1) for _ in range(others)]


def shown(text: str) -> str:
    """Return the lines of `forward` as one, for a sentence."""
    lines = text.partition("def forward(self, x):")[2].strip().splitlines()
    return f"`{'; '.join(line.strip() for line in lines)}`"


def tried(
    rewrite: Callable[[torch.fx.GraphModule], Any], text: str, x: torch.Tensor, rtol: float = 0.0
) -> Plain:
    """Rewrite the graph of a text and compare the two on `x`; plain values only.

    With `rtol` 0 all bits but those of a NaN must agree. `fault` puts what is found into words.
    """
    return asdict(_try_graph(rewrite(traced(text)), text, x, rtol))


def _try_graph(out: Any, text: str, x: torch.Tensor, rtol: float) -> "Tried":
    if not isinstance(out, torch.fx.GraphModule):
        return Tried(returned=type(out).__name__)
    try:
        out.graph.lint()
        # The graph as it is, and the code that the module kept: they differ without `recompile`.
        stale = out.graph.python_code("self").src != out.code
        seen = _observe(out, x)
    except Exception as error:
        return Tried(error=f"{type(error).__name__}: {error}".splitlines()[0][:200])
    difference = _difference(_observe(module(text), x), seen, rtol)
    nodes = tuple((node.op, _name(node), len(node.users)) for node in out.graph.nodes)
    kept = tuple(name for name, _ in out.named_modules() if name)
    return Tried("", "", stale, difference, nodes, kept)


@dataclass(frozen=True)
class Tried:
    """A trial of a pass. `returned`: the type of what is no graph. `error`: why it does not run.

    `stale`: the module runs old code. `differs`: what it computes otherwise, as a sentence. `nodes`:
    kind, name of the target and number of users of each node that is left; `modules`: submodules.
    """

    returned: str = ""
    error: str = ""
    stale: bool = False
    differs: str = ""
    nodes: tuple[tuple[str, str, int], ...] = ()
    modules: tuple[str, ...] = ()


def fault(tried: Plain, called: str, shown: str) -> tuple[str, str] | None:
    """(code, sentence) where a graph of `tried` does not compute what it did, else None.

    `called` is the name of the learner's function, `shown` what the sentence calls the graph.
    """
    seen = Tried(**tried)
    if seen.returned:
        return "wrong-graph", f"`{called}` returned {seen.returned}; it must be the GraphModule."
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
    return None


def lost_write(got: torch.Tensor, text: str, x: torch.Tensor) -> str | None:
    """Name the write in place of a text's graph without which it gives `got` on `x`, else None."""
    for place, node in enumerate(traced(text).graph.nodes):
        if writes(node) and not node.users:
            without = traced(text)
            without.graph.erase_node(list(without.graph.nodes)[place])
            without.recompile()
            if torch.allclose(without(x.clone()).to(got.dtype), got, equal_nan=True):
                return (
                    f"The call of `{target_name(node)}`, which writes in place, has gone. Nobody "
                    "reads its value, but the memory that it writes to is read later."
                )
    return None


def _name(node: torch.fx.Node) -> str:
    """The target's name, without the module or the overload."""
    name = getattr(node.target, "__name__", str(node.target))
    return str(name)


def _observe(graph: torch.nn.Module, x: torch.Tensor) -> list[list[tuple[str, torch.Tensor]]]:
    """Return what each of two calls gives: the results, the argument afterwards, and the next draw."""
    calls = []
    torch.manual_seed(16)
    for _ in range(CALLS):
        given = x.clone()
        with torch.no_grad():
            out = graph(given)
        parts = out if isinstance(out, tuple | list) else (out,)
        seen = [("a result", part.clone()) for part in parts]
        shared = [
            part.untyped_storage().data_ptr() == given.untyped_storage().data_ptr()
            for part in parts
        ]
        seen += [
            ("the argument afterwards", given),
            ("the sharing of memory between a result and the argument", torch.tensor(shared)),
            ("the next random draw", torch.rand(1)),
        ]
        calls.append(seen)
    return calls


def _difference(want: Any, got: Any, rtol: float) -> str:
    """Say what differs first, or nothing."""
    for which, (one, other) in enumerate(zip(want, got, strict=True)):
        if len(one) != len(other):
            return f"{len(other) - 3} results are returned in the place of {len(one) - 3}"
        for (what, wanted), (_, seen) in zip(one, other, strict=True):
            if not _agree(wanted, seen, rtol):
                when = " at the second call" if which else ""
                return f"{what} differs{when}{_first(wanted, seen)}"
    return ""


def _agree(want: torch.Tensor, got: torch.Tensor, rtol: float) -> bool:
    if want.dtype != got.dtype or want.shape != got.shape:
        return False
    if not want.dtype.is_floating_point:
        return torch.equal(want, got)
    if rtol:
        return torch.allclose(want, got, rtol=rtol, atol=rtol, equal_nan=True)
    signs = torch.signbit(want) == torch.signbit(got)
    same = ((want == got) & signs) | (want.isnan() & got.isnan())
    return bool(same.all())


def _first(want: torch.Tensor, got: torch.Tensor) -> str:
    """Return the first pair of numbers that differ, for a sentence."""
    if want.dtype != got.dtype:
        return f", {got.dtype} in the place of {want.dtype}".replace("torch.", "")
    if want.shape != got.shape:
        return f", of shape {list(got.shape)} in the place of {list(want.shape)}"
    if not want.dtype.is_floating_point:
        return ""
    signs = torch.signbit(want) != torch.signbit(got)
    places = ((want != got) | signs) & ~(want.isnan() & got.isnan())
    at = places.flatten().nonzero()
    if not len(at):
        return ""
    place = int(at[0])
    seen, right = tell_apart(*(float(of.flatten()[place]) for of in (got, want)))
    return f": {seen}, and {right} is right"
