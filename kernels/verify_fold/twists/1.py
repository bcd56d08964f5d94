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
    # Three layers of 72 terms each, each rounded: some hundred eps, and cancellation on top.
    allowed = 500 * torch.finfo(torch.float32).eps
    codes = set()
    for kind in (Block, Traps):
        net = unkind(kind(), 0)
        x = torch.randn(4, 8, 6, 6)
        twin = copy.deepcopy(net)
        out = fold_pass(net)
        if (out(x) - twin(x)).norm() > allowed * twin(x).norm():
            return 1
        old, new = twin.state_dict(), net.state_dict()
        if old.keys() != new.keys() or not all(torch.equal(old[k], new[k]) for k in old):
            codes.add(3)
        if kind is Block and any(isinstance(m, nn.BatchNorm2d) for m in out.modules()):
            codes.add(2)
    return max(codes, default=0)


def verdicts(passes: list[str]) -> torch.Tensor:
    """A number for each pass, int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(verify(names["fold_pass"]))
    return torch.tensor(found)
