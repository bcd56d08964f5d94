"""The graph after Inductor's passes stands in the ladder, tied to both sides."""

import re

import torch
from capturing import f32, look


def test_names_of_notes_are_in_the_graph_after_the_passes() -> None:
    seen = look(lambda x: torch.softmax(x, -1), f32(64, 64))
    assert seen.failures == []
    assert seen.order.index("forward") < seen.order.index("post_grad") < seen.order.index("lowered")
    assert "prepare_softmax_online_default" in seen.text("post_grad")
    assert "Taken out: " in seen.notes("post_grad")
    assert "Put in: " in seen.notes("post_grad")
    inside = re.findall(r"\(([\w, ]+)\)", seen.notes("ir_post_fusion"))
    for name in inside[0].split(", "):
        assert re.search(rf"^\s+{name}\b", seen.text("post_grad"), re.MULTILINE), name


def test_each_aten_line_leads_down_and_each_block_up() -> None:
    seen = look(lambda x: torch.softmax(x, -1), f32(64, 64))
    forward = seen.text("forward").splitlines()
    lines = [n for n, line in enumerate(forward, 1) if "torch.ops.aten" in line]
    assert all(seen.reached("forward", "lowered", line) for line in lines)
    blocks = [
        n
        for n, line in enumerate(seen.text("lowered").splitlines(), 1)
        if re.match(r"op\d+:", line)
    ]
    tied = {link.target_line for link in seen.links if link.target == "lowered"}
    assert set(blocks) == tied


def test_a_node_that_calls_another_operator_is_named() -> None:
    seen = look(lambda x: x.view(32), f32(4, 8))
    notes = seen.notes("post_grad")
    assert "Called another way: view (aten.view.default is aten.reshape.default)." in notes
    assert "left every node" not in notes
