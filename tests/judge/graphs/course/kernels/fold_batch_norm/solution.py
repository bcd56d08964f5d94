import numpy
from onnx import numpy_helper


def fold(model):
    graph = model.graph
    constants = {one.name: one for one in graph.initializer}
    makers = {name: node for node in graph.node for name in node.output}
    norm = next(node for node in graph.node if node.op_type == "BatchNormalization")
    conv = makers[norm.input[0]]
    w, b = (numpy_helper.to_array(constants[name]) for name in conv.input[1:])
    scale, shift, mean, var = (numpy_helper.to_array(constants[name]) for name in norm.input[1:])
    epsilon = next(each.f for each in norm.attribute if each.name == "epsilon")
    factor = scale / numpy.sqrt(var + numpy.float32(epsilon))
    folded = (w * factor[:, None, None, None], (b - mean) * factor + shift)
    for name, value in zip(conv.input[1:], folded, strict=True):
        constants[name].CopyFrom(numpy_helper.from_array(value, name))
    for name in norm.input[1:]:
        graph.initializer.remove(constants[name])
    conv.output[0] = norm.output[0]
    graph.node.remove(norm)
    return model
