from onnx import numpy_helper


def number_of(node) -> float | None:
    """Return the number of a `Constant` with one element, else None."""
    if node is None or node.op_type != "Constant":
        return None
    array = numpy_helper.to_array(node.attribute[0].t)
    return float(array.reshape(-1)[0]) if array.size == 1 else None


def find_five(graph, last):
    """Return the value whose GELU `last` computes, and the five nodes, else None."""
    makers = {name: node for node in graph.node for name in node.output}
    if last.op_type != "Mul":
        return None
    for name in last.input:
        # Is it v, and is the other one q?
        print(name, number_of(makers.get(name)))
    return None


def fuse_gelu(model):
    """Return the model with a node `Gelu` in the place of each five, in opset 20."""
    for node in list(model.graph.node):
        if find_five(model.graph, node) is not None:
            # Put one node there, take five out.
            pass
    return model
