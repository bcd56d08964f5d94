from itertools import pairwise

import torch

from tutor.judge.spec import Case, NoDead, Operators, Optimised, Work


def split(held):
    """The six tensors of each block, and the three of the linear layer."""
    return [held[at : at + 6] for at in range(0, len(held) - 3, 6)], held[-3:]


def reference(x, plan, *held):
    blocks, linear = split(held)
    for weight, bias, scale, shift, mean, var in blocks:
        x = torch.nn.functional.conv2d(x, weight, bias, padding=1)
        x = torch.relu(torch.nn.functional.batch_norm(x, mean, var, scale, shift))
    weight, gain, bias = linear
    return x.flatten(1) @ (weight * gain) + bias


eager = reference


def work(x, plan, *held):
    blocks, linear = split(held)
    cells = [x[:, 0].numel() * len(parts[0]) for parts in blocks]
    flops = sum(2 * n * parts[0][0].numel() for n, parts in zip(cells, blocks, strict=True))
    rows = len(x) * linear[0].shape[1]
    return Work(
        bytes=4 * (x.numel() + sum(each.numel() for each in held) + rows),
        flops=flops + 2 * rows * len(linear[0]),
    )


PROPERTIES = (
    # The model itself keeps what it computes with: the levels shall fold it, nobody else.
    *(Operators(name, 1) for name in ("Conv", "BatchNormalization", "Relu", "Mul")),
    NoDead(),
    Optimised("basic", Operators("BatchNormalization", most=0)),
    Optimised("basic", Operators("Mul", most=0)),
    Optimised("extended", Operators("Relu", most=0)),
)


def case(name, channels=(3, 4), size=4, images=2, why="", **plan):
    """A case of so many channels before and after each convolution; `plan`: see model.py."""
    ways = {"ir": ("8",), **plan}
    plan = [f"{way} {what}" for way, names in ways.items() for what in names]

    def make(g):
        def draw(*sizes):
            return torch.randn(*sizes, generator=g, device=g.device)

        held = []
        for c, n in pairwise(channels):
            held += [draw(n, c, 3, 3), *(draw(n) for _ in range(4)), draw(n).abs() + 0.5]
        wide = channels[-1] * size * size
        linear = (draw(wide, 5) / wide**0.5, draw(1, 5), draw(5))
        return draw(images, channels[0], size, size), plan, *held, *linear

    return Case(name, make, why)


ALL = ("weight", "bias", "scale", "shift", "mean", "var", "gain", "first", "rest")
CASES = (
    case("nothing in the way"),
    case("every constant is an input", listed=ALL),
    case("one variance is an input", channels=(1, 3, 2), listed=("b2.var",)),
    case("the gain is an input", size=2, images=1, listed=("out.gain",)),
    case("a probe on the convolution", dead=("conv1",)),
    case("sizes of the convolution", shape=("conv1",)),
    case("sizes of the norm", channels=(1, 2, 3), images=3, shape=("norm2",)),
    case("probes", (2, 3, 2), 3, dead=("conv1", "norm1", "conv2"), shape=("relu2",)),
    case("IR version 3", ir=("3",), size=3),
    case("IR version 3, a probe and sizes", ir=("3",), dead=("conv1",), shape=("norm1",)),
    case("all of it", (2, 2, 3), listed=ALL, dead=("norm1", "conv2"), shape=("conv2",)),
)
