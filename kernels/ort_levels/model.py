"""The model of a case: blocks of Conv, BatchNormalization and Relu, and a linear layer.

`plan` says what stands in the way of the levels, a text for each: "ir 3" is the IR version, "listed
var" constants of this ending that are inputs as well, "dead conv1" the value that a left-over probe
reads, "shape norm1" the value whose number of images is taken.
"""

import torch
from onnx import TensorProto, helper, numpy_helper

WAYS = ("ir", "listed", "dead", "shape")
PARTS = ("weight", "bias", "scale", "shift", "mean", "var")


def model(x, plan, *tensors):
    """x -> the blocks -> the batch's rows, flattened -> rows @ (weight * gain) + bias -> y.

    `tensors` are the six of each block, and the three of the linear layer.
    """
    plan = {way: [each[len(way) + 1 :] for each in plan if each.startswith(way)] for way in WAYS}
    version = int(plan["ir"][0])
    nodes, held, value = [], {}, "x"
    for number in range(1, 1 + len(tensors) // 6):
        parts = tensors[6 * number - 6 : 6 * number]
        held |= {f"b{number}.{part}": each for part, each in zip(PARTS, parts, strict=True)}
        names = [f"b{number}.{part}" for part in PARTS]
        conv, norm, relu = (f"{kind}{number}" for kind in ("conv", "norm", "relu"))
        made = (
            (conv, helper.make_node("Conv", [value, *names[:2]], [conv], pads=[1, 1, 1, 1])),
            (norm, helper.make_node("BatchNormalization", [conv, *names[2:]], [norm])),
            (relu, helper.make_node("Relu", [norm], [relu])),
        )
        for name, node in made:
            nodes.append(node)
            if name in plan["dead"]:
                nodes += probe(name, len(nodes), held)
            if name in plan["shape"]:
                nodes.append(helper.make_node("Shape", [name], ["sizes"]))
        value = relu
    if not plan["shape"]:
        nodes.append(helper.make_node("Flatten", [value], ["rows"]))
    else:
        held |= {"first": torch.tensor([0]), "rest": torch.tensor([-1])}
        nodes += [
            helper.make_node("Gather", ["sizes", "first"], ["batch"]),
            helper.make_node("Concat", ["batch", "rest"], ["target"], axis=0),
            helper.make_node("Reshape", [value, "target"], ["rows"]),
        ]
    held |= dict(zip(("out.weight", "out.gain", "out.bias"), tensors[-3:], strict=True))
    nodes += [
        helper.make_node("Mul", ["out.weight", "out.gain"], ["out.scaled"]),
        helper.make_node("MatMul", ["rows", "out.scaled"], ["product"]),
        helper.make_node("Add", ["product", "out.bias"], ["y"]),
    ]
    inputs = [place("x", x, "n")]
    if version < 4:  # there each constant has to be an input as well
        inputs += [place(name, each) for name, each in held.items()]
    else:
        inputs += [place(n, each) for n, each in held.items() if n.endswith(tuple(plan["listed"]))]
    graph = helper.make_graph(
        nodes,
        "net",
        inputs,
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", tensors[-1].shape[0]])],
        [numpy_helper.from_array(each.numpy(), name) for name, each in held.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opset, ir_version=version)


def probe(seen, first, held):
    """Nodes that somebody has left behind: of a norm other ones than of a convolution."""
    a, b, c = (f"t{first + number}" for number in range(3))
    held[f"{c}.scale"] = torch.tensor(2.0)
    operators = (
        ("Relu", "ReduceMean", "Mul") if seen.startswith("norm") else ("Abs", "ReduceMax", "Div")
    )
    return [
        helper.make_node(operators[0], [seen], [a]),
        helper.make_node(operators[1], [a], [b], keepdims=0),
        helper.make_node(operators[2], [b, f"{c}.scale"], [c]),
    ]


def place(name, tensor, first=None):
    """An input of the graph for this tensor; `first` names its first size."""
    kind = TensorProto.INT64 if tensor.dtype == torch.int64 else TensorProto.FLOAT
    sizes = list(tensor.shape)
    return helper.make_tensor_value_info(name, kind, [first, *sizes[1:]] if first else sizes)
