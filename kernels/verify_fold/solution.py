import torch
from torch import nn


class Block(nn.Module):
    """A ResNet block with a shortcut. All three pairs may be folded."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(8, 8, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1, groups=2)
        self.bn2 = nn.BatchNorm2d(8)
        self.short = nn.Sequential(nn.Conv2d(8, 8, 1, stride=2, bias=False), nn.BatchNorm2d(8))

    def forward(self, x):
        y = self.bn1(self.conv1(x)).relu()
        return (self.bn2(self.conv2(y)) + self.short(x)).relu()


class Traps(nn.Module):
    """A convolution that is read twice, one that is called twice, and a pair that may be folded."""

    def __init__(self):
        super().__init__()
        self.read, self.called, self.last = (nn.Conv2d(8, 8, 1) for _ in range(3))
        self.bn1, self.bn2, self.bn3, self.bn4 = (nn.BatchNorm2d(8) for _ in range(4))

    def forward(self, x):
        y = self.read(x)
        z = self.bn2(self.called(self.bn1(y) + y))
        return self.bn4(self.last(self.bn3(self.called(z))))


def trained(net):
    """The network with numbers as after a training, unkind ones, in float64 and eval mode."""
    torch.manual_seed(1)
    for norm in net.modules():
        if isinstance(norm, nn.BatchNorm2d):
            # Means and biases that cannot be forgotten, weights of either sign, and variances of
            # which some are so small that eps decides.
            norm.running_mean.normal_(1.0)
            norm.running_var.uniform_(0.5, 2.0)
            norm.running_var[::2] = 1e-8
            norm.weight.normal_()
            norm.bias.normal_(1.0)
    return net.eval().double()


def state(net):
    """Modules by name with class and mode, and a copy of every number."""
    kinds = {name: (type(each), each.training) for name, each in net.named_modules()}
    return kinds, {name: each.clone() for name, each in net.state_dict().items()}


def same(one, other):
    numbers = one[1].keys() == other[1].keys() and all(
        torch.equal(value, other[1][name]) for name, value in one[1].items()
    )
    return one[0] == other[0] and numbers


def verify(fold_pass) -> int:
    """0: right, 1: wrong results, 2: a batch norm is left, 3: the given network was changed."""
    changed = left = False
    for kind in (Block, Traps):
        net = trained(kind())
        x = torch.randn(3, 8, 7, 7, dtype=torch.float64)
        want, before = net(x), state(net)
        folded = fold_pass(net)
        # Between a rounding in float32, 1e-7, and the smallest mistake. An error is measured by
        # the largest result: single results may be near 0.
        if (folded(x) - want).abs().max() > 1e-5 * want.abs().max():
            return 1
        changed |= not same(before, state(net))
        if kind is Block:
            left = any(isinstance(each, nn.BatchNorm2d) for each in folded.modules())
    return 3 if changed else 2 if left else 0


def verdicts(passes: list[str]) -> torch.Tensor:
    """A number for each pass, int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(verify(names["fold_pass"]))
    return torch.tensor(found)
