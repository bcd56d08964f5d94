"""Puts one Flatten in the place of the nodes that compute sizes; dead nodes go in turns."""

from collections import Counter

from onnx import helper


def prepare(model):
    graph = model.graph
    for at, node in enumerate(graph.node):
        if node.op_type == "Reshape":
            graph.node.insert(at, helper.make_node("Flatten", [node.input[0]], [node.output[0]]))
            graph.node.remove(node)
            break
    while True:
        readers = Counter(name for node in graph.node for name in node.input)
        readers.update(place.name for place in graph.output)
        dead = [node for node in graph.node if not any(readers[name] for name in node.output)]
        if not dead:
            break
        for node in dead:
            graph.node.remove(node)
    kept = [each for each in graph.initializer if readers[each.name]]
    names = {each.name for each in graph.initializer}
    del graph.initializer[:]
    graph.initializer.extend(kept)
    places = [place for place in graph.input if place.name not in names]
    del graph.input[:]
    graph.input.extend(places)
    model.ir_version = 10
    return model
