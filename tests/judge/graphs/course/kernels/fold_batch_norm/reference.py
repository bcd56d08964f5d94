import torch

from tutor.judge.spec import Case, Initializers, NoDead, Operators, Optimised, Work


def reference(x, w, b, scale, shift, mean, var):
    a = torch.nn.functional.conv2d(x, w, b)
    normal = torch.nn.functional.batch_norm(a, mean, var, scale, shift, eps=0.125)
    return torch.relu(normal)


eager = reference


def work(x, w, *channels):
    (n, _, h, wide), out = x.shape, len(w)
    cells = n * out * (h - 2) * (wide - 2)
    return Work(bytes=4 * (x.numel() + w.numel() + 5 * out + cells), flops=2 * cells * w[0].numel())


def scale(x, w, b, scale, shift, mean, var):
    factor = (scale / (var + 0.125).sqrt()).abs()[:, None, None]
    added = (b - mean).abs()[:, None, None] * factor + shift.abs()[:, None, None]
    return torch.nn.functional.conv2d(x.abs(), w.abs()) * factor + added


PROPERTIES = (
    Operators("BatchNormalization", most=0),
    Initializers(most=2),
    NoDead(),
    Optimised("extended", Operators("com.microsoft.FusedConv", 1, 1)),
)


def drawn(n, c, out, size):
    def make(g):
        def draw(*shape):
            return torch.randn(*shape, generator=g, device=g.device)

        per_channel = (draw(out), draw(out), draw(out), draw(out), draw(out).abs())
        return draw(n, c, size, size), draw(out, c, 3, 3), *per_channel

    return make


CASES = tuple(
    Case(f"{n} images of {c} to {out} channels, {size} wide", drawn(n, c, out, size))
    for n, c, out, size in (
        (1, 1, 1, 3),
        (2, 3, 3, 5),
        (1, 2, 5, 4),
        (3, 4, 2, 6),
        (2, 3, 4, 3),
        (1, 5, 3, 7),
    )
)
