import json

import torch

Graph = dict  # inputs, initializers, nodes, outputs; a node: op, domain, inputs, outputs, graphs


def graphs_in(graph: Graph) -> list[Graph]:
    """Return the graph and all graphs in it, the outer ones first."""
    found = [graph]
    for one in found:  # the list grows while it is walked
        for node in one["nodes"]:
            found.extend(node["graphs"])
    return found


def does_nothing(node: dict, read: set[str]) -> bool:
    """Say if its first output is its first input, and nobody needs more of it."""
    if node["domain"] != "":
        return False
    if node["op"] == "Dropout":
        trains = any(node["inputs"][2:])
        return not trains and not any(name in read for name in node["outputs"][1:])
    return node["op"] == "Identity"


def splice(graph: Graph) -> Graph:
    """Return the graph without the nodes that do nothing; outputs keep their names."""
    result = graph | {"nodes": []}
    waiting = [(graph, result, {})]
    while waiting:
        old, new, around = waiting.pop()
        read, outputs = set(), old["outputs"]
        for one in graphs_in(old):
            read.update(one["outputs"])
            for node in one["nodes"]:
                read.update(name for name in node["inputs"] if name)
        source, made = {}, set()
        for node in old["nodes"]:
            if does_nothing(node, read):
                first = node["inputs"][0]
                source[node["outputs"][0]] = source.get(first, first)
            else:
                made.update(node["outputs"])
        claimed, stays = {}, set()
        for name in outputs:
            value = source.get(name)
            if value in made and value not in outputs and value not in claimed:
                claimed[value] = name
            elif value is not None:
                stays.add(name)
        scope = around | claimed
        for name, value in source.items():
            if name not in stays:
                scope[name] = claimed.get(value, around.get(value, value))
        for node in old["nodes"]:
            if does_nothing(node, read) and node["outputs"][0] not in stays:
                continue
            copied = node | {
                "inputs": [scope.get(name, name) for name in node["inputs"]],
                "outputs": [claimed.get(name, name) for name in node["outputs"]],
                "graphs": [inner | {"nodes": []} for inner in node["graphs"]],
            }
            new["nodes"].append(copied)
            waiting.extend(
                (inner, fresh, scope)
                for inner, fresh in zip(node["graphs"], copied["graphs"], strict=True)
            )
    return result


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
