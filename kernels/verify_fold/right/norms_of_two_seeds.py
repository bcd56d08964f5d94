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


def verify(fold_pass):
    touched = left = False
    for seed in (3, 4):
        for make in (Block, Traps):
            torch.manual_seed(seed)
            net = make().double().eval()
            for name, value in net.named_buffers():
                if value.is_floating_point():
                    value.copy_(torch.rand_like(value) * 2 + 0.1)
                if name.endswith("running_var"):
                    value[seed::3] = 1e-8
            for value in net.parameters():
                value.add_(torch.randn_like(value))
            kept = copy.deepcopy(net)
            x = torch.randn(2, 8, 5, 5, dtype=torch.float64)
            out = fold_pass(net)
            want = kept(x)
            if (out(x) - want).norm() > 3e-6 * want.norm():
                return 1
            touched |= repr(net) != repr(kept)
            for old, new in zip(
                kept.state_dict().values(), net.state_dict().values(), strict=False
            ):
                touched |= not torch.equal(old, new)
            left |= make is Block and "BatchNorm2d" in {type(m).__name__ for m in out.modules()}
    return 3 if touched else 2 if left else 0


def verdicts(passes: list[str]) -> torch.Tensor:
    """A number for each pass, int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(verify(names["fold_pass"]))
    return torch.tensor(found)
