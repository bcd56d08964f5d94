import torch
from torch import Tensor, nn


class Net(nn.Module):
    """Two linear layers."""

    def __init__(self):
        super().__init__()
        self.one = nn.Linear(64, 96, bias=False)
        self.two = nn.Linear(96, 32, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.two(self.one(x).relu())


def accept(quantise) -> bool:
    """Return whether a build keeps all promises."""
    net = Net().eval().requires_grad_(False)
    seen = torch.randn(40, 64)
    want = net(seen)
    # A beginning. What does it not see?
    return torch.allclose(quantise(net, seen)(seen), want, atol=0.5)


def verdicts(builds: list[str]) -> Tensor:
    """1 for each build that is accepted, else 0. Leave it as it is."""
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(int(accept(names["quantise"])))
    return torch.tensor(found)
