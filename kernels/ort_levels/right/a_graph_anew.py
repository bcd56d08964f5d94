"""Makes the graph anew from what is reached backwards from the result."""

from onnx import helper


def prepare(model):
    old = model.graph
    maker = {name: node for node in old.node for name in node.output}
    renamed = {}
    for node in old.node:
        if node.op_type in ("BatchNormalization", "Relu"):
            renamed[node.input[0]] = node.output[0]

    def furthest(name):
        return furthest(renamed[name]) if name in renamed else name

    for node in old.node:
        if node.op_type == "Shape":
            node.input[0] = furthest(node.input[0])
    order, seen = [], set()

    def visit(name):
        """Put the node that makes the value behind those that make what it reads."""
        node = maker.get(name)
        if node is None or node.output[0] in seen:
            return
        seen.add(node.output[0])
        for each in node.input:
            visit(each)
        order.append(node)

    for place in old.output:
        visit(place.name)
    read = {name for node in order for name in node.input}
    held = [each for each in old.initializer if each.name in read]
    names = {each.name for each in old.initializer}
    inputs = [place for place in old.input if place.name not in names]
    graph = helper.make_graph(order, old.name, inputs, old.output, held)
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=8)
