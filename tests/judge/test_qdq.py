"""The fuser of graphs with Q/DQ pairs: what it says, and that ONNX Runtime decides the same."""

import collections
import random

import pytest

from tests.content.qdq_block import ALL, BLOCK, as_onnx
from tutor.judge.cases.qdq import CHANNELS, COLUMNS, ONE, ROWS, draw_graph, fuse


def test_a_residual_block_with_all_its_pairs_runs_in_int8():
    assert fuse(BLOCK, ALL) == {"c": "int8", "r": "fused", "d": "int8", "s": "int8", "t": "fused"}


@pytest.mark.parametrize(
    ("gone", "floats"),
    [
        ("x", {"c", "s"}),
        ("r", {"c", "d"}),
        ("d", {"d", "s"}),
        ("t", {"s"}),
        ("w", {"c"}),
    ],
)
def test_one_pair_less_leaves_its_neighbours_in_float(gone, floats):
    said = fuse(BLOCK, {name: kind for name, kind in ALL.items() if name != gone})
    assert {name for name in "cds" if said[name] != "int8"} == floats


def test_a_pair_before_the_relu_separates_the_two():
    said = fuse(BLOCK, ALL | {"c": ONE})
    assert (said["c"], said["r"]) == ("int8", "it is not fused")


def test_a_relu_with_another_reader_beside_it_is_not_fused():
    graph = [*BLOCK, ("p", "Output", ("c",))]
    assert fuse(graph, ALL)["c"] == "its result c has no pair"
    assert fuse(graph, ALL | {"c": ONE})["c"] == "int8"


def test_scales_along_the_wrong_axis_leave_a_product_in_float():
    assert "axis 0" in fuse(BLOCK, ALL | {"w": COLUMNS})["c"]
    matmul = [("x", "Input", ()), ("w", "Weight", ()), ("m", "MatMul", ("x", "w"))]
    assert "axis 1" in fuse(matmul, {"x": ONE, "w": ROWS, "m": ONE})["m"]
    assert fuse(matmul, {"x": ONE, "w": COLUMNS, "m": ONE})["m"] == "int8"


def draw_pairs(dice, graph):
    """Pairs behind weights, behind what a MatMul ends in, and behind most other values."""
    ops = {name: op for name, op, _ in graph}
    readers = {read: op for _, op, reads in graph for read in reads if ops[read] == "Weight"}
    kept = {name for name, op, _ in graph if op == "MatMul"}
    kept |= {name for name, op, reads in graph if op == "Relu" and ops[reads[0]] == "MatMul"}
    pairs = {}
    for name, op, _ in graph:
        if op == "Weight":
            pairs[name] = dice.choice((ONE, CHANNELS[readers[name]]))
        elif op != "Output" and (name in kept or dice.random() < 0.85):
            pairs[name] = ONE
    return pairs


def int8_operators(model, folder):
    """What ONNX Runtime computes in int8, counted by operator."""
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(folder / "optimised.onnx")
    onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    nodes = onnx.load(options.optimized_model_filepath).graph.node
    return collections.Counter(
        node.op_type.removeprefix("QLinear") for node in nodes if node.op_type.startswith("QLinear")
    )


def test_onnx_runtime_computes_the_same_operators_in_int8(tmp_path):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    seen = collections.Counter()
    for seed in range(80):
        dice = random.Random(seed)
        graph = draw_graph(dice, dice.randint(2, 8))
        pairs = draw_pairs(dice, graph)
        ops = {name: op for name, op, _ in graph}
        mine = collections.Counter(
            ops[name] for name, said in fuse(graph, pairs).items() if said == "int8"
        )
        assert int8_operators(as_onnx(graph, pairs), tmp_path) == mine, (graph, pairs)
        seen += mine
    assert set(seen) == {"Conv", "MatMul", "Add"}


def test_the_case_of_day_53_in_onnx_runtime(tmp_path):
    """Pairs behind what convolutions read leave every second one in float, and each sum."""
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    graph = [("x0", "Input", ()), ("w0", "Weight", ()), ("c0", "Conv", ("x0", "w0"))]
    graph.append(("x1", "Relu", ("c0",)))
    for n in range(1, 9):
        graph += [(f"w{n}", "Weight", ()), (f"c{n}", "Conv", (f"x{n}", f"w{n}"))]
        graph += [(f"r{n}", "Relu", (f"c{n}",)), (f"v{n}", "Weight", ())]
        graph += [(f"d{n}", "Conv", (f"r{n}", f"v{n}")), (f"s{n}", "Add", (f"d{n}", f"x{n}"))]
        graph.append((f"x{n + 1}", "Relu", (f"s{n}",)))
    graph.append(("o", "Output", ("x9",)))
    ops = {name: op for name, op, _ in graph}
    pairs = {
        read: ROWS if ops[read] == "Weight" else ONE
        for _, op, reads in graph
        if op == "Conv"
        for read in reads
    }
    assert int8_operators(as_onnx(graph, pairs), tmp_path) == {"Conv": 9}
    pairs |= {f"d{n}": ONE for n in range(1, 9)} | {"x9": ONE}
    assert int8_operators(as_onnx(graph, pairs), tmp_path) == {"Conv": 17, "Add": 8}
