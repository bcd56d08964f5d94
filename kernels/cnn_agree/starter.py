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


def agree(form, dtype) -> int:
    """0: agrees, 1: shape, dtype, layout, 2: not finite, 3: changes something, 4: wrong numbers."""
    net = Net(0)
    x = torch.randn(2, 3, 16, 16)
    got, want = form(net, x), net(x)
    # A beginning. What does it not see? How far may a
    # right form be off in `dtype`?
    if got.shape != want.shape:
        return 1
    return 0 if (got - want).abs().max() < 1e-6 else 4


def cnn_agree(forms: list[str]) -> torch.Tensor:
    """A number for each form, int64. Leave it as it is."""
    found = []
    for text in forms:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(agree(names["form"], names["DTYPE"]))
    return torch.tensor(found)
