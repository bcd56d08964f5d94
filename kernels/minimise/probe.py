"""Lets the learner's search minimise graphs on which a pass fails. Plain values leave it."""

import random

import torch
from torch import fx

CALLS = 150
KINDS = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "neg": torch.neg,
    "relu": torch.relu,
    "tanh": torch.tanh,
    "sin": torch.sin,
    "t": torch.t,
}


def merge(graph):
    """Share equal operations. Wrong: a difference is taken for a sum, whose sides change places."""
    seen = {}
    for node in list(graph.nodes):
        if node.op == "call_function":
            key = node.target, tuple(sorted(map(str, node.args)))
            if key in seen:
                node.replace_all_uses_with(seen[key])
            seen.setdefault(key, node)


def cancel(graph):
    """Cancel what undoes itself. Wrong: a relu of a relu is taken for one of its kind."""
    for node in list(graph.nodes):
        inner = node.args[0] if node.op == "call_function" else None
        if node.target in (torch.neg, torch.relu) and inner.target is node.target:
            node.replace_all_uses_with(inner.args[0])


def lower(graph):
    """Merge, and look up what a sine reads. Wrong: the table has a hole, too."""
    for node in graph.nodes:
        if node.target is torch.sin and node.args[0].target is torch.relu:
            raise KeyError("relu")
    merge(graph)


def drawn(number, size, end):
    """Lines (name, kind, arguments) of a program of 2 x 3 tensors; a point in `end`: the last drawn."""
    dice = random.Random(f"minimise {number}")
    lines, names = [], ["x", "y"]
    for at in range(size):
        kind = dice.choice(["add", "sub", "mul", "neg", "tanh", "sin"])
        args = [dice.choice(names[-4:]) for _ in range(2 if kind in ("add", "sub", "mul") else 1)]
        lines.append((f"{kind}_{at}", kind, args))
        names.append(f"{kind}_{at}")
    for line in end.replace(".", names[-1]).split("; "):
        name, call = line.split(" = ")
        kind, args = call.rstrip(")").split("(")
        lines.append((name, kind, args.split(", ")))
    return lines


GRAPHS = {
    "a difference that is turned": (
        merge,
        drawn(
            1, 18, "v = t(.); w = t(v); d = sub(x, w); e = sub(w, x); f = mul(d, e); g = tanh(f)"
        ),
    ),
    "two relus": (
        cancel,
        drawn(2, 20, "q = sub(x, y); r = relu(q); s = relu(r); u = add(s, .); v = sin(u)"),
    ),
    "an error nearby": (
        lower,
        drawn(
            5,
            16,
            "r = relu(.); g = neg(r); h = sin(g); d = sub(x, h); e = sub(h, x); f = mul(d, e)",
        ),
    ),
}


def build(lines, kept):
    """The graph in which only these operations are left: the others hand on their first argument."""
    graph = fx.Graph()
    value = {name: graph.placeholder(name) for name in "xy"}
    last = "x"
    for name, kind, args in lines:
        made = [value[each] for each in args]
        value[name] = graph.call_function(KINDS[kind], tuple(made)) if name in kept else made[0]
        last = name
    graph.output(value[last])
    return graph


def outcome_of(change, lines, kept):
    x, y = torch.linspace(-1.5, 2.0, 6).reshape(2, 3), torch.linspace(3.0, -2.0, 6).reshape(2, 3)
    graph = build(lines, set(kept))
    try:
        want = fx.Interpreter(fx.GraphModule({}, graph)).run(x, y)
    except RuntimeError:
        return "cannot run"
    try:
        change(graph)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    got = fx.Interpreter(fx.GraphModule({}, graph)).run(x, y)
    same = got.shape == want.shape and torch.allclose(got, want, rtol=1e-4, atol=1e-6)
    return "right" if same else "wrong values"


def probe(module, device):
    return {name: _minimised(module, *each) for name, each in GRAPHS.items()}


def _minimised(module, change, lines):
    names, asked = [name for name, _, _ in lines], [0]
    wanted = outcome_of(change, lines, names)
    found = {
        "size": len(names),
        "wanted": wanted,
        "outcome": "",
        "kept": [],
        "more": [],
        "fault": "",
    }

    def outcome(kept):
        asked[0] += 1
        if asked[0] > CALLS:
            raise RuntimeError(f"outcome was called more than {CALLS} times")
        if not _is_part(list(kept), names):
            raise ValueError(f"{list(kept)} is not in the order of the program")
        return outcome_of(change, lines, kept)

    try:
        kept = module.minimise(list(names), outcome)
    except Exception as error:
        return found | {"fault": f"{type(error).__name__}: {error}"}
    if not isinstance(kept, (list, tuple)) or not _is_part(list(kept), names):
        return found | {"fault": f"{kept!r:.80} is no list of its operations in their order"}
    kept = list(kept)
    for width in (1, 2):
        for at in range(len(kept) - width + 1):
            if (
                not found["more"]
                and outcome_of(change, lines, kept[:at] + kept[at + width :]) == wanted
            ):
                found["more"] = kept[at : at + width]
    return found | {
        "kept": kept,
        "outcome": outcome_of(change, lines, kept),
        "calls": asked[0],
    }


def _is_part(kept, names):
    """Say if these are names of the list, in its order."""
    left = iter(names)
    return all(name in left for name in kept)
