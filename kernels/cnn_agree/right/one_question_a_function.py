"""Asks one question in each function, over calls that were made before."""

import torch
from torch import nn


class Net(nn.Module):
    """Two convolutions with batch norms, a pool, a sum around the second, a linear layer."""

    def __init__(self, seed=0):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(8), nn.BatchNorm2d(8)
        self.linear = nn.Linear(512, 10)
        g = torch.Generator().manual_seed(seed)
        for name, value in self.state_dict().items():
            if value.dim():  # all but the counters of batches
                drawn = torch.randn(value.shape, generator=g) / value[0].numel() ** 0.5
                value.copy_(drawn.abs() + 0.5 if "var" in name else drawn)
        self.eval()

    def forward(self, x):  # [N, 3, 16, 16]
        y = torch.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 2)
        y = torch.relu(self.bn2(self.conv2(y)) + y)
        return self.linear(y.flatten(1))  # [N, 10]


LENGTH = 512
EPS = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


def calls(form):
    """Three calls: their results, and inputs and parameters before and after."""
    made = []
    for seed in range(3):
        g = torch.Generator().manual_seed(100 + seed)
        x = torch.rand(4, 3, 16, 16, generator=g) * 20 - 10
        x[1] = 0
        x[2] /= 10
        net, twin = Net(seed + 5), Net(seed + 5)
        want = twin.to(torch.float64)(x.to(torch.float64))
        copy = x.clone()
        got = form(net, x)
        made.append((net, Net(seed + 5), x, copy, got, got.clone(), want))
    return made


def has_form(got, want):
    return got.dtype is torch.float32 and got.shape == want.shape and got.stride() == (10, 1)


def is_near(got, want, dtype):
    allowed = 2 * LENGTH**0.5 * EPS["float32"] + (5 * EPS[dtype] if dtype != "float32" else 0)
    largest = want.abs().max(dim=1, keepdim=True).values
    return bool(((got - want).abs() <= allowed * largest).all())


def untouched(net, twin, x, copy, got, kept):
    numbers = [each.state_dict().values() for each in (net, twin)]
    pairs = [*zip(*numbers, strict=True), (x, copy), (got, kept)]
    return all(torch.equal(a, b) for a, b in pairs)


def agree(form, dtype) -> int:
    """0: agrees, 1: shape, dtype, layout, 2: not finite, 3: changes something, 4: wrong numbers."""
    made = calls(form)
    if not all(has_form(got, want) for *_, got, _, want in made):
        return 1
    if any(torch.isnan(kept).any() or torch.isinf(kept).any() for *_, kept, _ in made):
        return 2
    if not all(untouched(*each[:-1]) for each in made):
        return 3
    return 0 if all(is_near(kept, want, dtype) for *_, kept, want in made) else 4


def cnn_agree(forms: list[str]) -> torch.Tensor:
    """A number for each form, int64. Leave it as it is."""
    found = []
    for text in forms:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(agree(names["form"], names["DTYPE"]))
    return torch.tensor(found)
