"""Collects the nodes of the new graph in a list, in their order, and makes the graph anew."""

from collections import Counter

import onnx
from onnx import helper, numpy_helper, version_converter


def fuse_gelu(model):
    """Return a new model with a Gelu for each five nodes, in opset 20."""
    model = version_converter.convert_version(model, 20)
    old = model.graph
    maker = {out: node for node in old.node for out in node.output}
    users = Counter(name for node in old.node for name in node.input)
    users.update(place.name for place in old.output)

    def is_constant(name, number):
        node = maker.get(name)
        if node is None or node.op_type != "Constant":
            return False
        value = numpy_helper.to_array(node.attribute[0].t)
        return value.size == 1 and abs(value.item() - number) <= 1e-6 * number

    def split(name, kind, number):
        """The operand beside the constant, of a node of this kind that makes `name`."""
        node = maker.get(name)
        if node is None or node.op_type != kind:
            return None
        first, second = node.input
        if is_constant(second, number):
            return first
        if kind != "Div" and is_constant(first, number):
            return second
        return None

    made, gone = {}, set()
    for node in old.node:
        g = node.output[0]
        if node.op_type != "Mul":
            continue
        for v, q in (tuple(node.input), tuple(node.input)[::-1]):
            k = split(q, "Mul", 0.5)
            e = split(k, "Add", 1.0)
            if e not in maker or maker[e].op_type != "Erf":
                continue
            d = maker[e].input[0]
            if split(d, "Div", 2**0.5) == v and all(users[name] == 1 for name in (d, e, k, q)):
                made[g] = v
                gone |= {d, e, k, q}
    nodes = []
    for node in old.node:
        name = node.output[0]
        if name in made:
            nodes.append(helper.make_node("Gelu", [made[name]], [name]))
        elif name not in gone:
            nodes.append(node)
    read = {name for node in nodes for name in node.input}
    nodes = [node for node in nodes if node.op_type != "Constant" or node.output[0] in read]
    graph = helper.make_graph(nodes, old.name, old.input, old.output, old.initializer)
    new = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(new)
    return new
