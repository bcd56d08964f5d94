"""Plain loops over the nodes: marks that spread from inputs to users, and back."""

import torch

NODES = 7
APPLIES = "dce"

DRAWS = {"rand_like", "dropout"}


def traced(source: str) -> torch.fx.GraphModule:
    names = {"torch": torch}
    exec(source, names)
    return torch.fx.symbolic_trace(names["Net"]())


def draws(node):
    return getattr(node.target, "__name__", "") in DRAWS


def depends_on_x_or_chance(nodes):
    """From every argument and every draw to users, users of users, …"""
    reached = [n for n in nodes if n.op == "placeholder" or draws(n)]
    for node in reached:
        reached.extend(user for user in node.users if user not in reached)
    return set(reached)


def count_dead(nodes):
    """A node goes when all who use it have gone, until a round finds none."""
    gone = set()
    while True:
        more = {
            n
            for n in nodes
            if n.op not in ("placeholder", "output") and n not in gone and set(n.users) <= gone
        }
        if not more:
            return len(gone)
        gone |= more


def count_common(nodes):
    """Numbers for values, as in value numbering: equal keys, equal numbers."""
    number, table = {}, {}
    for at, node in enumerate(nodes):
        if node.op in ("placeholder", "output") or draws(node):
            number[node] = at
            continue

        def plain(value):
            if isinstance(value, torch.fx.Node):
                return ("value", number[value])
            if isinstance(value, tuple | list):
                return tuple(map(plain, value))
            if isinstance(value, dict):
                return tuple((key, plain(each)) for key, each in sorted(value.items()))
            return (type(value).__name__, str(value))

        key = (node.op, str(node.target), plain(node.args), plain(node.kwargs))
        number[node] = table.setdefault(key, at)
    return sum(number[node] != at for at, node in enumerate(nodes))


def survey(source: str) -> torch.Tensor:
    nodes = list(traced(source).graph.nodes)
    varying = depends_on_x_or_chance(nodes)
    folded = [
        n for n in nodes if n.op.startswith("call") and n.all_input_nodes and n not in varying
    ]
    return torch.tensor([len(nodes), len(folded), count_dead(nodes), count_common(nodes)])
