"""Erases the nodes of each formula at once."""

import math

import torch
import torch.nn.functional as F


def is_call(value, *names: str) -> bool:
    """Say if the value is a node that calls one of the names."""
    if not isinstance(value, torch.fx.Node):
        return False
    name = getattr(value.target, "__name__", value.target)
    return value.op in ("call_function", "call_method") and name in names


def alone(value) -> bool:
    """Say if only one node reads the value."""
    return len(value.users) == 1


def factors(value, top: bool = True) -> list:
    """Return the factors of a product, however it is grouped."""
    if not is_call(value, "mul") or not (top or alone(value)):
        return [value]
    return [part for each in value.args for part in factors(each, False)]


def number_beside(node, wanted: float):
    """Return the other operand, if one of the two is this number."""
    for number, other in (node.args, node.args[::-1]):
        if isinstance(number, int | float) and abs(number - wanted) < 1e-4:
            return other
    return None


def argument(total):
    """Return x of 1 + erf(x / sqrt(2)), or None."""
    if not is_call(total, "add") or not alone(total):
        return None
    erf = number_beside(total, 1)
    if not is_call(erf, "erf") or not alone(erf):
        return None
    scaled = erf.args[0]
    if not is_call(scaled, "mul", "truediv", "div") or not alone(scaled):
        return None
    if is_call(scaled, "mul"):
        return number_beside(scaled, 1 / math.sqrt(2))
    x, divisor = scaled.args
    if not isinstance(divisor, float):
        return None
    return x if abs(divisor - math.sqrt(2)) < 1e-4 else None


def gelu_of(node):
    """Return x if the node is the formula's outermost product."""
    parts = factors(node)
    numbers = [part for part in parts if not isinstance(part, torch.fx.Node)]
    if len(parts) != 3 or numbers != [0.5]:
        return None
    one, two = (part for part in parts if isinstance(part, torch.fx.Node))
    # Either of the two may be the sum; the other one has to be its x.
    for x, total in ((one, two), (two, one)):
        if argument(total) is x:
            return x
    return None


def recognise(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace GELU written out by F.gelu, in place."""
    graph = module.graph
    for node in list(graph.nodes):
        x = gelu_of(node)
        if x is None:
            continue
        with graph.inserting_before(node):
            new = graph.call_function(F.gelu, (x,))
        node.replace_all_uses_with(new)
        gone = [node]
        while gone:
            last = gone.pop()
            if last.users or last is x:
                continue
            inputs = [each for each in last.all_input_nodes if each is not x]
            graph.erase_node(last)
            gone += inputs
    module.recompile()
    return module
