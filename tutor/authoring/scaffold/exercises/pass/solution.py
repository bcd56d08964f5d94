import operator

import torch


def $slug(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Take out pairs of minus signs, in place."""
    graph = module.graph
    # Forwards, so that a later sign reads what is left of the earlier ones.
    for node in list(graph.nodes):
        if node.target is not operator.neg:
            continue
        inner = node.args[0]
        if inner.target is not operator.neg:
            continue
        node.replace_all_uses_with(inner.args[0])
        graph.erase_node(node)
        if not inner.users:
            graph.erase_node(inner)
    module.recompile()
    return module
