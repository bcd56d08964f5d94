"""The properties of ONNX models, on facts as the worker tells them."""

import pytest

from tutor.judge.cases.graphs import find_broken, find_other_places, read_graphs
from tutor.judge.spec import Initializers, Names, NoDead, Operators, Opset, Optimised

PLACES = {
    "inputs": [{"name": "x", "type": "float32[2,3]"}],
    "outputs": [{"name": "y", "type": "float32[2,3]"}],
}
FACTS = {
    "operators": {"Relu": 2, "MatMul": 1, "com.microsoft.FusedMatMul": 1},
    "opsets": {"": 20, "com.microsoft": 1},
    **PLACES,
    "given_inputs": PLACES["inputs"],
    "given_outputs": PLACES["outputs"],
    "constants": [
        {"name": "w", "type": "float32[3,3]", "bytes": 36, "read": True, "is_input": False},
        {"name": "b", "type": "float32[3]", "bytes": 12, "read": False, "is_input": True},
    ],
    "optimised": {"basic": {"Gemm": 1, "Add": 2}},
    "dead": ["the node `r` (Relu)", "the Relu that makes `z`"],
}

TABLE = (
    (Operators("Relu", 2, 2), {}, ""),
    (Operators("Relu", 1), {}, ""),
    (Operators("com.microsoft.FusedMatMul", 1), {}, ""),
    (Operators("Relu", most=0), {}, "has 2 `Relu`. Asked for: none."),
    (Operators("Relu", 1, 1), {}, "has 2 `Relu`. Asked for: 1."),
    (Operators("Relu", 3), {}, "has 2 `Relu`. Asked for: at least 3."),
    (Operators("Gelu", 1), {}, "has no `Gelu`. Asked for: at least 1. It has 2 `Relu`, 1 `MatMul`"),
    (Operators("", most=4), {}, ""),
    (Operators("", most=3), {}, "has 4 nodes. Asked for: at most 3. It has 2 `Relu`"),
    (Opset(20), {}, ""),
    (Opset(21), {}, "imports opset 20. Asked for: 21."),
    (Opset(1, "ai.onnx.ml"), {}, "no opset of the domain `ai.onnx.ml`. Asked for: 1."),
    (Initializers(2, 48), {}, ""),
    (Initializers(1), {}, "has 2 initializers (`w` float32[3,3], `b` float32[3])."),
    (Initializers(most_bytes=47), {}, "take 48 bytes"),
    (Optimised("basic", Operators("Gemm", 1)), {}, ""),
    (
        Optimised("basic", Operators("Add", most=0)),
        {},
        "The model that ONNX Runtime makes of it (level basic) has 2 `Add`. Asked for: none.",
    ),
    (Optimised("extended", Operators("Gemm", 1)), {}, "too large to be optimised"),
    (NoDead(), {}, "No output needs the node `r` (Relu), and 1 more node is like it."),
    (NoDead(), {"dead": []}, "No node reads the initializer `b` (float32[3])."),
    (NoDead(), {"dead": [], "constants": []}, ""),
)


@pytest.mark.parametrize(("wanted", "other", "words"), TABLE)
def test_a_property_of_a_model_is_kept_or_told(wanted, other, words) -> None:
    broken = find_broken((wanted,), read_graphs({"graphs": [FACTS | other]}))
    assert (broken is None) is (not words)
    if broken:
        assert broken[0] == 0
        assert words in broken[1]


def place(name: str, kind: str = "float32[2,3]") -> dict:
    return {"name": name, "type": kind}


PLACES_TABLE = (
    (
        (Names(outputs=("result",)),),
        {"outputs": [place("result", "int64[1]")], "constants": []},
        "",
    ),
    ((Names(outputs=("result",)),), {}, "outputs are `y`. Asked for: `result`."),
    ((), {"outputs": [place("z")]}, "outputs are `z`. Asked for: `y`."),
    ((), {"inputs": [place("x", "float32[2,4]")]}, "was float32[2,3] and is float32[2,4] now"),
    ((), {"constants": FACTS["constants"][:1]}, ""),
    ((), {}, "`b` is an initializer and an input of the graph, so that a caller may give another"),
    ((), {"inputs": []}, "The graph's inputs are none. Asked for: `x`."),
    (
        (Names(inputs=("x", "b")),),
        {},
        "are `x`. Asked for: `x`, `b`. `b` is an initializer too, so nobody needs to give it.",
    ),
)


@pytest.mark.parametrize(("properties", "other", "words"), PLACES_TABLE)
def test_inputs_and_outputs_stay_unless_others_are_named(properties, other, words) -> None:
    broken = find_other_places(properties, read_graphs({"graphs": [FACTS | other]}))
    assert (broken is None) is (not words)
    if broken:
        assert words in broken[1]
