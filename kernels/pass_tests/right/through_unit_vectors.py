import copy

import torch
from torch import Tensor, nn


class Net(nn.Module):
    """An embedding whose weight the head has, layers with and without bias, one inside another module,
    one of 40 inputs, which 32 does not divide."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 64)
        self.norm = nn.LayerNorm(64)
        self.one = nn.Linear(64, 96)
        self.inner = nn.Sequential(nn.SiLU(), nn.Linear(96, 40, bias=False))
        self.odd = nn.Linear(40, 64)
        self.head = nn.Linear(64, 30, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, codes: Tensor) -> Tensor:
        y = self.embedding(codes)
        return self.head(y + self.odd(self.inner(self.one(self.norm(y)))))


SMALL = ("one", "inner.1")  # what gets four bits


def state(net: nn.Module):
    kinds = {name: type(each) for name, each in net.named_modules()}
    return kinds, {name: each.clone() for name, each in net.state_dict().items()}


def same(one, other) -> bool:
    equal = one[0] == other[0] and one[1].keys() == other[1].keys()
    return equal and all(torch.equal(each, other[1][name]) for name, each in one[1].items())


def size(net: nn.Module) -> int:
    """Return the bytes of parameters and buffers; memory that two share counts once."""
    held = {each.data_ptr(): each for each in (*net.parameters(), *net.buffers())}
    return sum(each.numel() * each.element_size() for each in held.values())


def nearest(w: Tensor) -> Tensor:
    """Return the weight rounded to nearest, as float numbers."""
    groups = w.view(len(w), -1, 32)
    scale = (groups.abs().amax(2, keepdim=True) / 7).half().float()
    return (torch.round(groups / scale) * scale).flatten(1)


def accept(quantise) -> bool:
    """Return whether a build keeps all promises."""
    torch.manual_seed(1)
    net = Net().eval().requires_grad_(False)
    # Groups of unlike size, so that each scale counts, and a bias that cannot be missed.
    net.one.weight[:, 32:] *= 3.0
    net.one.bias.normal_()
    # Code 29 is loud and comes in the last row only: no other row may notice it.
    net.embedding.weight[29, 0] = 50.0
    seen = torch.randint(0, 29, (40, 9))
    seen[-1, 0] = 29
    want, before, kept = net(seen), state(net), seen.clone()
    usual = copy.deepcopy(net)
    for name in SMALL:
        layer = usual.get_submodule(name)
        layer.weight.copy_(nearest(layer.weight))
    # Four bits a weight and 16 for each 32 of them; all else as it was.
    weights = sum(net.get_submodule(name).weight.numel() for name in SMALL)
    most = size(net) - 4 * weights + weights * 4.5 / 8

    new = quantise(net, seen)
    if not same(state(net), before) or not torch.equal(seen, kept):
        return False

    if size(new) > most:
        return False
    after = new.state_dict()
    for name, value in before[1].items():
        stays = not name.startswith(SMALL) or name.endswith("bias")
        if stays and (name not in after or not torch.equal(after[name], value)):
            return False

    # Each layer is read through unit vectors, and its numbers are judged.
    got = new(seen)
    for name in SMALL:
        layer, old = new.get_submodule(name), usual.get_submodule(name)
        unit = torch.eye(old.in_features)
        bias = layer(torch.zeros(4, old.in_features))
        if old.bias is not None and not torch.allclose(bias[0], old.bias, atol=1e-5):
            return False
        if not torch.isfinite(layer(unit) - bias[:1]).all():
            return False
    if not (got - want).square().sum() <= 1.2 * (usual(seen) - want).square().sum():
        return False
    return all(torch.allclose(new(seen[:n]), got[:n], rtol=1e-4, atol=1e-5) for n in (1, 2, 5))


def verdicts(builds: list[str]) -> Tensor:
    """1 for each build that is accepted, else 0. Leave it as it is."""
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        with torch.no_grad():
            found.append(int(accept(names["quantise"])))
    return torch.tensor(found)
