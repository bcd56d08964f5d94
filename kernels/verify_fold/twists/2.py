import copy

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


def unkind(net, seed):
    torch.manual_seed(seed)
    for norm in net.modules():
        if isinstance(norm, nn.BatchNorm2d):
            norm.running_mean.normal_(2.0)
            norm.running_var.uniform_(0.5, 1.5)[1::2] = 1e-8
            norm.weight.uniform_(0.5, 1.5).mul_(torch.tensor([1.0, -1.0, -1.0, 1.0] * 2))
            norm.bias.normal_(-1.0)
    return net.eval()


def verify(fold_pass) -> int:
    worst, codes = 0.0, {0}
    for seed in range(3):
        for kind in (Block, Traps):
            net = unkind(kind(), seed).double()
            twin = copy.deepcopy(net)
            x = torch.randn(1, 8, 5, 5, dtype=torch.float64)
            out = fold_pass(net)
            want = twin(x)
            worst = max(worst, ((out(x) - want).abs().max() / want.abs().max()).item())
            if str(twin) != str(net) or any(
                not torch.equal(a, b)
                for a, b in zip(twin.state_dict().values(), net.state_dict().values(), strict=False)
            ):
                codes.add(3)
            if kind is Block and "BatchNorm" in str(out):
                codes.add(2)
    return 1 if worst > 1e-5 else max(codes)


def verdicts(passes: list[str]) -> torch.Tensor:
    """A number for each pass, int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(verify(names["fold_pass"]))
    return torch.tensor(found)
