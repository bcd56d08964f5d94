# expect: wrong-values
import operator

import torch

NODES = 7
APPLIES = "dce"
RANDOM = (torch.rand_like, torch.nn.functional.dropout)


def traced(source):
    names = {"torch": torch}
    exec(source, names)
    return torch.fx.symbolic_trace(names["Net"]()).graph


def foldable(graph):
    known = {n for n in graph.nodes if n.op == "get_attr"}
    calls = set()
    for n in graph.nodes:
        if n.op.startswith("call") and n.target not in RANDOM:
            if n.all_input_nodes and known.issuperset(n.all_input_nodes):
                known.add(n)
                calls.add(n)
    return len(calls)


def duplicates(graph):
    first, rep = {}, {}
    for n in graph.nodes:
        args = repr(torch.fx.node.map_arg(n.args, rep.get))
        kwargs = repr(torch.fx.node.map_arg(n.kwargs, rep.get))
        if n.target in (operator.add, operator.mul):  # a + b is b + a
            args = str(sorted(args[1:-1].split(", ")))
        key = (n.op, n.target, args, kwargs)
        rep[n] = n if n.target in RANDOM else first.setdefault(key, n)
    return sum(a is not b for a, b in rep.items())


def dead(graph):
    before = len(graph.nodes)
    graph.eliminate_dead_code()
    return before - len(graph.nodes)


def survey(source):
    g = traced(source)
    n = len(g.nodes)
    common = duplicates(g)
    folded = foldable(g)
    return torch.tensor([n, folded, dead(g), common])
