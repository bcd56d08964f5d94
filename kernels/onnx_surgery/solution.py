import math

from onnx import helper, numpy_helper, version_converter


def number_of(node) -> float | None:
    """Return the number of a `Constant` with one element, else None."""
    if node is None or node.op_type != "Constant":
        return None
    array = numpy_helper.to_array(node.attribute[0].t)
    return float(array.reshape(-1)[0]) if array.size == 1 else None


def fuse_gelu(model):
    """Return the model with a node `Gelu` in the place of each five, in opset 20."""
    # First the version: it holds for every node, and the converter rewrites those that change.
    model = version_converter.convert_version(model, 20)
    graph = model.graph
    for last in list(graph.node):
        five = find_five(graph, last)
        if five is None:
            continue
        value, nodes = five
        # In the place of the last of the five, so that it stands before whoever reads the result.
        place = list(graph.node).index(last)
        graph.node.insert(place, helper.make_node("Gelu", [value], list(last.output)))
        for node in nodes:
            graph.node.remove(node)
    read = {name for node in graph.node for name in node.input}
    for node in list(graph.node):
        if node.op_type == "Constant" and node.output[0] not in read:
            graph.node.remove(node)
    return model


def find_five(graph, last):
    """Return the value whose GELU `last` computes, and the five nodes, else None."""
    makers = {name: node for node in graph.node for name in node.output}

    def other(node, operator, number):
        """Return the operand beside this constant, if the node is such a one, else ""."""
        if node is None or node.op_type != operator or len(node.input) != 2:
            return ""
        for at, name in enumerate(node.input):
            found = number_of(makers.get(name))
            # A quotient by sqrt(2) is not one of sqrt(2).
            if operator == "Div" and at == 0:
                continue
            if found is not None and math.isclose(found, number, rel_tol=1e-6):
                return node.input[1 - at]
        return ""

    if last.op_type != "Mul":
        return None
    for value, halved in (last.input, reversed(last.input)):
        product = makers.get(halved)
        add = makers.get(other(product, "Mul", 0.5))
        erf = makers.get(other(add, "Add", 1.0))
        if erf is None or erf.op_type != "Erf":
            continue
        div = makers.get(erf.input[0])
        if other(div, "Div", math.sqrt(2.0)) != value:
            continue
        inner = (div, erf, add, product)
        # What somebody else reads has to be computed anyway: such a five stays.
        if all(count_readers(graph, node.output[0]) == 1 for node in inner):
            return value, (*inner, last)
    return None


def count_readers(graph, name) -> int:
    """Return how often nodes read a value, and 1 more if it is a result."""
    read = [each for node in graph.node for each in node.input]
    return read.count(name) + [place.name for place in graph.output].count(name)
