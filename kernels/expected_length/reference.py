import functools

import torch

from tutor.judge.cases import tiny_lm
from tutor.judge.spec import Case, Work

CHANGES = {
    "product": "the overlap is Σ p · q, the chance that two draws are equal",
    "ratio": "the overlap is the mean of min(1, p / q) over the vocabulary, not weighed by q",
    "no-bonus": "the token that the target adds is not counted",
    "endless": "the drafts never end: 1 / (1 - a)",
    "sure": "a step is as long as the drafts that are proposed",
    "independent": "along the text, too, places know nothing of each other",
    "joined": "runs go on from the end of one text to the beginning of the next",
    "first": "only runs that begin at the first place of a text are counted",
    "full": "only runs with k places behind their beginning are counted",
    "least": "a run counts with its smallest overlap",
    "means": "the mean overlaps of places are multiplied, not the overlaps of a text",
    "one-call": "the draft model is called once, whatever j is",
    "one-more": "the draft model is called j + 1 times",
    "free": "calls of the draft model cost nothing",
    "cost-of-target": "a call of the target costs nothing beside the drafts",
    "speed-by-rate": "the speed-up is that of column 0",
    "shifted": "row j is for j + 1 drafts",
}


def reference(p, q, k, cost):
    if not (p.shape == q.shape and are_chances(p, q) and 1 <= k <= p.shape[1] and cost >= 0):
        raise ValueError("no arguments that the task allows")
    return modelled(p, q, k, cost)


def modelled(p, q, k, cost, change=""):
    """The table; `change` names a mistake of `CHANGES`."""
    p, q = p.double(), q.double()
    overlap = torch.minimum(p, q).sum(-1)
    if change == "product":
        overlap = (p * q).sum(-1)
    if change == "ratio":
        overlap = torch.minimum(torch.ones(()).double(), p / q.clamp(min=1e-300)).mean(-1)
    rate, texts = overlap.mean(), overlap
    if change == "joined":
        overlap = overlap.reshape(1, -1)
    shift = change == "shifted"
    rows = []
    for j in range(shift, k + 1 + shift):
        one, along = 1.0, 1.0
        for i in range(1, j + 1):
            if i > overlap.shape[1]:
                break
            starts = overlap.shape[1] - i + 1
            if change == "first":
                starts = 1
            if change == "full":
                starts = overlap.shape[1] - k + 1
            run, least = torch.ones_like(overlap[:, :starts]), torch.ones_like(overlap[:, :starts])
            means = torch.ones(starts).double()
            for at in range(i):
                here = overlap[:, at : at + starts]
                run, least = run * here, torch.minimum(least, here)
                means = means * here.mean(0)
            one += float(rate) ** i
            along += {
                "independent": float(texts.mean()) ** i,
                "least": float(least.mean()),
                "means": float(means.mean()),
            }.get(change, float(run.mean()))
        if change == "no-bonus":
            one, along = one - 1, along - 1
        if change == "endless":
            one = 1 / max(1e-9, 1 - float(rate))
        if change == "sure":
            one = along = 1.0 + j * float(rate)
        calls = {
            "one-call": 1 + cost * (j > 0),
            "one-more": 1 + (j + 1) * cost,
            "free": 1.0,
            "cost-of-target": max(j * cost, 1e-9),
        }.get(change, 1 + j * cost)
        rows.append((one, along, (one if change == "speed-by-rate" else along) / calls))
    return torch.tensor(rows, dtype=torch.float64)


def eager(p, q, k, cost):
    return reference(p, q, k, cost)


def by_mistake(change):
    return lambda p, q, k, cost: modelled(p, q, k, cost, change)


NEAR_MISSES = tuple((words, by_mistake(change)) for change, words in CHANGES.items())


def scale(p, q, k, cost):
    return reference(p, q, k, cost).abs()


def work(p, q, k, cost):
    return Work(bytes=4 * (p.numel() + q.numel()) + 24 * (k + 1) + 16, flops=2 * p.numel())


def are_chances(*tables):
    return all(bool((t >= 0).all() and ((t.sum(-1) - 1).abs() < 1e-4).all()) for t in tables)


PROMISED = (
    ("are the target's and the draft model's probabilities",
     lambda p, q, k, cost: p.shape == q.shape and are_chances(p, q)),
    ("1 ≤ k ≤ places", lambda p, q, k, cost: 1 <= k <= p.shape[1]),
    ("what one call of the draft model takes", lambda p, q, k, cost: cost >= 0),
)


def case(texts, places, tokens, k, cost, twin="noisy"):
    """Texts whose places are easy or hard for a while; the draft model is good where it is easy."""

    def make(g):
        def drawn(*size):
            return torch.randn(*size, generator=g, device=g.device)

        hard = drawn(texts, places, 1).cumsum(1).sin() + 1.2
        target = 2 * drawn(texts, places, tokens)
        p = torch.softmax(target, -1)
        if twin == "same":
            return p, p.clone(), k, cost
        q = torch.softmax(target + hard * drawn(texts, places, tokens), -1)
        if twin == "apart":  # at some places the two have no token in common
            even = torch.arange(tokens) % 2
            there = (drawn(texts, places, 1) > 0.5).float()
            p = p * (1 - there * even)
            q = q * (1 - there * (1 - even))
            p, q = p / p.sum(-1, keepdim=True), q / q.sum(-1, keepdim=True)
        return p, q, k, cost

    return make


@functools.cache
def model(name):
    return tiny_lm.load(name)


def real(name, k, cost):
    """The tiny model on three held-out texts, drawn."""

    def make(g):
        asked, _ = tiny_lm.windows(tiny_lm.held_out())
        those = asked[torch.randperm(len(asked), generator=g)[:3]]
        with torch.no_grad():
            p, q = (torch.softmax(model(each)(those), -1) for each in ("target", name))
        return p, q, k, cost

    return make


CASES = (
    Case("one place, one draft", case(1, 1, 4, 1, 0.2)),
    Case("one text", case(1, 9, 6, 3, 0.1)),
    Case("many short texts", case(12, 4, 5, 4, 0.25)),
    Case("drafts as many as places", case(5, 6, 8, 6, 0.3)),
    Case("equal models", case(2, 10, 6, 5, 0.5, "same")),
    Case("places without a common token", case(6, 12, 6, 4, 0.05, "apart")),
    Case("the tiny model and its draft", real("draft", 8, 0.14)),
    Case("the tiny model and a distilled draft", real("distilled", 4, 0.14)),
)
