"""The text of each stage grows with the number of operations, and no faster."""

import time

import pytest
import torch
from capturing import Seen, f32, look

from tutor.xray.model.stages import MAX_TEXT

pytestmark = [
    pytest.mark.skipif(torch.cuda.is_available(), reason="it looks at a pretended GPU"),
    pytest.mark.slow,
]


def chain(steps: int) -> Seen:
    """Steps of a product and a sum; each product is used twice by the next, and by its sum."""

    def products(x: torch.Tensor) -> torch.Tensor:
        for _ in range(steps):
            x = x @ x + x
        return x

    return look(products, f32(64, 64), last_stage="wrapper")


def test_twice_the_operations_make_twice_the_text() -> None:
    short, long = chain(6), chain(12)
    assert long.failures == []
    for key, stage in long.stages.items():
        assert len(stage.text) <= 2.2 * len(short.text(key)) + 200, key


def test_a_buffer_is_named_where_it_is_used() -> None:
    def mixed(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x @ x
        return y[:, :4] @ w, torch.topk(y, 4).values

    text = look(mixed, f32(16, 16), f32(4, 4), last_stage="wrapper").text("lowered")
    assert "inputs=[arg0_1, arg0_1]," in text
    assert "inputs=[ReinterpretView(\n    buf0,\n" in text, "a view keeps its sizes"
    assert "inputs=[buf0]," in text, "topk's"
    assert text.count("name=buf0,") == 1


def test_torchs_own_optimizer_of_products() -> None:
    layer = torch.nn.Linear(32, 32, bias=False)
    layer.weight.grad = torch.ones_like(layer.weight)
    optimizer = torch.optim.Muon([layer.weight], lr=0.02)

    def step() -> None:
        optimizer.step()

    seen = look(step)
    assert seen.failures == []
    assert seen.count("wrapper", "extern_calls") == 15, "five steps of three products"
    assert max(len(stage.text) for stage in seen.stages.values()) < 100_000


@pytest.mark.budget
def test_a_chain_of_400_products_takes_seconds() -> None:
    def products(x: torch.Tensor, steps: int) -> torch.Tensor:
        for _ in range(steps):
            x = x @ x
        return x

    look(products, f32(64, 64), 2)  # imports
    started = time.process_time()
    seen = look(products, f32(64, 64), 400)
    took = time.process_time() - started
    assert seen.failures == []
    assert max(len(stage.text) for stage in seen.stages.values()) < MAX_TEXT / 4
    assert took < 10
