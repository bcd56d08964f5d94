"""`tutor.judge.cases.training`: stages that together are the tiny model, Adam by shares, orders."""

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor

from tutor.judge.cases import pipelines, tiny_lm, training
from tutor.judge.cases.training import Adam, Stage


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with training.one_thread():
        yield


def text(count: int, rows: int, tokens: int) -> Tensor:
    codes = tiny_lm.held_out()
    return codes[: count * rows * (tokens + 1)].view(count, rows, tokens + 1)


def run(stages: list[Stage], number: int) -> None:
    x = None
    for stage in stages:
        x = stage.forward(number, x)
    for stage in reversed(stages):
        x = stage.backward(number, None if stage.last else x)


def test_the_stages_have_the_logits_and_weights_of_the_model() -> None:
    codes = text(1, 2, 9)
    model = tiny_lm.load("target").double()
    with torch.no_grad():
        logits = model(codes[0, :, :-1])
    want = torch.nn.functional.cross_entropy(logits.flatten(0, 1), codes[0, :, 1:].flatten())
    own = model.embedding.weight.numel() + 1  # the logits' own matrix and scale
    for stages in range(1, 6):
        parts = [Stage(stage, stages) for stage in range(stages)]
        x = None
        for part in parts:
            part.load(codes)
            x = part.forward(0, x)
        assert x is not None
        assert abs(x.item() - want.item()) < 1e-6  # the model's positions are float32
        sizes = [len(part.weights) for part in parts]
        assert sizes == training.count_weights(stages)
        assert sum(sizes) == sum(each.numel() for each in model.parameters()) + own


def test_gradients_do_not_depend_on_where_the_model_is_cut() -> None:
    codes = text(2, 1, 7)
    found = []
    for stages in (1, 3, 5):
        parts = [Stage(stage, stages) for stage in range(stages)]
        for part in parts:
            part.load(codes)
        for number in range(2):
            run(parts, number)
        found.append(torch.cat([part.gradient for part in parts]))
    torch.testing.assert_close(found[1], found[0], rtol=0, atol=1e-13)
    torch.testing.assert_close(found[2], found[0], rtol=0, atol=1e-13)


def test_a_stage_counts_what_it_keeps_and_in_which_order() -> None:
    stage = Stage(0, 2)
    stage.load(text(3, 1, 5))
    one = training.count_saved(0, 2, 1, 5)
    for number in (0, 1):
        stage.forward(number)
    for number in (0, 1):
        stage.backward(number, torch.ones(stage.shape, dtype=torch.float64))
    assert (stage.most_alive, stage.most_saved) == (2, 2 * one)
    assert [training.tell_call(each) for each in stage.order] == ["F0", "F1", "B0", "B1"]
    row = training.report(stage, stage.gradient)
    assert torch.equal(row[: training.FOLDED], training.fold(stage.gradient))
    assert row[training.FOLDED :].tolist() == [1, 2, -1, -2, 0, 0, 2 * one, 0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda first, last: first.forward(0, torch.ones(1)), "is given None"),
        (lambda first, last: last.forward(0), "is given None"),
        (lambda first, last: last.forward(0, torch.ones(1, 5, 96)), "expected float64"),
        (lambda first, last: first.backward(0, torch.ones(1)), "was not forward"),
        (lambda first, last: (first.forward(0), first.forward(0)), "was forward already"),
        (lambda first, last: (first.forward(0), first.backward(0)), "is given None"),
    ],
)
def test_a_stage_refuses_what_it_cannot_use(
    call: Callable[[Stage, Stage], object], words: str
) -> None:
    stages = Stage(0, 2), Stage(1, 2)
    for stage in stages:
        stage.load(text(1, 1, 5))
    with pytest.raises(ValueError, match=words):
        call(*stages)


def test_there_are_no_more_stages_than_units() -> None:
    with pytest.raises(ValueError, match="at most 5"):
        training.units_of(0, 6)
    assert [list(training.units_of(stage, 2)) for stage in range(2)] == [[0, 1, 2], [3, 4]]


def test_a_number_that_is_off_or_elsewhere_changes_what_is_folded() -> None:
    numbers = torch.linspace(1, 2, 10_000, dtype=torch.float64)
    folded = training.fold(numbers)
    assert folded.shape == (training.FOLDED,)
    other = numbers.clone()
    other[9_000] += 1e-3
    assert (training.fold(other) != folded).sum() == 1
    swapped = numbers[torch.tensor([0, *range(2, 10_000), 1])]
    assert (training.fold(swapped) - folded).abs().max() > 1e-3


@pytest.mark.slow  # it imports torch.optim
def test_adam_is_that_of_torch_and_may_be_cut_into_shares() -> None:
    stage = Stage(1, 2)
    g = torch.Generator().manual_seed(5)
    start = torch.randn(7, generator=g, dtype=torch.float64)
    wanted = start.clone().requires_grad_()
    torch_adam = torch.optim.Adam(
        [wanted],
        lr=training.RATE,
        betas=(training.DECAY, training.SQUARES),
        eps=training.EPS,
    )
    whole, shared = start.clone(), start.clone()
    one, shares = Adam(stage, 7), (Adam(stage, 4), Adam(stage, 3))
    assert stage.held == 28
    for _ in range(3):
        gradient = torch.randn(7, generator=g, dtype=torch.float64)
        wanted.grad = gradient
        torch_adam.step()
        one.update(whole, gradient)
        shares[0].update(shared[:4], gradient[:4])
        shares[1].update(shared[4:], gradient[4:])
    torch.testing.assert_close(whole, wanted.detach(), rtol=0, atol=1e-14)
    assert torch.equal(whole, shared)


@pytest.mark.parametrize(("stages", "count"), [(1, 3), (2, 4), (4, 2), (4, 6)])
def test_the_order_of_1f1b_keeps_few_and_loses_no_time(stages: int, count: int) -> None:
    orders = [
        [training.tell_call(each) for each in training.order_1f1b(stage, stages, count)]
        for stage in range(stages)
    ]
    ran = pipelines.run_orders(orders, pipelines.Pipe(stages, count))
    assert ran.time == 3 * (count + stages - 1)
    assert list(ran.alive) == [min(stages - stage, count) for stage in range(stages)]


def test_alone_the_loss_falls() -> None:
    codes = text(1, 4, 12)[0]
    ((gradient, change),) = training.train_alone(1, [codes] * 2)
    assert (gradient @ change).item() < 0
