import random

import torch

from tutor.judge.cases.qdq import CHANNELS, NONE, ONE, PRODUCTS, draw_graph, end_of, fuse
from tutor.judge.spec import Case, Work


def wanted(graph):
    """The operators that are asked for in int8, each with its end."""
    found = {}
    for name, op, reads in graph:
        if op in PRODUCTS or (op == "Add" and not set(reads).isdisjoint(found.values())):
            found[name] = end_of(graph, {}, name)
    return found


def needed(graph):
    """The pairs that are needed, by value."""
    pairs, ends = {}, wanted(graph)
    for name, op, reads in graph:
        if name in ends:
            pairs[ends[name]] = ONE
            for read in reads:
                pairs.setdefault(read, ONE)
            if op in PRODUCTS and is_weight(graph, reads[1]):
                pairs[reads[1]] = CHANNELS[op]
    return pairs


def is_weight(graph, name):
    return any(each == name and op == "Weight" for each, op, _ in graph)


def reference(graph):
    pairs = needed(graph)
    return torch.tensor([pairs.get(name, NONE) for name, _, _ in graph])


eager = reference


def scale(graph):
    return 0.0


def work(graph):
    return Work(bytes=8 * len(graph) + 8, flops=0)


def explain_wrong(got, graph):
    """Name the first operator that stays in float, else the first pair that is one too many."""
    numbers = got.tolist()
    if not all(0 <= number <= 3 for number in numbers):
        return "A number is none of NONE, ONE, ROWS and COLUMNS (0 to 3)."
    pairs = {
        name: number for (name, _, _), number in zip(graph, numbers, strict=True) if number != NONE
    }
    found, ends, least = fuse(graph, pairs), wanted(graph), needed(graph)
    ops = {name: op for name, op, _ in graph}
    for name, end in ends.items():
        if found[name] != "int8":
            return f"{ops[name]} {name} stays in float: {found[name]}."
        if end != name and found[end] != "fused":
            return f"Relu {end} stays in float: a pair stands between it and {ops[name]} {name}."
    for name, number in pairs.items():
        if name not in least:
            return f"The pair behind {ops[name]} {name} is needed by none of the operators."
        if number != least[name]:
            return (
                f"Weight {name} has one scale, and needs one for each output channel."
                if number == ONE
                else f"The pair behind {ops[name]} {name} has scales along the wrong axis."
            )
    return None


def check_found(found):
    """Return code and sentence where the call changed its graph."""
    if not found["kept"]:
        return "wrong-values", "`place_qdq` changes the graph, which is to stay as it is."
    return None


def figures(found):
    """Pairs of a block with a residual."""
    return {
        "pairs of Conv, Relu, Add": f"{sum(number != NONE for number in found['numbers'])} in 6 records"
    }


def fixed(text):
    """A case of a graph written as a text: `c = Conv x w` and so on, with semicolons between."""

    def make(g):
        names = dict.fromkeys(text.replace("=", " ").replace(";", " ").split())
        drawn = draw_names(g, len(names))
        new = dict(zip(names, drawn, strict=True))
        graph = []
        for line in text.split(";"):
            name, _, right = line.partition("=")
            op, *reads = right.split()
            graph.append([new[name.strip()], op, [new[read] for read in reads]])
        return (graph,)

    return make


def draw_names(g, count):
    letters = "abcdefghkmnpqrstuvwxyz"
    order = torch.randperm(10 * len(letters), generator=g)[:count].tolist()
    return [f"{letters[number // 10]}{number % 10}" for number in order]


def drawn(steps):
    def make(g):
        dice = random.Random(int(torch.randint(1 << 30, (), generator=g)))
        return ([[name, op, list(reads)] for name, op, reads in draw_graph(dice, steps)],)

    return make


CASES = (
    Case("one convolution", fixed("x = Input; w = Weight; c = Conv x w; o = Output c")),
    Case(
        "a chain with a Relu",
        fixed(
            "x = Input; w = Weight; c = Conv x w; r = Relu c; v = Weight; m = MatMul r v; o = Output m"
        ),
    ),
    Case(
        "a residual block",
        fixed(
            "x = Input; w = Weight; c = Conv x w; r = Relu c; v = Weight; d = Conv r v; "
            "s = Add d x; t = Relu s; o = Output t"
        ),
    ),
    Case(
        "a second input comes first in the sum",
        fixed(
            "x = Input; y = Input; g = Gelu x; w = Weight; c = Conv g w; s = Add y c; o = Output s"
        ),
    ),
    Case(
        "a Relu that is not alone",
        fixed(
            "x = Input; w = Weight; c = Conv x w; r = Relu c; a = Tanh x; s = Add r a; t = Relu s; "
            "v = Weight; d = MatMul t v; q = Add c d; o = Output q"
        ),
    ),
    Case(
        "two Relus behind one product",
        fixed(
            "x = Input; w = Weight; c = Conv x w; r = Relu c; q = Relu c; a = Tanh r; s = Add a q; "
            "o = Output s"
        ),
    ),
    Case(
        "the caller reads before the Relu",
        fixed("x = Input; w = Weight; c = MatMul x w; p = Output c; r = Relu c; o = Output r"),
    ),
    Case(
        "scores of attention",
        fixed(
            "x = Input; w = Weight; q = MatMul x w; v = Weight; k = MatMul x v; s = MatMul q k; "
            "e = Exp s; u = Weight; n = MatMul x u; r = Relu n; y = MatMul e r; o = Output y"
        ),
    ),
    Case(
        "sums without products",
        fixed(
            "x = Input; a = Tanh x; b = Exp x; s = Add a b; r = Relu s; w = Weight; c = Conv r w; "
            "g = Gelu c; t = Add g s; h = Tanh t; o = Output h"
        ),
    ),
    Case(
        "sums of sums, and a Relu behind a Relu",
        fixed(
            "x = Input; a = Tanh x; w = Weight; c = Conv x w; s = Add a c; t = Add s a; r = Relu t; "
            "z = Relu r; b = Exp z; o = Output b; u = Add x a; y = Relu u; p = Output y"
        ),
    ),
    Case("drawn, 6 steps", drawn(6)),
    Case("drawn, 12 steps", drawn(12)),
    Case("drawn, 20 steps", drawn(20)),
)
