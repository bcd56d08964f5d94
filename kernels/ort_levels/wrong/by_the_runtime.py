# expect: wrong-model
"""Lets ONNX Runtime fold what it can, and returns that."""

import tempfile

import onnx
import onnxruntime


def prepare(model):
    graph = model.graph
    wanted = {place.name for place in graph.output}
    for node in reversed(list(graph.node)):
        if wanted.isdisjoint(node.output):
            graph.node.remove(node)
        else:
            wanted.update(node.input)
    held = {constant.name for constant in graph.initializer}
    for place in [place for place in graph.input if place.name in held]:
        graph.input.remove(place)
    model.ir_version = max(model.ir_version, 4)
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.optimized_model_filepath = f"{folder}/model.onnx"
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        onnxruntime.InferenceSession(model.SerializeToString(), options)
        return onnx.load(options.optimized_model_filepath)
