import json

import torch

Graph = dict  # inputs, initializers, nodes, outputs; a node: op, domain, inputs, outputs, graphs


def read_in(graph: Graph) -> set[str]:
    """Return the names that nodes of this graph and of its inner graphs read, and its outputs."""
    names = set(graph["outputs"])
    for node in graph["nodes"]:
        names.update(node["inputs"])
        for inner in node["graphs"]:
            names |= read_in(inner)
    return names - {""}


def does_nothing(node: dict, read: set[str]) -> bool:
    """Say if its first output is its first input, and nobody needs more of it."""
    if node["domain"] != "":
        return False
    if node["op"] == "Dropout":
        trains = any(node["inputs"][2:])  # an absent input is an empty text
        return not trains and not any(name in read for name in node["outputs"][1:])
    return node["op"] == "Identity"


def rewired(graph: Graph, around: dict[str, str]) -> Graph:
    """Return the graph without them. `around`: what to read for names of the graphs around it."""
    read, outputs = read_in(graph), graph["outputs"]
    source = {}  # of each value that goes: the value that it is
    made = set()
    for node in graph["nodes"]:
        if does_nothing(node, read):
            first = node["inputs"][0]
            source[node["outputs"][0]] = source.get(first, first)
        else:
            made.update(node["outputs"])
    # Make the output's name here: the value's maker takes it, or a node stays.
    claimed, stays = {}, set()
    for name in outputs:
        value = source.get(name)
        if value in made and value not in outputs and value not in claimed:
            claimed[value] = name
        elif value is not None:
            stays.add(name)
    # A dict of its own: the other branch may make the same names and mean something else.
    scope = around | claimed
    for name, value in source.items():
        if name not in stays:
            scope[name] = claimed.get(value, around.get(value, value))
    nodes = []
    for node in graph["nodes"]:
        if does_nothing(node, read) and node["outputs"][0] not in stays:
            continue
        nodes.append(
            node
            | {
                "inputs": [scope.get(name, name) for name in node["inputs"]],
                "outputs": [claimed.get(name, name) for name in node["outputs"]],
                "graphs": [rewired(inner, scope) for inner in node["graphs"]],
            }
        )
    return graph | {"nodes": nodes}


def splice(graph: Graph) -> Graph:
    """Return the graph without the nodes that do nothing; outputs keep their names."""
    return rewired(graph, {})


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
    """Splice the graph of a JSON text, run it on x. Leave it as it is."""
    graph = splice(json.loads(text))
    return torch.stack(compute(graph, {"x": x, "w": x + 1}))
