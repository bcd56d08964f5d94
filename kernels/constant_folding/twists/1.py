"""Lets an interpreter compute the constant nodes."""

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


def constant(node: torch.fx.Node, values: dict) -> bool:
    """Say if the node is a call that reads nothing but known values."""
    read = node.all_input_nodes
    if not node.op.startswith("call") or draws(node) or writes(node):
        return False
    return bool(read) and all(each in values for each in read)


def compute(node: torch.fx.Node, values: dict) -> torch.Tensor:
    """Return what a constant call gives."""
    args = torch.fx.node.map_arg(node.args, values.get)
    kwargs = torch.fx.node.map_arg(node.kwargs, values.get)
    if node.op == "call_method":
        return getattr(args[0], node.target)(*args[1:], **kwargs)
    return node.target(*args, **kwargs)


def fold(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Compute once what depends on weights alone."""
    graph, bad, values = module.graph, touched(module.graph), {}
    worker = torch.fx.Interpreter(module, garbage_collect_values=False)
    for node in list(graph.nodes):
        if node in bad:
            continue
        if node.op == "get_attr":
            values[node] = getattr(module, node.target)
        if not constant(node, values):
            continue
        worker.env.update(values)
        value = worker.run_node(node)
        name = f"folded_{len(values)}"
        module.register_buffer(name, value)
        with graph.inserting_before(node):
            new = graph.get_attr(name)
        node.replace_all_uses_with(new)
        graph.erase_node(node)
        values[new] = value
    for node in reversed(graph.nodes):
        if node.op == "get_attr" and not node.users:
            graph.erase_node(node)
    module.recompile()
    return module
