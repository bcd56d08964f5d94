# Every value gets a number of its own first, so names mean nothing while nodes go.
import itertools
import json

import torch

Graph = dict


class Value:
    """A value, by its name in the end; `same` is the value that it is."""

    def __init__(self, name, home):
        self.name, self.home, self.same, self.fixed = name, home, None, False

    def root(self):
        value = self
        while value.same is not None:
            value = value.same
        return value


def understood(graph, around, level):
    """The graph with values in the place of names."""
    names = dict(around)
    for name in itertools.chain(graph["inputs"], graph["initializers"]):
        names[name] = Value(name, None)
    nodes = []
    for node in graph["nodes"]:
        inputs = [names[name] if name else None for name in node["inputs"]]
        inner = [understood(each, names, level + 1) for each in node["graphs"]]
        outputs = [Value(name, graph["outputs"]) if name else None for name in node["outputs"]]
        for value in outputs:
            if value is not None:
                names[value.name] = value
        nodes.append((node, inputs, outputs, inner))
    return graph, nodes, [names[name] for name in graph["outputs"]]


def read_of(whole, found):
    _, nodes, outputs = whole
    found.update(map(id, outputs))
    for _, inputs, _, inner in nodes:
        found.update(id(value) for value in inputs if value is not None)
        for each in inner:
            read_of(each, found)
    return found


def decide(whole, read):
    _, nodes, outputs = whole
    for node, inputs, made, inner in nodes:
        if node["domain"] == "" and (
            node["op"] == "Identity"
            or (
                node["op"] == "Dropout"
                and all(value is None for value in inputs[2:])
                and all(value is None or id(value) not in read for value in made[1:])
            )
        ):
            made[0].same = inputs[0]
        for each in inner:
            decide(each, read)
    own = {id(value) for _, _, made, _ in nodes for value in made if value is not None}
    for value in outputs:
        if value.same is None:
            value.fixed = True
    for value in outputs:
        root = value.root()
        if root is value:
            continue
        if id(root) in own and not root.fixed:
            root.name, root.fixed = value.name, True
        else:
            value.same, value.fixed = None, True
            value.copy_of = root


def named(value):
    return "" if value is None else value.root().name


def written(whole):
    graph, nodes, _ = whole
    result = []
    for node, inputs, outputs, inner in nodes:
        if outputs and outputs[0] is not None and outputs[0].same is not None:
            continue
        fields = dict(node)
        fields["inputs"] = [named(value) for value in inputs]
        fields["outputs"] = [named(value) for value in outputs]
        fields["graphs"] = [written(each) for each in inner]
        result.append(fields)
    return {**graph, "nodes": result}


def splice(graph):
    whole = understood(graph, {}, 0)
    decide(whole, read_of(whole, set()))
    return written(whole)


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
