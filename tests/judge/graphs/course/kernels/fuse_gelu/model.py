from onnx import TensorProto, helper, numpy_helper


def model(x, w, v):
    """x @ w, GELU by five nodes, and the product with v."""
    (n, d), k = x.shape, v.shape[1]
    nodes = (
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Div", ["a", "root"], ["scaled"]),
        helper.make_node("Erf", ["scaled"], ["erf"]),
        helper.make_node("Add", ["erf", "one"], ["shifted"]),
        helper.make_node("Mul", ["a", "shifted"], ["product"]),
        helper.make_node("Mul", ["product", "half"], ["gelu"]),
        helper.make_node("MatMul", ["gelu", "v"], ["y"], name="second"),
    )
    constants = (
        numpy_helper.from_array(w.numpy(), "w"),
        numpy_helper.from_array(v.numpy(), "v"),
        *(
            helper.make_tensor(name, TensorProto.FLOAT, [], [value])
            for name, value in (("root", 2**0.5), ("one", 1.0), ("half", 0.5))
        ),
    )
    graph = helper.make_graph(
        nodes,
        "gelu",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [n, d])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [n, k])],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
