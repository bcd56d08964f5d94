"""Indexing without torch's binding gives what the binding gives."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.xray.fake_gpu.tensor_methods import _make_view, copy_from, invert, make_contiguous

X = torch.arange(2 * 3 * 4).reshape(2, 3, 4)
_PLAIN = st.one_of(
    st.integers(-2, 1),
    st.none(),
    st.builds(slice, st.none() | st.integers(-5, 5), st.none() | st.integers(-5, 5)),
    st.just(slice(None, None, 2)),
)
_LISTS = st.lists(st.integers(-2, 1), min_size=1, max_size=3).map(torch.tensor)


@st.composite
def indices(draw):
    parts = draw(st.lists(st.one_of(_PLAIN, _LISTS), max_size=3))
    tensors = [part for part in parts if isinstance(part, torch.Tensor)]
    if len({len(part) for part in tensors}) > 1:  # these must broadcast
        parts = [p[:1] if isinstance(p, torch.Tensor) else p for p in parts]
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), Ellipsis)
    return tuple(parts)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(indices())
def test_an_index_is_read_as_torch_reads_it(index) -> None:
    whole = [part for part in index if isinstance(part, int)]
    if whole and any(isinstance(part, torch.Tensor) for part in index):
        return  # NumPy counts a whole number among index tensors as one more of them
    view, found = _make_view(X, index)
    got = torch.ops.aten.index.Tensor(view, found) if found else view
    want = X[index]
    assert got.shape == want.shape
    assert torch.equal(got, want)


def test_the_other_methods() -> None:
    x, y = torch.zeros(2, 3), torch.ones(3)
    assert copy_from(x, y) is x
    assert torch.equal(x, torch.ones(2, 3))
    assert torch.equal(invert(x > 0), torch.zeros(2, 3, dtype=torch.bool))
    assert make_contiguous(x) is x
    assert make_contiguous(x.t()).is_contiguous()
    assert torch.equal(make_contiguous(x.t()), x.t())
