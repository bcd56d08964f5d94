"""Sets the arguments of each user by itself."""

import operator

import torch
import torch.nn.functional as F

RELUS = (torch.relu, F.relu, "relu")
PRODUCTS = (operator.matmul, torch.matmul)


def calls(module, node: torch.fx.Node, functions, kind) -> bool:
    """Say if it calls one of the functions, or a submodule of that kind."""
    if node.op == "call_module":
        return isinstance(module.get_submodule(node.target), kind)
    called = node.op in ("call_function", "call_method")
    return called and node.target in functions


def operate(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace each ReLU by SiLU, and clamp each matrix product, in place."""
    graph = module.graph
    for node in list(graph.nodes):
        if calls(module, node, RELUS, torch.nn.ReLU):
            with graph.inserting_after(node):
                new = graph.call_function(F.silu, (node.all_input_nodes[0],))
            for user in list(node.users):
                user.replace_input_with(node, new)
            graph.erase_node(node)
        elif calls(module, node, PRODUCTS, torch.nn.Linear):
            with graph.inserting_after(node):
                new = graph.call_function(torch.clamp, (node, -1.0, 1.0))
            for user in list(node.users):
                if user is not new:
                    user.replace_input_with(node, new)
    module.delete_all_unused_submodules()
    graph.lint()
    module.recompile()
    return module


def run(x: torch.Tensor, source: str) -> torch.Tensor:
    """Operate on a text's class `Net` and run it on x. Leave it as is."""
    names = {"torch": torch, "F": F}
    exec(source, names)
    return operate(torch.fx.symbolic_trace(names["Net"]()))(x)
