"""A small fuser of graphs with Q/DQ pairs: which operators run in int8, and why the others do not. Pure.

A graph is a list of records `(name, op, reads)` in an order in which each value is made before it is
read. A record makes one value, which has its name:

    ("x", "Input", ())           a value that comes from outside
    ("w", "Weight", ())          a constant: [out, in, …] of a Conv, [in, out] of a MatMul
    ("c", "Conv", ("x", "w"))    also MatMul, Add, Relu, and operators without an int8 form
    ("out", "Output", ("c",))    the caller reads a value

A pair is QuantizeLinear and DequantizeLinear behind a value; all who read the value read what the pair
makes. `pairs` maps values to ONE (a scale for the whole tensor), ROWS or COLUMNS (a scale for each index
of axis 0, of axis 1). An operator runs in int8 if all that it reads is behind pairs, and its end, too.
The end of an operator is the Relu behind it, if that Relu is the only reader of its value and no pair
stands between; else it is the operator's own value. ONNX Runtime 1.32 decides the same where activations
are uint8 and each weight and each MatMul's end has its pair (tests/judge/test_qdq.py).
"""

import random
from collections.abc import Mapping, Sequence

Record = tuple[str, str, Sequence[str]]  # name, op, names of what it reads
NONE, ONE, ROWS, COLUMNS = 0, 1, 2, 3
PRODUCTS = ("Conv", "MatMul")
CHANNELS = {"Conv": ROWS, "MatMul": COLUMNS}  # where the output channels of a weight lie
_FLOAT = ("Tanh", "Gelu", "Exp")  # of the graphs that are drawn


def end_of(graph: Sequence[Record], pairs: Mapping[str, int], name: str) -> str:
    """Return the value at which the operator `name` ends: its own, or that of a Relu fused into it."""
    readers = [record for record in graph if name in record[2]]
    if len(readers) == 1 and readers[0][1] == "Relu" and name not in pairs:
        return readers[0][0]
    return name


def fuse(graph: Sequence[Record], pairs: Mapping[str, int]) -> dict[str, str]:
    """Return for each operator "int8", "fused" (a Relu in one of int8), or why it stays in float."""
    ops = {name: op for name, op, _ in graph}
    found: dict[str, str] = {}
    for name, op, reads in graph:
        if op in ("Input", "Weight", "Output") or name in found:
            continue
        if op not in (*PRODUCTS, "Add"):
            found[name] = "it is not fused" if op == "Relu" else f"{op} has no int8 form"
            continue
        end = end_of(graph, pairs, name)
        found[name] = why = _why_float(ops, op, reads, pairs, end, end != name) or "int8"
        if end != name:
            found[end] = "fused" if why == "int8" else f"{op} {name} is float"
    return found


def _why_float(
    ops: Mapping[str, str],
    op: str,
    reads: Sequence[str],
    pairs: Mapping[str, int],
    end: str,
    relu: bool,
) -> str:
    """Return what keeps an operator in float, or an empty text."""
    for read in reads:
        scales = pairs.get(read, NONE)
        if scales == NONE:
            return f"it reads {read}, and no pair stands behind {read}"
        if ops[read] != "Weight" and scales != ONE:
            return f"it reads {read}, which is no weight and has more scales than one"
        if ops[read] == "Weight" and scales not in (ONE, CHANNELS[op]):
            axis = 0 if CHANNELS[op] == ROWS else 1
            return f"the scales of {read} lie along the wrong axis; its output channels are axis {axis}"
    if end not in pairs:
        return f"its result {end} has no pair" + (" behind the Relu" if relu else "")
    return "" if pairs[end] == ONE else f"its result {end} has more scales than one"


def draw_graph(dice: random.Random, steps: int = 6) -> list[Record]:
    """Return a graph of drawn names, with sums and operators that have no int8 form. All values may have
    one size, [.., n, n]."""
    names = dice.sample(
        [f"{letter}{digit}" for letter in "abcdefghkmnpqr" for digit in range(9)], 60
    )
    graph: list[Record] = [(names.pop(), "Input", ())]
    values = [graph[0][0]]

    def put(op: str, *reads: str) -> str:
        graph.append((names.pop(), op, reads))
        return graph[-1][0]

    for _ in range(steps):
        kind = dice.choice(("conv", "conv", "matmul", "add", "add", "float", "scores"))
        if kind in ("conv", "matmul"):
            new = put({"conv": "Conv", "matmul": "MatMul"}[kind], values[-1], put("Weight"))
        elif kind == "scores":
            new = put("MatMul", values[-1], dice.choice(values))
        elif kind == "add":
            new = put("Add", *dice.sample([values[-1], dice.choice(values)], 2))
        else:
            new = put(dice.choice(_FLOAT), values[-1])
        if dice.random() < 0.6:
            if dice.random() < 0.3:
                values.append(new)  # somebody else may read it, too
            new = put("Relu", new)
        values.append(new)
    read = {name for _, _, reads in graph for name in reads}
    for name, op, _ in list(graph):
        if name not in read and op not in ("Weight", "Output"):
            put("Output", name)
    return graph
