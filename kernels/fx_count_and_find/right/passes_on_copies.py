"""Each pass is really done, to a copy of the graph, and what is gone is counted."""

import copy

import torch

NODES = 7
APPLIES = "dce"

RANDOM = (torch.rand_like, torch.nn.functional.dropout)


def survey(source):
    names = {"torch": torch}
    exec(source, names)
    traced = torch.fx.symbolic_trace(names["Net"]())
    return torch.stack(
        [
            torch.tensor(len(traced.graph.nodes)),
            torch.tensor(folded(copy.deepcopy(traced).graph)),
            torch.tensor(swept(copy.deepcopy(traced).graph)),
            torch.tensor(merged(copy.deepcopy(traced).graph)),
        ]
    )


def folded(graph):
    """Calls that turn into a get_attr, one after the other."""
    count = 0
    for node in list(graph.nodes):
        inputs = node.all_input_nodes
        if not node.op.startswith("call") or node.target in RANDOM or not inputs:
            continue
        if all(each.op == "get_attr" for each in inputs):
            node.op, node.target, node.args, node.kwargs = "get_attr", f"folded_{count}", (), {}
            count += 1
    return count


def swept(graph):
    before = len(graph.nodes)
    for node in reversed(list(graph.nodes)):
        if node.op not in ("placeholder", "output") and not node.users:
            graph.erase_node(node)
    return before - len(graph.nodes)


def merged(graph):
    before = len(graph.nodes)
    kept = []
    for node in list(graph.nodes):
        if node.op in ("placeholder", "output") or node.target in RANDOM:
            continue
        for other in kept:
            same = other.op == node.op and other.target == node.target
            if same and other.args == node.args and other.kwargs == node.kwargs:
                # Users read the earlier one from now on, so later ones compare equal in turn.
                node.replace_all_uses_with(other)
                graph.erase_node(node)
                break
        else:
            kept.append(node)
    return before - len(graph.nodes)
