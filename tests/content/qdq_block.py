"""A residual block as records of Day 53, and any such graph with its pairs as a model of ONNX."""

from tutor.judge.cases.qdq import ONE, ROWS

BLOCK = [
    ("x", "Input", ()),
    ("w", "Weight", ()),
    ("c", "Conv", ("x", "w")),
    ("r", "Relu", ("c",)),
    ("v", "Weight", ()),
    ("d", "Conv", ("r", "v")),
    ("s", "Add", ("d", "x")),
    ("t", "Relu", ("s",)),
    ("o", "Output", ("t",)),
]
ALL = {"x": ONE, "w": ROWS, "r": ONE, "v": ROWS, "d": ONE, "t": ONE}


def as_onnx(graph, pairs):
    """The graph as a model of ONNX, with QuantizeLinear and DequantizeLinear at its pairs."""
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper

    draw = np.random.default_rng(0)
    readers = {read: op for _, op, reads in graph for read in reads}
    sizes = {"Conv": (6, 6, 3, 3), "MatMul": (6, 6)}
    nodes, held, inputs, outputs, now = [], [], [], [], {}
    for name, op, reads in graph:
        if op == "Output":
            outputs.append(now.get(reads[0], reads[0]))
            continue
        if op == "Input":
            inputs.append(helper.make_tensor_value_info(name, 1, [1, 6, 6, 6]))
        elif op == "Weight":
            values = draw.standard_normal(sizes[readers[name]]).astype(np.float32)
            held.append(numpy_helper.from_array(values, name))
        else:
            more = {"pads": [1, 1, 1, 1]} if op == "Conv" else {}
            nodes.append(helper.make_node(op, [now.get(r, r) for r in reads], [name], **more))
        if name in pairs:
            many = pairs[name] != ONE
            kind, zero = (np.int8, 0) if op == "Weight" else (np.uint8, 0 if op == "Relu" else 128)
            scale = np.full((6,) if many else (), 0.05, np.float32)
            held.append(numpy_helper.from_array(scale, f"{name}_scale"))
            held.append(numpy_helper.from_array(np.full(scale.shape, zero, kind), f"{name}_zero"))
            more = {"axis": 0 if pairs[name] == ROWS else 1} if many else {}
            ends = [f"{name}_scale", f"{name}_zero"]
            nodes.append(helper.make_node("QuantizeLinear", [name, *ends], [f"{name}_q"], **more))
            now[name] = f"{name}_d"
            codes = [f"{name}_q", *ends]
            nodes.append(helper.make_node("DequantizeLinear", codes, [now[name]], **more))
    told = [helper.make_tensor_value_info(name, 1, None) for name in dict.fromkeys(outputs)]
    model = helper.make_model(
        helper.make_graph(nodes, "drawn", inputs, told, held),
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    return onnx.shape_inference.infer_shapes(model)
