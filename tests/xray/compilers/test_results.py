"""How what a compiled form computed is compared with PyTorch's results."""

import sys

import pytest
import torch

from tutor.xray.compilers.capture import capture
from tutor.xray.compilers.results import compare_results, returns_tensors


def test_equal_infinities_and_missing_numbers_do_not_differ() -> None:
    subject = capture(lambda x: x * 1, (torch.tensor([float("inf"), float("nan"), 1.0]),))
    stage = compare_results("xla", subject, [torch.tensor([float("inf"), float("nan"), 1.5])])
    assert dict(stage.counts) == {"difference": 0.5}


def test_another_shape_is_an_error_and_not_stretched() -> None:
    subject = capture(lambda x: x * 1, (torch.ones(3, 4),))
    with pytest.raises(ValueError, match="shape"):
        compare_results("xla", subject, [torch.ones(4)])


def test_random_numbers_are_told() -> None:
    subject = capture(lambda x: torch.nn.functional.dropout(x, 0.5), (torch.ones(4),))
    assert "random" in compare_results("xla", subject, [torch.ones(4)]).notes[0]
    assert not compare_results("xla", capture(torch.sin, (torch.ones(4),)), [torch.ones(4)]).notes


def test_a_number_among_the_results_is_seen() -> None:
    assert not returns_tensors(capture(lambda x: (3, x + 1), (torch.ones(4),)).program)
    assert returns_tensors(capture(lambda x: (x, x + 1), (torch.ones(4),)).program)


def test_a_number_that_is_none_where_pytorch_has_one_differs() -> None:
    subject = capture(lambda x: x + 1, (torch.ones(2),))
    stage = compare_results("xla", subject, [torch.tensor([2.0, float("nan")])])
    assert dict(stage.counts)["difference"] == sys.float_info.max
