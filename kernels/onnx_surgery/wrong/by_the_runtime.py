# expect: wrong-graph
"""Lets ONNX Runtime's level BASIC do it, which rewrites more than that."""

import tempfile

import onnx
import onnxruntime
from onnx import version_converter


def fuse_gelu(model):
    model = version_converter.convert_version(model, 20)
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.optimized_model_filepath = f"{folder}/model.onnx"
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        onnxruntime.InferenceSession(model.SerializeToString(), options)
        return onnx.load(options.optimized_model_filepath)
