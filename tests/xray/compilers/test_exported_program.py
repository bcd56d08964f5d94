"""The capture that every compiler begins with."""

import torch
from subjects import captured

from tutor.xray.compilers.capture import capture

scale = torch.nn.Linear(4, 4)


def uses_a_global_module(x):
    return scale(x) * 2


def test_a_global_module_is_captured_without_lines() -> None:
    x = torch.ones(2, 4)
    subject = capture(uses_a_global_module, (x,))
    assert not subject.strict
    assert torch.equal(subject.run_eagerly()[0], uses_a_global_module(x))
    assert captured("linear_gelu").strict
