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
    left = changed = False
    for kind in (Traps, Block):
        net = unkind(kind(), 3).double()
        kept = {k: v.clone() for k, v in net.state_dict().items()}
        x = torch.randn(2, 8, 9, 9, dtype=torch.float64) * 3
        want = net(x)
        out = fold_pass(net)
        try:
            torch.testing.assert_close(out(x), want, rtol=0, atol=2e-6 * want.abs().max().item())
        except AssertionError:
            return 1
        try:
            torch.testing.assert_close(dict(net.state_dict()), kept, rtol=0, atol=0)
        except AssertionError:
            changed = True
        if kind is Block:
            left = any(isinstance(m, nn.BatchNorm2d) for m in out.children()) or any(
                isinstance(m, nn.BatchNorm2d) for c in out.children() for m in c.modules()
            )
    return 3 if changed else 2 * left


def verdicts(passes: list[str]) -> torch.Tensor:
    """A number for each pass, int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(verify(names["fold_pass"]))
    return torch.tensor(found)
