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


def equals(node: torch.fx.Node) -> torch.fx.Node | None:
    """Return the node that has the same numbers, or None."""
    if node.op not in ("call_function", "call_method") or node.kwargs:
        return None
    name = getattr(node.target, "__name__", node.target)
    x, number = (*node.args, None)[:2]
    # A number on the left counts for sums and products only.
    if name in ("mul", "add") and not isinstance(x, torch.fx.Node):
        x, number = number, x
    if not isinstance(x, torch.fx.Node):
        return None
    if name in ("neg", "abs", "relu"):
        inner = getattr(x.target, "__name__", x.target)
        same = x.op.startswith("call") and inner == name and not x.kwargs
        # abs and relu leave their own results alone; neg undoes itself.
        return (x.args[0] if name == "neg" else x) if same else None
    if isinstance(number, torch.fx.Node) or number is None:
        return None
    whole = not x.meta["tensor_meta"].dtype.is_floating_point
    one = name in ("mul", "truediv", "div", "pow") and number == 1
    # The text of -0.0 differs, though -0.0 == 0.
    zero = number == 0 and "-" not in str(number)
    nothing = zero and (name == "sub" or (name == "add" and whole))
    return x if one or nothing else None


def simplify(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Take out what changes nothing, in place."""
    graph, bad = module.graph, touched(module.graph)
    for node in list(graph.nodes):
        other = equals(node)
        # In order, so that chains shrink: a node reads what is left.
        if other is None or bad.intersection((node, node.all_input_nodes[0], other)):
            continue
        # The caller may write to what it gets, so x itself is not returned.
        if any(user.op == "output" for user in node.users):
            continue
        made, given = node.meta["tensor_meta"], other.meta["tensor_meta"]
        if made.dtype != given.dtype:
            continue
        inner = node.all_input_nodes[0]
        node.replace_all_uses_with(other)
        graph.erase_node(node)
        if inner is not other and not inner.users:
            graph.erase_node(inner)  # the other half of -(-x)
    module.recompile()
    return module
