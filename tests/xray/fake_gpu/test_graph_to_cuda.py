"""Graphs moved to the pretended device."""

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from tutor.hardware.gpus import target
from tutor.xray.fake_gpu.fake_gpu import pretending
from tutor.xray.fake_gpu.graph_to_cuda import move_to_cuda


def test_a_graph_of_symbolic_numbers_keeps_their_environment() -> None:
    shapes = ShapeEnv()
    fake = FakeTensorMode(shape_env=shapes).from_tensor(torch.empty(5), static_shapes=False)
    graph = Graph()
    number = graph.placeholder("n")
    number.meta["val"] = fake.size(0)
    graph.output((number,))
    assert isinstance(number.meta["val"], torch.SymInt)
    with pretending(target("sm_90")):
        _, inputs, mode = move_to_cuda(GraphModule(torch.nn.Module(), graph))
    assert mode.shape_env is shapes
    assert inputs[0].node.shape_env is shapes
