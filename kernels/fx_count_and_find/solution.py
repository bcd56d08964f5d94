import torch

# x, mul, add, mul, relu, sub, output: the placeholder and the output are nodes too.
NODES = 7

# Nothing leads from `triple` to the output. There is no constant but Python's own numbers, and no
# operation stands there twice with the same inputs. That `double` has two users is reuse of one
# node, which is what CSE would produce, not what it looks for.
APPLIES = "dce"

RANDOM = (torch.rand_like, torch.nn.functional.dropout)


def traced(source: str) -> torch.fx.Graph:
    """The graph of class `Net` in `source`."""
    names = {"torch": torch}
    exec(source, names)
    return torch.fx.symbolic_trace(names["Net"]()).graph


def survey(source: str) -> torch.Tensor:
    """[nodes, foldable calls, dead nodes, nodes saved by CSE], int64."""
    graph = traced(source)
    nodes = len(graph.nodes)
    folded = len(foldable(graph))
    common = duplicates(graph)
    # Last, because this one changes the graph; it sweeps backwards, so that what only dead nodes
    # needed is dead by the time it gets there.
    graph.eliminate_dead_code()
    return torch.tensor([nodes, folded, nodes - len(graph.nodes), common])


def foldable(graph: torch.fx.Graph) -> set[torch.fx.Node]:
    """Calls of which every input is known before x is."""
    known = {node for node in graph.nodes if node.op == "get_attr"}
    calls = set()
    for node in graph.nodes:  # in order: inputs come first
        if node.op not in ("call_function", "call_method") or node.target in RANDOM:
            continue
        if node.all_input_nodes and known.issuperset(node.all_input_nodes):
            known.add(node)
            calls.add(node)
    return calls


def duplicates(graph: torch.fx.Graph) -> int:
    """Nodes for which an earlier one can stand in."""
    first: dict[tuple, torch.fx.Node] = {}
    stands_for: dict[torch.fx.Node, torch.fx.Node] = {}
    for node in graph.nodes:
        # Arguments by their representatives: x * x + 1 twice is two pairs, found one after the other.
        args = torch.fx.node.map_arg(node.args, stands_for.get)
        kwargs = torch.fx.node.map_arg(node.kwargs, stands_for.get)
        key = (node.op, node.target, repr(args), repr(kwargs))
        draws = node.target in RANDOM
        stands_for[node] = node if draws else first.setdefault(key, node)
    return sum(node is not other for node, other in stands_for.items())
