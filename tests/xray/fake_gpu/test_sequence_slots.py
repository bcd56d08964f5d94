"""Replacing `Tensor.__getitem__` for a while leaves numbers in tensors what they were."""

import torch

from tutor.xray.fake_gpu import sequence_slots
from tutor.xray.fake_gpu.fake_gpu import with_fake_tensors


def vector() -> torch.Tensor:
    """Make a vector of tensors with one number each, which a full slot `sq_item` prevents."""
    return torch.tensor(
        [torch.tensor(1.0), torch.nn.Parameter(torch.tensor(2.0), requires_grad=False)]
    )


def test_a_list_of_tensors_with_one_number_each_is_a_vector_while_and_after_pretending() -> None:
    with with_fake_tensors():
        assert vector().tolist() == [1.0, 2.0]
        assert torch.arange(6.0).reshape(2, 3)[1, 2].item() == 5.0
    assert vector().tolist() == [1.0, 2.0]
    assert [x.item() for x in torch.arange(3.0)] == [0.0, 1.0, 2.0]
    changed = torch.zeros(3)
    changed[1] = 4.0
    assert changed.tolist() == [0.0, 4.0, 0.0]


def test_nothing_is_read_where_types_are_laid_out_in_another_way(monkeypatch) -> None:
    assert sequence_slots.SequenceSlots()._kept
    monkeypatch.setattr(sequence_slots, "_NAME", sequence_slots._NAME + 8)
    assert sequence_slots.SequenceSlots()._kept == []
    monkeypatch.undo()
    monkeypatch.setattr(sequence_slots, "_AS_SEQUENCE", sequence_slots._AS_SEQUENCE + 8)
    assert sequence_slots.SequenceSlots()._kept == []
