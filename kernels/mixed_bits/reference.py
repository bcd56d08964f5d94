import functools

import torch

from tutor.judge.cases import tiny_lm
from tutor.judge.cases.weight_bits import WIDTHS, matrices, stored_bytes
from tutor.judge.spec import Case, Work

UNIT = 2.0**20
PROMISED = (
    ("`n` is 1 to 22 and `k` is 1 to 5", lambda size, loss, budget: fits_form(size, loss)),
    ("The budget is at most 250,000.", lambda size, loss, budget: budget <= 250_000),
    ("Sizes are 1 or more.", lambda size, loss, budget: bool((size >= 1).all())),
    ("At least one choice fits.", lambda size, loss, budget: int(size.amin(1).sum()) <= budget),
    (
        "Losses are multiples of 2⁻²⁰ and below 16 in magnitude",
        lambda size, loss, budget: bool(
            (loss.abs() < 16).all() and (loss * UNIT == (loss * UNIT).round()).all()
        ),
    ),
    ("only one choice is left then", lambda size, loss, budget: solve(size, loss, budget)[2] == 1),
)


def fits_form(size, loss):
    return size.shape == loss.shape and 1 <= size.shape[0] <= 22 and 1 <= size.shape[1] <= 5


def solve(size, loss, budget):
    """The best choice, (loss, bytes) of it, and how many choices have just these.

    Backwards from the last matrix, in whole multiples of 2⁻²⁰. A point of the front says how many ways
    lead to it, and the way is read off at the end.
    """
    size = size.long().tolist()
    units = (loss.double() * UNIT).round().long().tolist()
    least = [min(row) for row in size]
    fronts = [{0: (0, 1, None)}]
    for place in reversed(range(len(size))):
        grown = {}
        room = budget - sum(least[:place])
        for taken, (lost, ways, _) in fronts[-1].items():
            for column, (more, worse) in enumerate(zip(size[place], units[place], strict=True)):
                now, loss_now = taken + more, lost + worse
                if now > room:
                    continue
                old = grown.get(now)
                if old is None or loss_now < old[0]:
                    grown[now] = (loss_now, ways, (column, taken))
                elif loss_now == old[0]:
                    grown[now] = (loss_now, old[1] + ways, old[2])
        front, best = {}, None
        for now in sorted(grown):
            if best is None or grown[now][0] < best:
                front[now] = grown[now]
                best = grown[now][0]
        fronts.append(front)
    taken = max(fronts[-1])
    lost, ways, _ = fronts[-1][taken]
    chosen, now = [], taken
    for front in reversed(fronts[1:]):
        column, now = front[now][2]
        chosen.append(column)
    return torch.tensor(chosen), (lost / UNIT, taken), ways


@functools.lru_cache(256)
def solved(size, loss, budget):
    return solve(torch.tensor(size), torch.tensor(loss, dtype=torch.float64), budget)


def found(size, loss, budget):
    rows = (tuple(map(tuple, each.tolist())) for each in (size.long(), loss))
    return solved(*rows, budget)


def reference(size, loss, budget):
    return found(size, loss, budget)[0].clone()


eager = reference


def work(size, loss, budget):
    return Work(bytes=16 * size.numel() + 8 * len(size), flops=0)


def greedy(per_byte, size, loss, budget):
    """Widen from the fewest bytes: the step that saves the most, for a byte or at all."""
    size = size.long()
    chosen = size.argmin(1).tolist()
    left = budget - int(size.amin(1).sum())
    while True:
        best = None
        for i, now in enumerate(chosen):
            for j in range(size.shape[1]):
                more, saved = int(size[i, j] - size[i, now]), float(loss[i, now] - loss[i, j])
                if saved > 0 and 0 < more <= left:
                    step = (saved / more if per_byte else saved, i, j, more)
                    best = step if best is None or step > best else best
        if best is None:
            return torch.tensor(chosen)
        chosen[best[1]], left = best[2], left - best[3]


def changed_loss(change):
    def miss(size, loss, budget):
        try:
            return solve(size, change(loss), budget)[0]
        except KeyError:
            return torch.zeros(len(size), dtype=torch.int64)

    return miss


NEAR_MISSES = (
    (
        "the step that saves the most loss for a byte is taken first",
        lambda size, loss, budget: greedy(True, size, loss, budget),
    ),
    (
        "the step that saves the most loss is taken first",
        lambda size, loss, budget: greedy(False, size, loss, budget),
    ),
    (
        "each matrix has the width at which it loses least, and there is no budget",
        lambda size, loss, budget: loss.argmin(1),
    ),
    ("a negative loss is read as 0", changed_loss(lambda loss: loss.clamp(min=0))),
)


def explain_wrong(got, size, loss, budget):
    """Say what the returned choice takes and loses beside the best one."""
    _want, (lost, taken), _ = found(size, loss, budget)
    if bool(((got < 0) | (got >= size.shape[1])).any()):
        return f"There are columns 0 to {size.shape[1] - 1}, and you return {got.tolist()}."
    rows = torch.arange(len(size))
    mine = int(size.long()[rows, got].sum())
    own = float(loss[rows, got].sum())
    if mine > budget:
        return f"Your choice takes {mine:,} bytes, and {budget:,} are allowed."
    if own > lost:
        return f"Your choice loses {own:.10g}; {lost:.10g} is possible, with {taken:,} bytes."
    return f"Your choice loses {own:.10g} with {mine:,} bytes; {taken:,} bytes lose no more."


def fixed(sizes, losses, budget):
    size, loss = torch.tensor(sizes), torch.tensor(losses, dtype=torch.float64)
    assert solve(size, loss, budget)[2] == 1, "two choices are the best"
    return lambda g: (size.clone(), loss.clone(), budget)


def exact(loss):
    return (loss * UNIT).round() / UNIT


def drawn(n, k, share, *, just=False, fall=True, sizes=(3, 40), shuffled=False):
    """Sizes that grow with the column and losses that mostly fall. Drawn until one choice is best."""

    def make(g):
        while True:
            size = torch.randint(*sizes, (n, k), generator=g).cumsum(1)
            loss = torch.rand(n, k, generator=g, dtype=torch.float64) * 4.0
            loss = loss.sort(1, descending=True).values ** 2 / 2 if fall else loss - 2
            loss = exact(loss)
            if shuffled:
                order = torch.rand(n, k, generator=g).argsort(1)
                size, loss = size.gather(1, order), loss.gather(1, order)
            least, most = int(size.amin(1).sum()), int(size.amax(1).sum())
            budget = least + int((most - least) * share)
            if just:
                budget = solve(size, loss, budget)[1][1]
            if solve(size, loss, budget)[2] == 1:
                return size, loss, budget

    return make


def tiny(share, jitter):
    """The tiny model's matrices, in 3 to 8 bits; losses that fall by four a bit, about."""

    def make(g):
        whole = list(matrices(tiny_lm.load("target")).values())
        size = torch.tensor([[stored_bytes(w, bits) for bits in WIDTHS] for w in whole])
        while True:
            base = 4.0 ** torch.randn(len(whole), 1, generator=g, dtype=torch.float64) / 64
            bits = torch.tensor(WIDTHS, dtype=torch.float64)
            noise = torch.randn(size.shape, generator=g, dtype=torch.float64)
            loss = exact(base * 4.0 ** (3 - bits) * (jitter * noise).exp())
            budget = int(314_016 * 4 * share)
            if solve(size, loss, budget)[2] == 1:
                return size, loss, budget

    return make


def by_bytes(g):
    """Draw matrices of two widths that save about as much for each byte: many choices compete."""
    while True:
        more = torch.randint(75, 150, (22,), generator=g)
        gain = more.double() / 64 + torch.randint(0, 4096, (22,), generator=g).double() / UNIT
        size = torch.stack((torch.ones_like(more), 1 + more), 1)
        loss = torch.stack((torch.full_like(gain, 8), 8 - gain), 1)
        budget = 22 + int(more.sum()) // 2
        if solve(size, loss, budget)[2] == 1:
            return size, loss, budget


def views(g):
    size, loss, budget = drawn(8, 4, 0.5)(g)
    return size.t().contiguous().t(), loss.repeat_interleave(2, 1)[:, ::2], budget


def nearly(g):
    """Losses near 15 that differ by some millionths: their sums are exact in float64 alone."""
    size = torch.tensor([[1, 6], [1, 5], [1, 8], [1, 4], [1, 7], [1, 3]])
    gain = torch.tensor([13, 10, 18, 7, 15, 5], dtype=torch.float64) / UNIT
    loss = torch.stack((torch.full_like(gain, 15), 15 - gain), 1)
    return size, loss, 22


CASES = (
    Case(
        "two matrices, and room for one",
        fixed(((1, 7), (1, 4)), ((9, 1), (6, 2)), 8),
    ),
    Case(
        "the best step for a byte blocks the better pair",
        fixed(((1, 7, 9), (1, 6, 8), (1, 5, 9)), ((12, 2, 1), (9, 2, 1), (8, 2, 1.5)), 12),
    ),
    Case(
        "just enough for the fewest bytes",
        fixed(((4, 2), (3, 9), (5, 8)), ((1, 3), (7, 0), (2, 1)), 10),
    ),
    Case(
        "everything fits, and more bits lose more",
        fixed(((2, 4, 8), (2, 4, 8), (3, 6, 12)), ((5, 1, 2), (4, 3, 1), (6, 5, 5.5)), 60),
    ),
    Case(
        "as little loss, with fewer bytes",
        fixed(((6, 3, 9), (4, 8, 2), (5, 7, 1)), ((2, 2, 4), (1, 1, 3), (0, 0, 3)), 30),
    ),
    Case(
        "as little loss by two ways",
        fixed(((1, 3, 6), (1, 4, 6), (2, 5, 9)), ((6, 4, 1), (5, 2, 0), (4, 2, 1)), 14),
    ),
    Case(
        "a choice in the hollow of the front",
        fixed(((2, 6, 10), (2, 6, 10)), ((10, 6, 0), (9, 5.5, 0.25)), 12),
    ),
    Case(
        "losses that were gains",
        fixed(((2, 4, 7), (3, 5, 6), (1, 2, 9)), ((2, -0.5, -1), (1, -2, -0.25), (-1, -1.25, -3)), 16),
    ),
    Case("losses that nearly agree", nearly),
    Case("one matrix", fixed(((9, 4, 6, 2, 12),), ((0.5, 3, 1, 8, 0.25),), 10)),
    Case("one width", fixed(((9,), (4,), (2,)), ((1,), (2,), (3,)), 15)),
    Case("seven matrices, drawn", drawn(7, 4, 0.45)),
    Case("seven matrices, columns in any order", drawn(7, 4, 0.35, shuffled=True, fall=False)),
    Case("drawn, just within the budget", drawn(8, 3, 0.5, just=True)),
    Case("views", views),
    Case("the tiny model's sizes", tiny(0.17, 0.3)),
    Case("the tiny model's sizes, uneven losses", tiny(0.15, 1.5)),
    Case("22 matrices, losses by the byte", by_bytes),
    Case("22 matrices, drawn", drawn(22, 5, 0.4, sizes=(40, 200), shuffled=True)),
)
