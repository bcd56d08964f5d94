# expect: wrong-graph
"""Looks for the five operators in a row in the list of nodes."""

from onnx import helper, numpy_helper, version_converter

ROW = ["Div", "Erf", "Add", "Mul", "Mul"]


def fuse_gelu(model):
    model = version_converter.convert_version(model, 20)
    graph = model.graph
    results = [place.name for place in graph.output]
    number = {
        node.output[0]: float(numpy_helper.to_array(node.attribute[0].t).ravel()[0])
        for node in graph.node
        if node.op_type == "Constant"
    }

    def near(name, wanted):
        return abs(number.get(name, 0.0) - wanted) < 1e-6

    at = 0
    while at + 5 <= len(graph.node):
        five = list(graph.node)[at : at + 5]
        at += 1
        if [node.op_type for node in five] != ROW:
            continue
        d, e, k, q, g = (node.output[0] for node in five)
        v = five[0].input[0]
        read = [name for node in graph.node for name in node.input] + results
        parts = (
            near(five[0].input[1], 2**0.5),
            five[1].input[0] == d,
            e in five[2].input and any(near(name, 1.0) for name in five[2].input),
            k in five[3].input and any(near(name, 0.5) for name in five[3].input),
            sorted(five[4].input) == sorted([v, q]),
            all(read.count(name) == 1 for name in (d, e, k, q)),
        )
        if all(parts):
            graph.node.insert(at - 1, helper.make_node("Gelu", [v], [g]))
            for node in five:
                graph.node.remove(node)
    read = {name for node in graph.node for name in node.input}
    for node in [n for n in graph.node if n.op_type == "Constant" and n.output[0] not in read]:
        graph.node.remove(node)
    return model
