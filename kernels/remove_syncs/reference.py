import torch

from tutor.judge.spec import Case, Work


def reference(x, y, w, rate):
    losses = []
    for batch, labels in zip(x, y, strict=True):
        known = ~torch.isnan(labels)
        samples, error = batch[known], batch[known] @ w - labels[known]
        losses.append((error * error).mean())
        gradient = 2 * samples.T @ error / len(error)
        norm = float(gradient.norm())
        w = w - rate * (gradient / norm if norm > 1 else gradient)
    return torch.cat([torch.stack(losses), w])


def eager(x, y, w, rate):
    return reference(x, y, w, rate)


def work(x, y, w, rate):
    steps, batch, features = x.shape
    moved = (x.numel() + y.numel() + 2 * w.numel() + steps) * x.element_size()
    return Work(bytes=moved, flops=4 * steps * batch * features)


def scale(x, y, w, rate):
    # The largest loss and weight on the way: rounding grows with the sums behind them.
    out = reference(x, y, w, rate)
    return out.abs().max() + x.abs().amax() ** 2 * (1 + w.abs().sum())


def check_found(found):
    """("too-many-syncs", sentence, line) where the function makes the CPU wait too often, else None."""
    few, many = (sum(times for _, _, times in found[f"after {n}"]) for n in (3, 9))
    if many <= 1 and few <= 1 and found["mixed"]:
        return "crash", (
            f"On a GPU line {found['mixed']} would fail: it joins a tensor of the CPU with one of the "
            "GPU. What is made without `device=` is on the CPU."
        ), found["mixed"]
    if many <= 1 and few <= 1:
        return None
    line, reason, times = found["after 9"][0]
    where = f"line {line} {reason}" if line else f"something {reason}"
    sentence = (
        f"The CPU would wait {many} times, however many steps there are; once is enough. For "
        f"example: {where}."
    )
    if many > few:
        sentence = (
            f"In 9 steps the CPU would wait {many} times for the GPU, in 3 steps {few} times. "
            f"Most often: {where}, {times} times."
        )
    return "too-many-syncs", sentence, line or None


def changed(x, y, w, rate, *, by_all=False, always=None):
    """The result with one mistake in it, in float64."""
    x, y, w = x.double(), y.double(), w.double()
    losses = []
    for batch, labels in zip(x, y, strict=True):
        known = ~torch.isnan(labels)
        error = batch[known] @ w - labels[known]
        count = len(labels) if by_all else len(error)
        losses.append((error * error).sum() / count)
        gradient = 2 * batch[known].T @ error / count
        norm = float(gradient.norm())
        clips = norm > 1 if always is None else always
        w = w - rate * (gradient / norm if clips else gradient)
    return torch.cat([torch.stack(losses), w])


NEAR_MISSES = (
    (
        "the loss and the gradient are divided by the whole batch, not by the known samples",
        lambda *args: changed(*args, by_all=True),
    ),
    (
        "the gradient is divided by its norm also where that is below 1",
        lambda *args: changed(*args, always=True),
    ),
    ("the gradient is not clipped", lambda *args: changed(*args, always=False)),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def batches(g, steps, batch, features, missing=0.3, size=1.0):
    """Samples with noise in the labels; a share of the labels is missing, the first never."""
    x = size * normal(g, steps, batch, features)
    y = x @ normal(g, features) + 0.1 * normal(g, steps, batch)
    lost = torch.rand(steps, batch, generator=g, device=g.device) < missing
    lost[:, 0] = False
    return x, y.masked_fill(lost, float("nan")), normal(g, features), 0.1


def sized(*shape, **options):
    return lambda g: batches(g, *shape, **options)


def in_views(g):
    x, y, w, rate = batches(g, 4, 6, 5)
    return x.transpose(1, 2).contiguous().transpose(1, 2), y.repeat(1, 2)[:, ::2], w, rate


CASES = (
    Case("one step, one sample", sized(1, 1, 1)),
    Case("one step, all labels known", sized(1, 8, 3, missing=0.0)),
    Case("ten steps", sized(10, 16, 4)),
    Case("half of the labels missing", sized(6, 12, 3, missing=0.5)),
    Case("one label left in each batch", sized(5, 7, 3, missing=1.0)),
    Case("small gradients, no clipping", sized(6, 20, 3, size=0.05)),
    Case("large gradients, clipping", sized(6, 20, 3, size=8.0)),
    Case("many features", sized(3, 9, 40)),
    Case("a rate of zero", lambda g: (*batches(g, 3, 5, 2)[:3], 0.0)),
    Case("weights of zero", lambda g: (*(a := batches(g, 4, 6, 3))[:2], torch.zeros(3), a[3])),
    Case("views", in_views),
    Case("thirty steps", sized(30, 8, 2)),
)
