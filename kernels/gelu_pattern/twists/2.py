"""Recognises the tanh form as well."""

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


def cubic(total):
    """Return x of 1 + tanh(0.798 * (x + 0.0447 * x ** 3)), or None."""
    if not is_call(total, "add") or not alone(total):
        return None
    tanh = number_beside(total, 1)
    if not is_call(tanh, "tanh") or not is_call(tanh.args[0], "mul"):
        return None
    inner = number_beside(tanh.args[0], math.sqrt(2 / math.pi))
    if not is_call(inner, "add"):
        return None
    x, rest = inner.args
    power = number_beside(rest, 0.044715) if is_call(rest, "mul") else None
    return x if is_call(power, "pow") and power.args == (x, 3) else None


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
            return x, "none"
        if cubic(total) is x:
            return x, "tanh"
    return None


def recognise(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace GELU written out by F.gelu, in place."""
    graph = module.graph
    dead_before = {node for node in graph.nodes if not node.users}
    for node in list(graph.nodes):
        found = gelu_of(node)
        if found is None:
            continue
        with graph.inserting_before(node):
            new = graph.call_function(F.gelu, found[:1], {"approximate": found[1]})
        node.replace_all_uses_with(new)
    for node in reversed(graph.nodes):
        unread = node.op.startswith("call") and not node.users
        if unread and node not in dead_before:
            graph.erase_node(node)
    module.recompile()
    return module
