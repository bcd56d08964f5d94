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


def numbers(net):
    """Everything that the network remembers, as one vector."""
    return torch.cat([each.flatten().float() for each in net.state_dict().values()])


def judged(net, fold_pass):
    """(wrong, left, changed) for one network, in float32."""
    generator = torch.Generator().manual_seed(11)
    for each in net.modules():
        if not isinstance(each, nn.BatchNorm2d):
            continue
        draws = torch.rand(4, 8, generator=generator) + 0.5
        signs = torch.tensor([1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
        each.running_mean[:], each.weight[:], each.bias[:] = draws[0], draws[1] * signs, -draws[2]
        each.running_var[:] = torch.where(torch.arange(8) % 3 == 0, 1e-8, draws[3])
    net.eval()
    classes = [*map(type, net.modules())]
    x = torch.randn(4, 8, 8, 8, generator=generator)
    want, before = net(x), numbers(net)
    folded = fold_pass(net)
    # Some hundred roundings of 6e-8 meet in a result: far from 1e-5 of the largest.
    wrong = (folded(x) - want).abs().amax() > 1e-5 * want.abs().amax()
    left = any(type(each) is nn.BatchNorm2d for each in folded.modules())
    changed = classes != [*map(type, net.modules())] or not torch.equal(before, numbers(net))
    return bool(wrong), left, changed


def verify(fold_pass):
    torch.manual_seed(11)  # of the convolutions' weights: by chance a bias can be too small to be seen
    block, traps = judged(Block(), fold_pass), judged(Traps(), fold_pass)
    for number, bad in ((1, block[0] or traps[0]), (3, block[2] or traps[2]), (2, block[1])):
        if bad:
            return number
    return 0


def verdicts(passes: list[str]) -> torch.Tensor:
    """A number for each pass, int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(verify(names["fold_pass"]))
    return torch.tensor(found)
