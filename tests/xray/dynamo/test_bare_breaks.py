"""A graph break that ends no graph is told too: which line, and why."""

from pathlib import Path

import pytest
import torch
from capturing import Seen, f32, look

from tutor.ui.ladder.model.stages import Ladder
from tutor.xray.model.input_specs import TensorSpec

pytestmark = pytest.mark.slow


def prints_first(x):
    print("called with", x.shape)
    return (x * 2).sum()


def reads_first(n, x):
    return x * n.item()


def counts_first(n, x):
    for _ in range(n.item()):
        x = x * 2
    return x


def slices_by_a_value(x, n):
    x = x * 2
    part = x[: n + 1]
    return part + 1


def calls_a_skipped_one(x, n):
    x = x + 1
    print("between")
    return slices_by_a_value(x, n) * 2


def helper(x):
    print("in the helper")
    return x + 1


def breaks_in_a_loop(x):
    x = x * 2
    for _ in range(2):
        x = helper(x)
    return x


def multiplies_after_a_break(x, n):
    x = x * 2
    print("between")
    for _ in range(2):
        x = x * n.item()
    return x


def compares_two(x, y):
    first, second = torch.distributions.Normal(x, 1.0), torch.distributions.Normal(y, 2.0)
    return torch.distributions.kl_divergence(first, second).sum()


def prints_often(x):
    print("before")
    x = x + 1
    print("between")
    print("again")
    return x * 2


def doubled(x):
    x = x * 2
    print("between")
    return x


def calls_at_once(x):
    return doubled(x)


def calls_later(x):
    x = torch.relu(x)
    return doubled(x)


def steps(weight, gradient):
    weight = torch.nn.Parameter(weight)
    weight.grad = gradient
    torch.optim.SGD([weight], lr=0.1).step()
    return weight


def cuts_by_a_tensor(x, n):
    x = x * 2
    n = n + 1
    part = x[:n]
    return part.sum()


def nothing_but_prints(x):
    print("no operation")
    return x


SYMBOL = TensorSpec("i64", ())


def seen(function, *args) -> Seen:
    return look(function, *args, last_stage="guards")


def line_of(function, code: str) -> int:
    """The line of the file."""
    lines = Path(__file__).read_text("utf-8").split("\n")
    start = function.__code__.co_firstlineno
    return next(n for n in range(start, start + 9) if code in lines[n - 1])


@pytest.mark.parametrize(
    ("function", "args", "code", "why"),
    [
        (prints_first, (f32(64),), "print(", "`print` with argument types"),
        (reads_first, (SYMBOL, f32(8)), ".item()", "capture_scalar_outputs"),
    ],
)
def test_a_break_before_the_first_operation(function, args, code, why) -> None:
    found = seen(function, *args)
    line = line_of(function, code)
    (note,) = [n for n in found.stages["dynamo"].notes if "graph break" in n]
    assert note.startswith(f"It begins after a graph break. Line {line}: graph break, ")
    assert why in note
    own = line - function.__code__.co_firstlineno + 1
    assert found.count("dynamo", "begins_after_line") == own
    assert Ladder(found.stages.values()).breaks()[own].startswith("graph break, ")


def test_breaks_on_both_sides_are_told_in_order() -> None:
    found = seen(prints_often, f32(8))
    lines = [line_of(prints_often, word) for word in ("before", "between", "again")]
    first, second = (
        [n.partition(": ")[0] for n in found.stages[key].notes if "graph break" in n]
        for key in ("dynamo", "dynamo:graph2")
    )
    assert first == [
        f"It begins after a graph break. Line {lines[0]}",
        f"It ends at a graph break. Line {lines[1]}",
    ]
    assert second == [f"It begins after a graph break. Line {lines[2]}"]


def test_a_break_from_which_nothing_is_resumed_is_told_with_its_cause() -> None:
    found = seen(cuts_by_a_tensor, f32(8), SYMBOL)
    line = line_of(cuts_by_a_tensor, "part = ")
    broken, rest = [n for n in found.stages["dynamo"].notes if "break" in n]
    assert broken.startswith(f"It ends at a graph break. Line {line}: graph break, ")
    assert "capture_scalar_outputs" in broken
    assert f"`cuts_by_a_tensor` runs as Python from line {line} on" in rest
    assert "dynamo:graph2" not in found.stages


def test_a_function_that_is_given_up_for_a_loop_is_named() -> None:
    found = seen(breaks_in_a_loop, f32(8))
    note = next(n for n in found.stages["dynamo"].notes if "breaks_in_a_loop" in n)
    assert "runs as Python, and no operation of its own is in a graph" in note
    called, broken = line_of(breaks_in_a_loop, "helper"), line_of(helper, "print")
    assert f"Line {called}: graph break in `helper`, at line {broken}, " in note


def test_a_break_in_a_function_that_is_called_is_told_of_the_call() -> None:
    call, broken = line_of(calls_at_once, "doubled("), line_of(doubled, "print")
    found = seen(calls_at_once, f32(8))
    before, after = [n for n in found.stages["dynamo"].notes if "graph break" in n]
    start = (
        f"Python calls `doubled`, and Dynamo traces what it can of it. Line {call}: graph break in "
        "`doubled`"
    )
    assert before.startswith(f"{start}, at line {broken}, ")
    assert after.startswith(f"It ends at a graph break. Line {broken}: graph break, ")
    assert "begins_after_line" not in dict(found.stages["dynamo"].counts)

    call = line_of(calls_later, "doubled(")
    found = seen(calls_later, f32(8))
    (note,) = [n for n in found.stages["dynamo"].notes if "graph break" in n]
    start = f"It ends at a graph break. Line {call}: graph break in `doubled`"
    assert note.startswith(f"{start}, at line {broken}, ")
    shown = found.text("source").split("\n")
    assert "doubled(x)" in shown[int(found.count("dynamo", "breaks_at_line")) - 1]


def test_a_break_that_torch_asks_for_is_told_once_and_without_advice() -> None:
    notes = seen(steps, f32(8), f32(8)).stages["dynamo"].notes
    (note,) = [n for n in notes if "one that torch makes itself" in n]
    assert f"Line {line_of(steps, 'SGD')}: graph break, one that torch makes itself" in note
    assert not any("graph_break()" in n for n in notes)


@pytest.mark.parametrize(
    ("function", "args", "code"),
    [
        (nothing_but_prints, (f32(8),), "print("),
        (counts_first, (SYMBOL, f32(8)), ".item()"),
    ],
)
def test_where_no_graph_is_left_the_line_is_named(function, args, code) -> None:
    (failure,) = seen(function, *args).failures
    assert f"line {line_of(function, code)}: graph break, " in failure.sentence


def test_a_function_that_is_skipped_whole_is_told_with_its_line() -> None:
    (failure,) = seen(slices_by_a_value, f32(8), SYMBOL).failures
    broken = line_of(slices_by_a_value, "part = ")
    assert "`slices_by_a_value` has a graph break from which nothing goes on, " in failure.sentence
    assert f"line {broken}: graph break, " in failure.sentence

    found = seen(calls_a_skipped_one, f32(8), SYMBOL)
    notes = [n for stage in found.stages.values() for n in stage.notes]
    assert any(
        "nothing goes on from a graph break" in n and f"line {broken}" in n.lower() for n in notes
    )


def test_nothing_is_said_of_a_function_without_a_break() -> None:
    found = seen(torch.relu, f32(8))
    assert not any("graph break" in note for note in found.stages["dynamo"].notes)


def test_the_rest_of_a_function_is_not_named_as_dynamo_names_it() -> None:
    number = TensorSpec("i64", ())
    notes = look(multiplies_after_a_break, f32(8), number, last_stage="guards").notes("dynamo")
    assert "in `multiplies_after_a_break` runs as Python, and no operation of its own" in notes
    assert "torch_dynamo_resume" not in notes


def test_a_function_of_torch_that_runs_as_python_is_named() -> None:
    seen = look(compares_two, f32(8), f32(8), last_stage="forward")
    assert "`kl.kl_divergence` of torch runs as Python there, and no operation" in seen.notes(
        "dynamo"
    )
