import torch

from tutor.judge.spec import Case, Work


def fitted(features, times, asked, strength, *, change=""):
    """Predictions by an eigendecomposition. The option names a mistake."""
    kept = ~times.isnan()
    rows, y = features[kept], times[kept] if change == "no log" else times[kept].log2()
    mean, spread = rows.mean(0), rows.std(0, correction=1 if change == "correction" else 0)
    spread = torch.where(spread == 0, torch.ones_like(spread), spread)
    b = y.mean()
    z = (rows - mean) / spread
    values, vectors = torch.linalg.eigh(z.T @ z)
    added = 0.0 if change == "no penalty" else strength
    w = vectors @ ((vectors.T @ (z.T @ (y - b))) / (values + added))
    other = (mean, spread)
    if change == "own means":
        deviation = asked.std(0, correction=0)
        other = asked.mean(0), torch.where(deviation == 0, torch.ones_like(deviation), deviation)
    found = (asked - other[0]) / other[1] @ w + (0.0 if change == "no mean" else b)
    if change == "e":
        return found.exp()
    return found if change in ("no log", "in logs") else 2**found


def reference(features, times, asked, strength):
    return fitted(features, times, asked, strength)


eager = reference


def by_mistake(change):
    return lambda *args: fitted(*args, change=change)


NEAR_MISSES = (
    ("`asked` is standardised by its own mean and deviation", by_mistake("own means")),
    ("the penalty is missing", by_mistake("no penalty")),
    (
        "the standard deviation divides by one less than the number of rows",
        by_mistake("correction"),
    ),
    ("the times themselves are fitted, not their logarithms", by_mistake("no log")),
    ("it stays a logarithm", by_mistake("in logs")),
    ("the logarithm has base 2, and the way back base e", by_mistake("e")),
    ("the mean of the logarithms is missing", by_mistake("no mean")),
)


def work(features, times, asked, strength):
    numbers = features.numel() + times.numel() + asked.numel() + len(asked)
    return Work(bytes=8 * numbers, flops=2 * features.numel() * features.shape[1])


def scale(features, times, asked, strength):
    # A system of equations loses digits: errors grow with its condition.
    return 100 * fitted(features, times, asked, strength).abs()


def case(rows, columns, asked, strength, *, failed=0, constant=False, alike=False, view=False):
    def make(g):
        def normal(*shape):
            return torch.randn(shape, generator=g, device=g.device, dtype=torch.float64)

        features = 3 + 2 * normal(rows, columns)
        others = 1 + normal(asked, columns)
        weights = normal(columns) / columns**0.5
        times = 2 ** (6 + features @ weights * 0.5 + 0.1 * normal(rows))
        if alike:
            features[:, 1] = features[:, 0] + 0.2 * normal(rows)
        if constant:
            features[:, 0] = 4.0
        if failed:
            times[torch.randperm(rows, generator=g, device=g.device)[:failed]] = float("nan")
        if view:  # one column of tiny numbers, whose deviation is small and not 0
            features[:, -1] *= 1e-10
            others[:, -1] *= 1e-10
            features, others = features.T.contiguous().T, others.repeat(1, 2)[:, :columns]
        return features, times, others, strength

    return make


CASES = (
    Case("one feature", case(8, 1, 3, 0.1)),
    Case("five features", case(40, 5, 12, 0.5)),
    Case("some could not run", case(40, 5, 12, 0.5, failed=12)),
    Case("two that ran", case(9, 3, 4, 1.0, failed=7)),
    Case("more features than rows", case(6, 10, 5, 0.3)),
    Case("a constant column", case(20, 4, 6, 0.2, constant=True)),
    Case("two columns nearly alike", case(30, 4, 8, 0.01, alike=True)),
    Case("a strong penalty", case(20, 4, 6, 50.0)),
    Case("one that is asked", case(15, 4, 1, 0.2, failed=3)),
    Case("views, a column of tiny numbers", case(24, 6, 9, 0.2, failed=4, view=True)),
)
