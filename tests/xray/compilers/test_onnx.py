"""ONNX's ladder: nodes by level, what was fused, results, lines, and what it cannot take.

Counts as in the first try of this: attention has 5 nodes that compute, and 3 after the extended level.
"""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from subjects import SUBJECTS, Emitted, captured, emitted, source_line

from tutor.xray.compilers.capture import capture
from tutor.xray.model.compiler import ONNX
from tutor.xray.model.counts.onnx import count_onnx, read_nodes

pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

from tutor.xray.compilers.onnx import lower

# Nodes as exported, after the basic and after the extended level; buffers and bytes at the end.
COUNTS = {
    "linear_gelu": (3, 2, 2, 1, 4 * 64 * 256),
    "softmax": (1, 1, 1, 0, 0),
    "layer_norm": (1, 1, 1, 0, 0),
    "attention": (5, 5, 3, 2, 2 * 4 * 2 * 4 * 32 * 32),
}
FUSED = {
    "linear_gelu": ["Gemm: MatMul, Add", "Gelu: Gelu"],
    "softmax": ["Softmax: Softmax"],
    "layer_norm": ["LayerNormalization: LayerNormalization"],
    "attention": ["FusedMatMul: Transpose, MatMul, Div", "Softmax: Softmax", "MatMul: MatMul"],
}


@cache
def lowered_once(name: str) -> Emitted:
    return emitted(lower, captured(name))


@pytest.mark.parametrize("name", SUBJECTS)
def test_nodes_by_level_and_what_they_compute(name: str) -> None:
    seen = lowered_once(name)
    assert not seen.failures
    assert [stage.name for stage in seen.stages] == [kind.name for kind in ONNX.stages]
    levels = [seen.counts(stage)["units"] for stage in ("export", "basic", "extended")]
    last = seen.counts("layout")
    assert (*levels, last["buffers"], last["bytes"]) == COUNTS[name]
    assert list(seen.stage("layout").notes[:-2]) == FUSED[name]
    assert seen.counts("kernels")["units"] == last["units"]
    assert seen.counts("result")["difference"] < 2e-5


TIED = [
    ("linear_gelu", "x @ w", "MatMul ("),
    ("linear_gelu", "h + b", "Add ("),
    ("linear_gelu", "F.gelu", "Gelu "),
    ("softmax", "torch.softmax", "Softmax "),
    ("layer_norm", "F.layer_norm", "LayerNormalization "),
    ("attention", "k.transpose", "Transpose "),
    ("attention", "math.sqrt", "Div ("),
    ("attention", "p = torch.softmax", "Softmax "),
    ("attention", "p @ v", "MatMul (softmax"),
]


@pytest.mark.parametrize(("name", "code", "operator"), TIED)
def test_a_node_comes_from_the_line_that_names_it(name: str, code: str, operator: str) -> None:
    seen = lowered_once(name)
    lines = seen.stage("export").text.split("\n")
    (node,) = [number for number, text in enumerate(lines, 1) if f"= {operator}" in text]
    sources = {
        link.source_line
        for link in seen.links
        if (link.source, link.target, link.target_line) == ("source", "onnx/export", node)
    }
    assert sources == {source_line(captured(name), code)}


def test_a_fused_node_is_followed_to_each_node_that_it_replaces() -> None:
    seen = lowered_once("attention")
    above = seen.stage("basic").text.split("\n")
    below = seen.stage("extended").text.split("\n")
    tied = {
        (above[link.source_line - 1].split()[0], below[link.target_line - 1].split(" = ")[1][:9])
        for link in seen.links
        if link.target == "onnx/extended"
    }
    assert tied == {
        ("[node_transpose]", "com.micro"),
        ("[node_matmul]", "com.micro"),
        ("[node_div]", "com.micro"),
        ("[node_softmax]", "Softmax <"),
        ("[node_matmul_1]", "MatMul (s"),
    }


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)

    def forward(self, x):
        return F.relu(self.norm(self.convolution(x)))


def test_a_convolution_takes_in_what_follows_it_and_no_weight_is_printed() -> None:
    seen = emitted(lower, capture(Net().eval(), (torch.rand(1, 3, 8, 8),)))
    assert not seen.failures
    assert seen.stage("export").counts[0] == ("units", 3)
    assert "hands on 2 of these 3 nodes" in seen.stage("export").notes[1]
    assert seen.counts("extended")["units"] == 1
    convolution = seen.stage("layout").notes[0]
    assert convolution == "Conv: Conv, BatchNormalization, Relu"
    assert seen.counts("result")["difference"] < 2e-5
    assert max(len(stage.text) for stage in seen.stages) < 3_000


def test_what_it_cannot_take_is_a_sentence() -> None:
    seen = emitted(lower, capture(torch.linalg.inv, (torch.eye(3),)))
    (failure,) = seen.failures
    assert failure.stage == "onnx/export"
    assert failure.sentence == (
        "PyTorch's exporter stopped: No ONNX function found for aten.linalg_inv_ex"
    )
    seen = emitted(lower, capture(lambda x: x + 1, (torch.ones(4).bfloat16(),)))
    assert [stage.name for stage in seen.stages] == ["export"]
    (failure,) = seen.failures
    assert failure.sentence.startswith("ONNX Runtime stopped: Could not find an implementation")


TEXT = """\
<
   ir_version: 10,
   opset_import: ["" : 20]
>
g (float[2,3] x, float[n] "y z") => (float16[2,3] out)
   <float[3] w, float scale =  {4}, int64[2,3] a, double[n] "b.1", float[2,3] gone>
{
   [node_a] a, "b.1" = Split <axis: int = 0, name: string = "k (x) = "> (x)
   val_0 = Constant <value: tensor = float {4}> ()
   ["n/If (1)"] c = If (a) <then_branch: graph = t () => (float d)
      {
         d = Identity (val_0)
      }
   >
   [last] out = com.microsoft.FusedMatMul <alpha: float = 0.25> (c, w)
}
"""


def test_nodes_and_counts_of_a_text() -> None:
    nodes = read_nodes(TEXT)
    assert [node.operator for node in nodes] == [
        *("Split", "Constant", "If", "Identity", "com.microsoft.FusedMatMul")
    ]
    assert (nodes[0].results, nodes[0].line) == (("a", "b.1"), 8)
    # Of the values a, b.1, c and d one has a known shape: they have no size together.
    assert count_onnx(TEXT) == {"units": 4, "operations": 5, "buffers": 4}
    known = TEXT.replace("[n]", "[2]").replace("gone>", "c, float[2] d>")
    assert count_onnx(known)["bytes"] == 48 + 16 + 24 + 8
