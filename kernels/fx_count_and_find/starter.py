import torch

NODES = 0  # of Leftover's graph
APPLIES = "folding, dce, cse"  # which of these would change it, or "none"


def traced(source: str) -> torch.fx.Graph:
    """The graph of class `Net` in `source`."""
    names = {"torch": torch}
    exec(source, names)
    return torch.fx.symbolic_trace(names["Net"]()).graph


def survey(source: str) -> torch.Tensor:
    """[nodes, foldable calls, dead nodes, nodes saved by CSE], int64."""
    graph = traced(source)
    calls = [node for node in graph.nodes if node.op.startswith("call")]
    # Count all nodes, then what each of the three
    # passes would find.
    return torch.tensor([len(calls), 0, 0, 0])
