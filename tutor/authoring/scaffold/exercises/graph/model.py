"""The model that the entry gets. It is no secret: the task shows what it says."""

from onnx import TensorProto, helper


def model(x, operators):  # gets the case's arguments; tensors named as inputs are given to the model
    names = ["x", *(f"v{number}" for number in range(1, len(operators))), "y"]
    nodes = [
        helper.make_node(operator, [source], [result])
        for operator, source, result in zip(operators, names, names[1:], strict=False)
    ]
    places = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(x.shape))] for name in "xy"
    ]
    graph = helper.make_graph(nodes, "chain", *places)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
