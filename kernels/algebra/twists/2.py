"""Computes a few numbers to decide."""

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


SAMPLES = (-0.0, 0.0, 1.0, -2.5, float("inf"), float("nan"))


def equals(node: torch.fx.Node) -> torch.fx.Node | None:
    name = getattr(node.target, "__name__", node.target)
    known = ("mul", "add", "sub", "truediv", "div", "pow")
    if not node.op.startswith("call") or node.kwargs:
        return None
    nodes = node.all_input_nodes
    if len(nodes) != 1:
        return None
    x = nodes[0]
    if name in ("neg", "abs", "relu"):
        inner = getattr(x.target, "__name__", x.target)
        same = x.op.startswith("call") and inner == name and not x.kwargs
        return (x.args[0] if name == "neg" else x) if same else None
    if name not in known or sum(isinstance(a, torch.fx.Node) for a in node.args) != 1:
        return None
    dtype = x.meta["tensor_meta"].dtype
    some = SAMPLES if dtype.is_floating_point else (0, 1, -3, 7)
    before = torch.tensor(some).to(dtype)
    args = [before if a is x else a for a in node.args]
    after = getattr(torch, name.replace("truediv", "div"))(*args)
    if after.dtype != before.dtype:
        return None
    bits = torch.signbit(after) == torch.signbit(before)
    equal = ((after == before) & bits) | (after.isnan() & before.isnan())
    return x if bool(equal.all()) else None


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
