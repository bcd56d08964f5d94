"""Which tensor of a launch an address is in."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutor.judge.interpreter.memory_checks import TensorRanges

WHOLE = torch.zeros(40)
RANGES = TensorRanges({"whole": WHOLE, "part": WHOLE[10:20], "tail": WHOLE[35:]})


@given(st.lists(st.integers(min_value=-3, max_value=42), min_size=1, max_size=6))
def test_the_quick_way_gives_what_the_other_gives_or_nothing(elements: list[int]) -> None:
    address = np.array(elements, np.int64) * 4 + WHOLE.data_ptr()
    which, outside = RANGES.find(address)
    only = RANGES.find_one(address)
    assert only is None or (not outside.any() and set(which) == {only})


def test_most_accesses_take_the_quick_way() -> None:
    address = np.arange(10, 20) * 4 + WHOLE.data_ptr()
    assert RANGES.ranges[RANGES.find_one(address)].name == "part"
