"""Of the branches of `torch.cond` a call takes one: what it launches and moves is counted so."""

import pytest
import torch
from capturing import f32, look

from tutor.xray.torch_compile.launch_paths import read_launches

WRAPPER = """
def true_graph_0(args):
    with torch.cuda._DeviceGuard(0):
        first.run(args)
        if inner.item():
            # subgraph: true_graph_1
            small.run(args)
        else:
            large.run(args)
            large.run(args)


class Runner:
    def call(self, args):
        with torch.cuda._DeviceGuard(0):
            before.run(args)
            if chosen.item():
                # subgraph: true_graph_0
                out = true_graph_0(args)
            else:
                # subgraph: false_graph_0
                other.run(args)
            after.run(args)
"""


def test_each_branch_is_told_apart() -> None:
    launches = read_launches(WRAPPER)
    assert launches is not None
    assert launches.kernels == (
        "before", "first", "small", "large", "large", "other", "after",
    )  # fmt: skip
    assert launches.find_heaviest([1, 1, 1, 1, 1, 9, 1]) == (0, 5, 6)
    assert launches.find_heaviest([1, 1, 5, 1, 1, 1, 1]) == (0, 1, 2, 6)
    assert launches.find_heaviest([0] * 7) == (0, 1, 3, 4, 6)


def test_a_wrapper_without_branches_is_left_alone() -> None:
    assert read_launches(WRAPPER.replace("# subgraph: ", "# ")) is None
    assert read_launches("# subgraph: x\ndef") is None


def _choose(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))


@pytest.mark.slow
def test_a_call_takes_one_branch() -> None:
    seen = look(_choose, f32(64))
    counts = dict(seen.stages["wrapper"].counts)
    assert (counts["kernels"], counts["launches"]) == (3, 2)
    assert (counts["bytes_read"], counts["bytes_written"]) == (512, 257)
    assert "3 Triton kernels in 2 launches" in seen.notes("wrapper")
