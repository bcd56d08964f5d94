import itertools
import os

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.judge.cases.case_result import find_change
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.worker_messages.records import Layout

dtypes = st.sampled_from(sorted(shared_tensors.DTYPES))


@st.composite
def tensors(draw):
    """Any dtype, up to three dimensions, possibly empty, and one of the views that PyTorch makes."""
    shape = draw(st.lists(st.integers(0, 5), max_size=3))
    dtype = shared_tensors.DTYPES[draw(dtypes)]
    made = torch.randint(0, 2 if dtype == torch.bool else 100, shape).to(dtype)
    view = draw(st.sampled_from(["plain", "transposed", "stepped", "expanded", "offset", "column"]))
    if view == "transposed" and made.dim() > 1:
        return made.transpose(0, -1)
    if view == "stepped" and made.dim():
        return made[::2]
    if view == "expanded":
        return made.unsqueeze(0).expand(3, *shape)
    if view == "offset" and made.dim():
        return made[1:]
    if view == "column" and made.dim() > 1:
        return made[:, :1]
    return made


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b)


@given(given_tensors=st.lists(tensors(), min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_tensors_survive_with_shape_and_strides(given_tensors):
    buffer, layouts = shared_tensors.fill_buffer(given_tensors)
    fd = shared_tensors.memory_file("t", buffer)
    try:
        read = shared_tensors.read_file(fd, buffer.numel())
        assert read is not None
        assert torch.equal(read, buffer)
        for tensor, layout in zip(given_tensors, layouts, strict=True):
            again = msgspec.msgpack.decode(msgspec.msgpack.encode(layout), type=Layout)
            assert again == layout
            found = shared_tensors.view_tensor(again, read)
            assert same(found, tensor)
            assert found.stride() == tensor.stride()
        assert find_change(buffer, read, layouts) == ("", 0)
    finally:
        os.close(fd)


@given(given_tensors=st.lists(tensors(), min_size=1, max_size=3), data=st.data())
@settings(max_examples=150, deadline=None)
def test_every_changed_byte_is_noticed_and_laid_at_the_right_tensor(given_tensors, data):
    buffer, layouts = shared_tensors.fill_buffer(given_tensors)
    after = buffer.clone()
    at = data.draw(st.integers(0, buffer.numel() - 1))
    after[at] ^= 0xFF
    kind, which = find_change(buffer, after, layouts)
    layout = layouts[which]
    inside = layout.offset <= at < layout.offset + layout.nbytes
    assert kind == ("element" if inside else "guard")
    # A guard belongs to a tensor next to it.
    assert layout.offset - 2 * shared_tensors.GUARD - 64 <= at
    assert at < layout.offset + layout.nbytes + 2 * shared_tensors.GUARD + 64


def test_tensors_never_touch_each_other():
    rows = [torch.zeros(n, dtype=torch.uint8) for n in (0, 1, 63, 64, 65)]
    _, layouts = shared_tensors.fill_buffer(rows)
    for one, other in itertools.pairwise(layouts):
        assert one.offset + one.nbytes + 2 * shared_tensors.GUARD <= other.offset


def test_gaps_between_a_views_elements_are_canaries():
    wide = torch.zeros(4, 10)
    buffer, (layout,) = shared_tensors.fill_buffer([wide[:, :2]])
    assert layout.nbytes == (3 * 10 + 2) * 4
    gap = buffer[layout.offset + 8 : layout.offset + 40]
    assert bool((gap == shared_tensors.CANARY).all())


def test_a_file_cut_short_gives_nothing_instead_of_a_fault():
    buffer, _ = shared_tensors.fill_buffer([torch.ones(1000)])
    fd = shared_tensors.memory_file("t", buffer)
    os.ftruncate(fd, 100)
    assert shared_tensors.read_file(fd, buffer.numel()) is None
    assert find_change(buffer, None, []) == ("guard", 0)
    os.close(fd)


def test_an_empty_output_is_an_empty_file():
    fd = shared_tensors.memory_file("t", torch.empty(0, dtype=torch.uint8))
    read = shared_tensors.read_file(fd, 0)
    assert read is not None
    assert read.numel() == 0
    os.close(fd)


@pytest.mark.parametrize("name", sorted(shared_tensors.DTYPES))
def test_zero_dimensional_tensors_keep_their_value(name):
    value = torch.ones((), dtype=shared_tensors.DTYPES[name])
    buffer, (layout,) = shared_tensors.fill_buffer([value])
    assert shared_tensors.view_tensor(layout, buffer).shape == ()
    assert same(shared_tensors.view_tensor(layout, buffer), value)
