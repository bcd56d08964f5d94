import json

import torch

Graph = dict  # inputs, initializers, nodes, outputs


def splice(graph: Graph) -> Graph:
    """Return the graph without the nodes that do nothing."""
    instead: dict[str, str] = {}
    nodes = []
    for node in graph["nodes"]:
        inputs = [instead.get(name, name) for name in node["inputs"]]
        if node["op"] == "Identity":
            instead[node["outputs"][0]] = inputs[0]
            continue
        nodes.append(node | {"inputs": inputs})
    # And Dropout, outputs, inner graphs?
    return graph | {"nodes": nodes}


def compute(graph: Graph, values: dict) -> list[torch.Tensor]:
    """Run a graph on values by name. Leave it as it is."""
    values = dict(values)
    for node in graph["nodes"]:
        read = [values[name] for name in node["inputs"] if name != ""]
        match node["domain"], node["op"]:
            case "", "Identity":
                made = [read[0]]
            case "", "Dropout":
                made = [read[0], torch.ones_like(read[0])]
            case "", "If":
                chosen = node["graphs"][0 if read[0].sum() > 0 else 1]
                made = compute(chosen, values)
            case "", "Add":
                made = [read[0] + read[1]]
            case "", "Neg":
                made = [-read[0]]
            case "", "Relu":
                made = [read[0].clamp(min=0)]
            case _:  # an operator of somebody else's
                made = [3 * read[0] + 1]
        for name, value in zip(node["outputs"], made, strict=False):
            if name in values:
                raise ValueError(f"{name} is made twice")
            values[name] = value
    return [values[name] for name in graph["outputs"]]


def run(x: torch.Tensor, text: str) -> torch.Tensor:
    """Splice the graph of a text, run it on x. Leave it as it is."""
    graph = splice(json.loads(text))
    return torch.stack(compute(graph, {"x": x, "w": x + 1}))
