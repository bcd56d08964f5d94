"""What PyTorch does beside a kernel: results that go into a launch or out of the call are named."""

import subprocess
import sys
from collections.abc import Callable

import pytest
import torch

from tutor.judge.interpreter.host_operations import HostOperations

X = torch.randn(4, 6)
Launch = Callable[..., None]


def names(call: Callable[[torch.Tensor, Launch], object]) -> list[str]:
    """The operations that are named for a call with `X`, whose launches do nothing."""
    return watched(call).names


def watched(call: Callable[[torch.Tensor, Launch], object]) -> HostOperations:
    host = HostOperations()

    def launch(*given: object) -> None:
        with host.launch(given):
            torch.zeros(3).mul(2)  # what an interpreter does inside

    with host.recording([X]):
        out = call(X, launch)
    host.end_call(out)
    return host


def test_copies_are_named_where_a_launch_or_the_caller_gets_them() -> None:
    def copies(x: torch.Tensor, launch: Launch) -> torch.Tensor:
        x.repeat(2, 2)  # goes nowhere
        launch(x.t().contiguous().view(-1)[1:])
        return torch.cat((x, x))

    assert watched(copies).copies == ["clone", "cat"]
    assert watched(copies).names == []
    assert watched(lambda x, launch: launch(x.contiguous(), x.t(), torch.empty(3))).copies == []


def makes_and_views(x: torch.Tensor, launch: Launch) -> torch.Tensor:
    out = torch.empty_like(x.contiguous())
    launch(x.t().contiguous().view(-1)[2:], out, torch.zeros(3).to(torch.float64))
    return out.unsqueeze(0).expand(2, 4, 6)


def only_looks(x: torch.Tensor, launch: Launch) -> torch.Tensor:
    assert float(x.abs().max()) < 1e9
    assert bool(torch.isfinite(x).all())
    out = torch.empty_like(x)
    launch(x, out)
    print(out.sum().item(), x.numpy().mean(), x.tolist()[0])
    return out


def gets_a_number(x: torch.Tensor, launch: Launch) -> torch.Tensor:
    out = torch.empty_like(x)
    launch(x, out, x.sum().item())
    return out


def gets_a_list(x: torch.Tensor, launch: Launch) -> torch.Tensor:
    return torch.tensor(x.tolist())


def gets_a_view(x: torch.Tensor, launch: Launch) -> torch.Tensor:
    half = (x * 0.5).t().contiguous()[1:]
    launch(half)
    return torch.empty_like(x)


def writes_in_place(x: torch.Tensor, launch: Launch) -> torch.Tensor:
    out = torch.empty_like(x)
    out.add_(x)
    return out


def returns_it(x: torch.Tensor, launch: Launch) -> torch.Tensor:
    launch(x)
    return torch.relu(x).clone()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (makes_and_views, []),
        (only_looks, []),
        (gets_a_number, ["sum"]),
        (gets_a_list, ["Tensor.tolist"]),
        (gets_a_view, ["mul"]),
        (writes_in_place, ["add_"]),
        (returns_it, ["relu"]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_an_operation_is_named_if_its_result_is_used(call, expected: list[str]) -> None:
    assert names(call) == expected


def test_an_address_that_is_used_again_is_not_marked() -> None:
    """Results that are thrown away stay in memory until the end of the call."""

    def call(x: torch.Tensor, launch: Launch) -> torch.Tensor:
        for _ in range(200):
            x.exp()
            launch(torch.empty(4, 6))
        return torch.empty(4, 6)

    assert names(call) == []


@pytest.mark.slow
def test_watching_imports_no_compiler() -> None:
    """Each worker would pay for it, a second of processor time."""
    program = (
        "import sys, torch\n"
        "from tutor.judge.interpreter.host_operations import HostOperations\n"
        "with HostOperations().recording([]): torch.ones(3).exp()\n"
        "print('torch._dynamo' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_names_are_few_and_each_stands_once() -> None:
    def call(x: torch.Tensor, launch: Launch) -> torch.Tensor:
        for work in (
            torch.exp,
            torch.sin,
            torch.cos,
            torch.tan,
            torch.abs,
            torch.neg,
            torch.sigmoid,
        ):
            launch(work(x), work(x))
        launch(torch.tanh(x), torch.sinh(x), torch.cosh(x), torch.erf(x))
        return x

    found = names(call)
    assert found == ["exp", "sin", "cos", "tan", "abs", "neg", "sigmoid", "tanh"]
