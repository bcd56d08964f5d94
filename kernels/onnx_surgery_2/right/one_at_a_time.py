# One node is taken out at a time, until none can go.
import copy
import json

import torch

Graph = dict


def each_name(graph, change):
    """Change names of the graph and of its inner graphs."""
    for node in graph["nodes"]:
        node["inputs"] = [change.get(name, name) for name in node["inputs"]]
        node["outputs"] = [change.get(name, name) for name in node["outputs"]]
        for inner in node["graphs"]:
            each_name(inner, change)
    graph["outputs"] = [change.get(name, name) for name in graph["outputs"]]


def uses(graph, name):
    found = graph["outputs"].count(name)
    for node in graph["nodes"]:
        found += node["inputs"].count(name)
        found += sum(uses(inner, name) for inner in node["graphs"])
    return found


def idle(graph, node):
    if node["domain"]:
        return False
    if node["op"] == "Identity":
        return True
    if node["op"] != "Dropout" or (len(node["inputs"]) > 2 and node["inputs"][2]):
        return False
    mask = node["outputs"][1] if len(node["outputs"]) > 1 else ""
    return not mask or uses(graph, mask) == 0


def step(graph):
    """Take one node out, here or inside; say if there was one."""
    makers = {name: node for node in graph["nodes"] for name in node["outputs"]}
    for node in graph["nodes"]:
        if not idle(graph, node):
            continue
        old, new = node["outputs"][0], node["inputs"][0]
        if old not in graph["outputs"]:
            graph["nodes"].remove(node)
            each_name(graph, {old: new})
            return True
        if new in makers and new not in graph["outputs"]:
            graph["nodes"].remove(node)
            each_name(graph, {new: old})
            return True
    return any(step(inner) for node in graph["nodes"] for inner in node["graphs"])


def splice(graph):
    graph = copy.deepcopy(graph)
    while step(graph):
        pass
    return graph


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
