"""What is said of operations that became others."""

import torch
from capturing import f32, look

from tutor.xray.model.input_specs import TensorSpec
from tutor.xray.torch_compile.aot import decompositions

ATEN = torch.ops.aten


def test_operations_of_a_loop_are_counted_not_strung_together() -> None:
    graph = torch.fx.Graph()
    value = graph.placeholder("x")
    softplus = (ATEN.exp.default, ATEN.log1p.default, ATEN.gt.Scalar, ATEN.where.self)
    silu = (ATEN.sigmoid.default, ATEN.mul.Tensor)
    for original, parts in (
        (ATEN.transpose.int, 3 * (ATEN.permute.default,)),
        (ATEN.softplus.default, 3 * softplus),
        (ATEN.silu.default, silu),
    ):
        for part in parts:  # of one line, as in a loop
            value = graph.call_function(part, (value,))
            value.meta["original_aten"] = original
    assert decompositions(torch.fx.GraphModule({}, graph)) == (
        "aten.transpose.int became permute, 3 in all.",
        "aten.softplus.default became exp, log1p, gt, where (3 times).",
        "aten.silu.default became sigmoid, mul.",
    )


def test_what_takes_over_the_name_of_a_removed_operation_is_no_part_of_it() -> None:
    graph = torch.fx.Graph()
    value = graph.call_function(ATEN.index.Tensor, (graph.placeholder("x"),))
    value.meta["original_aten"] = ATEN.mul.Tensor  # of `x[i] * 1`, which was removed
    assert decompositions(torch.fx.GraphModule({}, graph)) == ()


def test_what_a_pattern_put_in_is_part_of_the_operation_that_it_replaced() -> None:
    def one_hot(label):
        return torch.zeros(2, 8, 4, device=label.device).scatter_(1, label.unsqueeze(1), 1)

    notes = look(one_hot, TensorSpec("i64", (2, 4)), last_stage="forward").notes("forward")
    assert "aten.scatter.value became iota, view, expand, eq," in notes
    assert "aten.arange" not in notes, "the function has none"


def test_what_has_one_value_did_not_become_a_full() -> None:
    def add_one(x):
        return x + torch.tensor([1.0], device=x.device)[:, None]

    notes = look(add_one, TensorSpec("f32", (2, 4)), last_stage="forward").notes("forward")
    assert "aten.unsqueeze.default has one value throughout, known while compiling: full." in notes
    assert "unsqueeze.default became" not in notes


def test_parts_that_a_pass_replaced_and_those_that_it_left_are_one_operation_s() -> None:
    def attend(scores):
        return torch.nn.functional.dropout(torch.softmax(scores * 0.125, -1), 0.1)

    notes = look(attend, TensorSpec("f32", (4, 8)), last_stage="forward").notes("forward")
    assert notes.count("aten._softmax.default, with the scaling of its input, became") == 1
    assert "aten._softmax.default became" not in notes
    assert "where, exp, sum, div." in notes
    assert "inductor_random, gt, mul, mul." in notes


def test_a_graph_without_operations_has_nothing_to_lower() -> None:
    seen = look(lambda x: torch.broadcast_tensors(x, x), TensorSpec("f32", (4,)))
    assert "It only hands on what it gets: there is nothing to lower." in seen.notes("forward")
    assert not seen.failures
    assert "wrapper" not in seen.stages


def test_calls_of_one_line_of_which_one_stayed_are_not_told_as_one() -> None:
    graph = torch.fx.Graph()
    value = graph.placeholder("x")
    for part in (ATEN.unsqueeze.default, ATEN.view.default, ATEN.cat.default):
        value = graph.call_function(part, (value,))
        value.meta["original_aten"] = ATEN.cat.default
    (line,) = decompositions(torch.fx.GraphModule({}, graph))
    assert line == "aten.cat.default, in all calls of a line, became unsqueeze, view, cat."


def test_a_pattern_that_takes_in_another_call() -> None:
    """A division before a softmax goes into the pattern's nodes: they are not of the softmax alone."""

    def scaled(x: torch.Tensor) -> torch.Tensor:
        return (x / 0.01).softmax(1)

    notes = look(scaled, TensorSpec("f32", (4, 64)), last_stage="forward").notes("forward")
    assert "aten._softmax.default became" not in notes
    assert "aten._softmax.default, with the scaling of its input, became div, mul, amax," in notes


def test_calls_of_one_line_are_told_apart() -> None:
    def clamps(x, y):
        return x.clamp(min=0) - y.clamp(max=1) + (x * y).clamp(min=0, max=2)

    notes = look(clamps, f32(4, 8), f32(4, 8), last_stage="forward").notes("forward")
    assert "aten.clamp.default became clamp_min.\n" in notes
    assert "aten.clamp.default became clamp_max.\n" in notes
    assert "aten.clamp.default became clamp_min, clamp_max." in notes


def test_what_stands_in_a_removed_operation_s_place_keeps_its_origin() -> None:
    def lose(x, y):
        joined = torch.cat([x, y])
        return torch.nn.functional.smooth_l1_loss(joined, torch.zeros_like(joined))

    notes = look(lose, f32(4), f32(4), last_stage="forward").notes("forward")
    assert "aten.smooth_l1_loss.default became abs, lt, pow, mul, div, sub, where, mean." in notes


def test_a_pattern_that_takes_a_part_of_another_operation_is_told_of_neither() -> None:
    def twice(x):
        return x.softmax(-1).log_softmax(-1)

    seen = look(twice, f32(8, 8), last_stage="forward")
    assert "softmax.default became" not in seen.notes("forward")
