"""Notes on each node, in order, what it computes of x."""

import torch
import torch.nn.functional as F


def near(number, wanted):
    return isinstance(number, int | float) and abs(number - wanted) < 1e-4


def recognise(module):
    graph = module.graph
    keep = {node for node in graph.nodes if not node.users or not node.op.startswith("call")}
    means, factors = {}, {}

    def of(value, kind):
        """x, if the value has this meaning and one reader."""
        known = means.get(value) if isinstance(value, torch.fx.Node) else None
        return known[1] if known and known[0] == kind and len(value.users) == 1 else None

    for node in list(graph.nodes):
        name = getattr(node.target, "__name__", node.target)
        args = list(node.args)
        if name in ("mul", "add"):  # a number stands in front
            args.sort(key=lambda each: isinstance(each, torch.fx.Node))
        match name, *args:
            case ("mul", number, x) if near(number, 0.5**0.5):
                means[node] = ("scaled", x)
            case ("truediv" | "div", x, number) if near(number, 2**0.5):
                means[node] = ("scaled", x)
            case ("erf", inner) if of(inner, "scaled"):
                means[node] = ("erf", of(inner, "scaled"))
            case ("add", number, inner) if near(number, 1) and of(inner, "erf"):
                means[node] = ("cdf", of(inner, "erf"))
        if name != "mul":
            continue
        factors[node] = parts = []
        for each in node.args:
            once = each in factors and len(each.users) == 1
            parts.extend(factors[each] if once else [each])
        if len(parts) == 3 and parts.count(0.5) == 1:
            one, two = (each for each in parts if each != 0.5)
            x = one if of(two, "cdf") is one else two if of(one, "cdf") is two else None
            if x is not None:
                with graph.inserting_before(node):
                    node.replace_all_uses_with(graph.call_function(F.gelu, (x,)))
    graph.eliminate_dead_code(keep.__contains__)
    module.recompile()
    return module
