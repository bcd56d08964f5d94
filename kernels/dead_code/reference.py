from collections import Counter

import torch

from tutor.judge.cases.fx_effects import needed, target_name
from tutor.judge.cases.fx_graphs import (
    WEIGHTS,
    draw,
    fault,
    graph_of,
    lost_write,
    module,
    net,
    shown,
)
from tutor.judge.spec import Case, Work

WHY = {  # of probe.py's graphs: what each is about
    "one dead node": "Nobody reads the sine.",
    "dead code that feeds dead code": "Once the last one has gone, nobody reads the one before.",
    "a dead chain of twenty": "Each is dead once its only reader has gone, however many there are.",
    "a weight nobody reads": "A `get_attr` is a node like any other.",
    "an argument nobody reads": "An input stays: callers pass it.",
    "a write whose value nobody reads": "The write changes y, and y is returned.",
    "a write through a view": "The view shares the memory of y.",
    "a function that writes": "The name of `torch.relu_` ends in `_`.",
    "writing methods of many names": "Each name ends in `_`, and so each method writes.",
    "writing functions of many names": "Each name ends in `_`, and so each function writes.",
    "a keyword that writes": "`inplace=True` makes a write of it.",
    "a draw nobody reads": "A draw moves the generator on, and the next draw depends on it.",
    "a normal draw nobody reads": "`randn_like` draws too.",
    "a dropout nobody reads": "`dropout` draws which numbers it drops.",
    "a bernoulli nobody reads": "`bernoulli` draws zeros and ones.",
    "a pure method": "A method writes only if its name ends in one `_`; `__add__` does not.",
    "a pure function": "`leaky_relu` writes nothing: `_` is inside, `inplace` is False.",
}


def reference(x, source):
    return module(source).to(x.dtype)(x.clone())


eager = reference


def explain_wrong(got, x, source):
    """Name a write whose removal gives this output."""
    return lost_write(got, source, x)


def work(x, source):
    return Work(bytes=2 * x.nbytes, flops=len(source) * x.numel())


COUNTED = ("placeholder", "get_attr", "call_function", "call_method", "call_module", "output")


def left(text):
    """Count the nodes that must stay."""
    return len(needed(graph_of(text)))


def check_found(found):
    """(code, sentence) for the first graph that is wrong or too long, else None."""
    for name, (text, got) in found.items():
        what = f"“{name}”" if name in WHY else shown(text)
        why = WHY.get(name, "")
        if wrong := fault(got, "sweep", what):
            return wrong[0], f"{wrong[1]} {why}".strip()
        most = left(text)
        have = sum(kind in COUNTED for kind, _, _ in got["nodes"])
        if have > most:
            names = Counter(name for kind, name, _ in got["nodes"] if kind in COUNTED)
            names -= Counter(target_name(node) for node in needed(graph_of(text)))
            spare = f" `{next(iter(names))}` need not stay." if names else ""
            said = f"{what}: {have} nodes are left, {most} would do.{spare} {why}"
            return "wrong-graph", said.strip()
    return None


def case(what, forward):
    def make(g):
        text = net(forward.replace("K", str(draw(g, 2, 9))), WEIGHTS)
        x = torch.randn(3, 3, generator=g, device=g.device)
        return (x.t() if what.startswith("transposed") else x), text

    return Case(what, make)


CASES = (
    case('one dead node', 'y = x.sin()\nreturn x * K'),
    case('nothing dead', 'return (x * K).sin() + self.w'),
    case('dead code that feeds dead code', 'y = (x.sin() + K).abs()\nreturn x - K'),
    case('a weight that nobody reads', 'y = self.w * K\nreturn x + self.s'),
    case('a write', 'y = x * K\ny.add_(self.w)\nreturn y'),
    case('a write through a view', 'y = x * K\nv = y.t()\nv.add_(self.w)\nreturn y'),
    case('a keyword that writes', 'y = x * K\nF.relu(y, inplace=True)\nz = y + 1\nreturn y'),
    case('transposed view', 'y = x + 1\nreturn x * K'),
)  # fmt: skip
