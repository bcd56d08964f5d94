"""What is told of a model that ONNX's checker or ONNX Runtime refuses: each refusal is provoked."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import torch  # noqa: E402

from tutor.judge.worker import onnx_graph  # noqa: E402

GIVEN = "<ir_version: 10, opset_import: ['': 20]> g (float[2,3] x) => (float[2,3] y) {"
GIVEN += " [first] z = Relu(x) y = Exp(z) }"


def text(body: str, places: str = "(float[2,3] x) => (float[2,3] y)", opset: str = "'': 20") -> str:
    return f"<ir_version: 10, opset_import: [{opset}]> g {places} {{ {body} }}"


WEIGHT = "(float[2,3] x) => (float[2,3] y) <float[2,3] w = {1,2,3,4,5,6}>"
# A model, and what is told of it.
TABLE = {
    "[r] y = Relu(z)": "`r` (Relu) reads `z`, which no node makes and which is no input and no "
    "initializer. In the given model the node `first` (Relu) made it",
    "y = Relu(a) a = Exp(x)": "The Relu that makes `y` reads `a` and stands before the Exp that makes",
    "y = Exp(x) y = Relu(x)": "Two nodes make `y`: a node Exp and a node Relu",
    "x = Exp(x) y = Relu(x)": "The Exp that makes `x` makes `x`, which is an input of the graph",
    "[n] a = Exp(x) [n] y = Relu(a)": "2 nodes have the name `n` (Exp and Relu)",
    "z = Relu(x)": "No node makes the graph's output `y`. In the given model a node Exp made it",
    "y = Rellu(x)": "ONNX has no operator `Rellu` (the Rellu that makes `y`). Is `Relu` meant?",
    "[u] y = Upsample(x)": "ONNX took `Upsample` out in opset 10, and the model imports opset 20",
    "y = Add(x)": "The Add that makes `y` has 1 input, and `Add` has 2 (`A`, `B`)",
    "y, z = Relu(x)": "has 2 results, and `Relu` has 1 (`Y`)",
    "y = Cast(x)": "The Cast that makes `y` lacks the attribute `to`",
    "y = Clip<min = 0.0>(x)": "`Clip` of opset 20 has no attribute `min` (the Clip that makes `y`). "
    "It is an input there",
    "y = Softmax<axis = 1.5>(x)": "The attribute `axis` of the Softmax that makes `y` is FLOAT, and INT",
    'y = Add(x, "")': "is given no `B` (input 1)",
    f"y = Relu({'z' * 200})": f"reads `{'z' * 80}…`, which no node makes",
    "y = MatMul(x, x)": "The types or sizes do not fit at the MatMul that makes `y`: Incompatible",
}
PLACED = (
    (
        text("y = Gelu(x)", opset="'': 17"),
        "ONNX has `Gelu` from opset 20 on, and the model imports",
    ),
    (text("y = my.Relu(x)"), "is of the domain `my`, of which the model imports no version"),
    (
        text("y = com.microsoft.Nothing(x)", opset="'': 20, 'com.microsoft': 1"),
        "ONNX Runtime has no operator `Nothing` in the domain `com.microsoft`",
    ),
    (
        text("y = Relu(x)", "(float[2,3] x, float[2,3] x) => (float[2,3] y)"),
        "two inputs with the name",
    ),
    (text("y = Relu(x)", opset=""), "imports no opset"),
    (text("y = Relu(x)", opset="'': 99"), "ONNX Runtime does not know opset 99"),
    (text("y = Relu(x)").replace("10", "99", 1), "`ir_version` is 99, and"),
    (text("y = Add(x, w)", WEIGHT).replace("10", "3", 1), "The initializer `w` is no input"),
    (text("w = Exp(x) y = Relu(w)", WEIGHT), "makes `w`, which is an initializer already"),
    (
        text("y = Relu(x)", "(float[2,3] x) => (float[5,3] y)"),
        "The Relu that makes `y` gets what makes 2 in dimension 0 of its result; the graph's output "
        "says 5",
    ),
    (
        text("a = Relu(x) y = Exp(a)", "(float[2,3] x) => (float[2,3] y) <float[2,7] a>"),
        "3 in dimension 1 of its result; an entry of `value_info` says 7",
    ),
    (
        text("y = Relu(x)", "(float[2,3] x) => (int64[2,3] y)"),
        "gets what makes float32; the graph's",
    ),
    (
        text("y = Add(x, w)", "(float[2,3] x) => (float[2,3] y) <double[1] w = {1}>"),
        "gets float64 as `B`, which is not the type of its other inputs",
    ),
    (
        text("y = Relu(x)", "(bool[2,3] x) => (bool[2,3] y)"),
        "gets bool as `X`, and its operator takes",
    ),
    (
        text("y = Relu(x)", "(float[2,3] x) => (float y)"),
        "gets what makes 2 dimensions; the graph's output says 0",
    ),
    (
        text("y = Reshape(x, w)", "(float[2,3] x) => (float[a,b] y) <int64[2] w = {4, 4}>").replace(
            "float[2,3] x", "float[n,m] x"
        ),
        "ONNX Runtime stopped at the Reshape that makes `y`: The input tensor cannot be reshaped",
    ),
)


def told(model) -> str:
    given = onnx.parser.parse_model(GIVEN.replace("'", '"'))
    try:
        session = onnx_graph.open_model(model, given)
        onnx_graph.compute(session, model, given, {"x": torch.ones(2, 3)})
    except onnx_graph.ModelRefused as error:
        return error.why.sentence
    return ""


@pytest.mark.parametrize(
    ("model", "words"), [(text(body), words) for body, words in TABLE.items()] + list(PLACED)
)
def test_a_refused_model_is_told_in_words(model: str, words: str) -> None:
    assert words in told(onnx.parser.parse_model(model.replace("'", '"')))


def changed(change) -> str:
    model = onnx.parser.parse_model(text("y = Add(x, w)", WEIGHT).replace("'", '"'))
    change(model)
    return told(model)


def make_large(model) -> None:
    model.graph.initializer[0].raw_data = bytes(onnx_graph.onnx_models.MOST_BYTES)


def keep_outside(model) -> None:
    constant = model.graph.initializer[0]
    constant.data_location = onnx.TensorProto.EXTERNAL
    constant.external_data.add(key="location", value="../../etc/passwd")


CHANGES = (
    (make_large, "takes 64 MiB, and at most 64 are judged"),
    (keep_outside, "`w` keeps its values in the file `../../etc/passwd`"),
    (
        lambda m: m.graph.initializer.append(m.graph.initializer[0]),
        "two initializers with the name `w`",
    ),
    (
        lambda m: m.graph.initializer[0].dims.append(9),
        "`w` holds 6, and its `dims` and type ask for 54 float values",
    ),
    (lambda m: m.graph.output[0].ClearField("type"), "The output `y` has no type"),
    (
        lambda m: m.graph.output[0].type.tensor_type.ClearField("shape"),
        "`y` says nothing of its sizes",
    ),
    (lambda m: m.graph.ClearField("output"), "The graph has no output"),
    (lambda m: m.graph.ClearField("name"), "The graph has no name"),
    (lambda m: m.ClearField("ir_version"), "The model has no `ir_version`"),
    (lambda m: m.graph.input.add(name="v", type=m.graph.input[0].type), "inputs are `x`, `v`, and"),
    (
        lambda m: m.graph.node.extend([m.graph.node[0]] * 5_001),
        "has 5,002 nodes, and at most 5,000",
    ),
)


@pytest.mark.parametrize(("change", "words"), CHANGES)
def test_a_model_out_of_bounds_or_incomplete_is_told_in_words(change, words: str) -> None:
    assert words in changed(change)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (None, "returned nothing"),
        (onnx.GraphProto(), "returned a graph. It is to return the whole model"),
        ("model", "an object of type `str`"),
    ],
)
def test_what_is_no_model_is_told_in_words(made, words: str) -> None:
    assert words in told(made)


def line_of(change) -> int | None:
    """The line named, counted from the function's own."""
    maker = f"from onnx import parser\ndef model(x):\n    return parser.parse_model({GIVEN!r})\n"
    maker = maker.replace("'': 20", '\\"\\": 20')
    with pytest.raises(onnx_graph.ModelRefused) as refused:
        onnx_graph.Graphs(maker, change).run((torch.ones(2, 3),))
    line = refused.value.learner_line
    return line and line - change.__code__.co_firstlineno


def test_the_line_is_that_after_which_the_model_has_the_fault() -> None:
    def loses_a_value(model):
        model.graph.node[0].name = "other"
        model.graph.node[0].input[0] = "gone"
        return model

    assert line_of(loses_a_value) == 2

    def turns_the_sizes(model):
        model.graph.node[0].op_type = "Transpose"
        return model

    assert line_of(turns_the_sizes) == 1

    def turns_them_behind_another_fault(model):
        model.graph.node[1].op_type = "Gone"
        model.graph.node[0].op_type = "Transpose"
        model.graph.node[1].op_type = "Exp"
        return model

    assert line_of(turns_them_behind_another_fault) is None
