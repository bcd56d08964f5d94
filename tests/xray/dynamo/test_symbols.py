"""A symbol has in texts and errors the name and the size that the inputs give it."""

import re

import pytest
import torch
from capturing import look

from tutor.xray.model.input_specs import parse_input

pytestmark = pytest.mark.slow


def multiply(a, b):
    return a @ b


def add_twice(x, *more):
    return x.cos() + sum(one.sum() for one in more)


def seen(function, *inputs: str, last_stage: str = "forward"):
    return look(function, *map(parse_input, inputs), last_stage=last_stage)


def symbols_of(text: str) -> set[str]:
    return set(re.findall(r"\bs\d+\b", text))


def test_every_stage_names_the_symbols_of_the_inputs() -> None:
    found = seen(add_twice, "f32[s3,8]", "f32[s5=12]", "f32[7]")
    assert found.failures == []
    for key in ("dynamo", "forward"):
        assert symbols_of(found.text(key)) == {"s3", "s5"}
    guards = seen(lambda x: x + 1 if x.shape[0] > 4 else x, "f32[s2,8]", last_stage="guards")
    assert "4" in guards.text("guards")


def test_an_error_names_the_symbol_too() -> None:
    (failure,) = seen(multiply, "f32[10,10]", "f32[s0,10]").failures[:1]
    assert "[10, 10] X [s0, 10]" in failure.sentence


def test_a_size_may_be_given() -> None:
    found = seen(multiply, "f32[s1,10]", "f32[10,s0=24]")
    assert symbols_of(found.text("dynamo")) == {"s0", "s1"}
    assert found.failures == []


def test_a_modules_inputs_are_named_too() -> None:
    found = seen(torch.nn.Linear(8, 4), "f32[s7,8]")
    assert symbols_of(found.text("dynamo")) == {"s7"}
