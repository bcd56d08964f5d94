"""Keeps the rules in a table."""

import torch

DRAWS = {"rand_like", "randn_like", "dropout", "bernoulli"}
VIEWS = {"t", "view", "reshape", "transpose", "expand", "getitem"}


def writes(node: torch.fx.Node) -> bool:
    """Say if the node changes its first argument in place."""
    if not node.op.startswith("call"):
        return False
    name = getattr(node.target, "__name__", node.target)
    in_place = name.endswith("_") and not name.endswith("__")
    return in_place or bool(node.kwargs.get("inplace"))


def draws(node: torch.fx.Node) -> bool:
    """Say if the node draws random numbers."""
    name = getattr(node.target, "__name__", node.target)
    return node.op.startswith("call") and name in DRAWS


def touched(graph: torch.fx.Graph) -> set[torch.fx.Node]:
    """Return the nodes whose memory is written, by a view too."""
    owners, weights = {}, {}
    for node in graph.nodes:
        name = getattr(node.target, "__name__", node.target)
        owners[node] = node
        if node.op == "get_attr":
            owners[node] = weights.setdefault(node.target, node)
        elif writes(node) or (node.op.startswith("call") and name in VIEWS):
            owners[node] = owners[node.all_input_nodes[0]]
    written = {owners[node] for node in graph.nodes if writes(node)}
    return {node for node in graph.nodes if owners[node] in written}


def is_zero(number) -> bool:
    return number == 0 and str(number)[0] != "-"


def is_node(value) -> bool:
    return isinstance(value, torch.fx.Node)


def twice(name: str):
    def rule(x):
        inner = getattr(x.target, "__name__", x.target)
        same = x.op.startswith("call") and inner == name and not x.kwargs
        return (x.args[0] if name == "neg" else x) if same else None

    return rule


def product(x, y):
    if is_node(x) and is_node(y):
        return None
    x, number = (x, y) if is_node(x) else (y, x)
    return x if number == 1 else None


def addition(x, y):
    if is_node(x) and is_node(y):
        return None
    x, number = (x, y) if is_node(x) else (y, x)
    whole = not x.meta["tensor_meta"].dtype.is_floating_point
    return x if whole and is_zero(number) else None


def by_one(x, y):
    return x if is_node(x) and not is_node(y) and y == 1 else None


def difference(x, y):
    return x if is_node(x) and not is_node(y) and is_zero(y) else None


RULES = {
    "mul": product,
    "add": addition,
    "sub": difference,
    "truediv": by_one,
    "div": by_one,
    "pow": by_one,
    "neg": twice("neg"),
    "abs": twice("abs"),
    "relu": twice("relu"),
}


def equals(node: torch.fx.Node) -> torch.fx.Node | None:
    name = getattr(node.target, "__name__", node.target)
    if not node.op.startswith("call") or node.kwargs or name not in RULES:
        return None
    return RULES[name](*node.args)


def simplify(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Take out what changes nothing, in place."""
    graph, bad = module.graph, touched(module.graph)
    for node in list(graph.nodes):
        other = equals(node)
        if other is None or bad.intersection((node, node.all_input_nodes[0], other)):
            continue
        if any(user.op == "output" for user in node.users):
            continue
        made, given = node.meta["tensor_meta"], other.meta["tensor_meta"]
        if made.dtype != given.dtype:
            continue
        inner = node.all_input_nodes[0]
        node.replace_all_uses_with(other)
        graph.erase_node(node)
        if inner is not other and not inner.users:
            graph.erase_node(inner)
    module.recompile()
    return module
