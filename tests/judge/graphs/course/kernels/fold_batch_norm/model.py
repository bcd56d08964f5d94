from onnx import TensorProto, helper, numpy_helper


def model(x, w, b, scale, shift, mean, var):
    """Convolution, normalization, ReLU."""
    c, h, wide = x.shape[1:]
    given = {"w": w, "b": b, "scale": scale, "shift": shift, "mean": mean, "var": var}
    graph = helper.make_graph(
        (
            helper.make_node("Conv", ["x", "w", "b"], ["a"], name="conv"),
            helper.make_node(
                "BatchNormalization",
                ["a", "scale", "shift", "mean", "var"],
                ["normal"],
                name="norm",
                epsilon=0.125,
            ),
            helper.make_node("Relu", ["normal"], ["y"], name="relu"),
        ),
        "block",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", c, h, wide])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", len(w), h - 2, wide - 2])],
        [numpy_helper.from_array(value.numpy(), name) for name, value in given.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
