"""What ran before in a process does not change what an X-ray shows."""

import random
import re
from collections import defaultdict
from pathlib import Path

import pytest
import torch
from running import run
from torch._inductor.fx_passes import fuse_attention, joint_graph
from torch._subclasses.fake_tensor import FakeTensorMode

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="it looks at a pretended GPU")

FILE = Path(__file__).with_name("stateful.py")
# (what loading the file sets, function)
REQUESTS = (
    ("tf32", "product"),
    ("tf32 of products", "attend_by_hand"),
    ("tf32 of all", "product"),
    ("", "attend_by_hand"),
    ("double", "shifted"),
    ("", "shifted"),
    ("deterministic", "scattered"),
    ("inductor", "normalized"),
    ("no_grad", "printed"),
    ("", "product"),
)
SHAPES = {"attend": "f32[2,16,64]", "attend_by_hand": "f32[2,16,64]"}
STAGES = ("dynamo", "joint", "forward", "lowered", "ir_post_fusion", "wrapper")


def show(monkeypatch: pytest.MonkeyPatch, request: tuple[str, str]) -> dict[str, str]:
    """Return the stages that a request decides, without addresses and temporary folders."""
    state, name = request
    monkeypatch.setenv("XRAY_TEST_STATE", state)
    shown = run(FILE, name, SHAPES.get(name, "f32[8,8]"), stage="wrapper")
    assert shown.failures == ()
    return {
        key: re.sub(r"0x[0-9a-f]+|# kernel path: .*", "", stage.text) + "\n".join(stage.notes)
        for key, stage in shown.stages.items()
        if key.split(":")[0] in STAGES
    }


@pytest.mark.slow
def test_ten_functions_in_four_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one leaves behind is there for all that come later, and at most once for those before it."""
    first = {request: show(monkeypatch, request) for request in REQUESTS}
    shuffle = random.Random(7)
    orders = [REQUESTS[::-1], *(shuffle.sample(REQUESTS, len(REQUESTS)) for _ in range(2))]
    for order in orders:
        for request in order:
            assert show(monkeypatch, request) == first[request], (request, order)


def test_what_a_compilation_for_the_cpu_registered_is_asked_for_the_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # torch registers what finds attention once in a process, with functions that it looks up then
    asked = ("", "attend_by_hand")
    first = show(monkeypatch, asked)
    monkeypatch.setattr(joint_graph.patterns, "patterns", defaultdict(list))
    monkeypatch.setattr(joint_graph.patterns, "seen_patterns", defaultdict(list))
    with FakeTensorMode():
        fuse_attention._sfdp_init.__wrapped__(torch.device("cpu"))
    assert show(monkeypatch, asked) == first
    assert "scaled_dot_product" not in first["wrapper"]
    assert "scaled_dot_product" in show(monkeypatch, ("tf32", "attend_by_hand"))["wrapper"]


@pytest.mark.slow
def test_a_setting_from_outside_is_neither_seen_nor_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ("", "attend")
    strict = show(monkeypatch, request)
    before = torch.get_float32_matmul_precision(), torch.get_rng_state()
    try:
        torch.set_float32_matmul_precision("high")
        torch.set_default_dtype(torch.float64)
        assert show(monkeypatch, request) == strict
        assert torch.get_float32_matmul_precision() == "high"
        assert torch.get_default_dtype() is torch.float64
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.set_default_dtype(torch.float32)
    assert torch.equal(torch.get_rng_state(), before[1])
