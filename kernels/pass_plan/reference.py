import json

import torch

from tutor.judge.comparison.compare import BOUNDS
from tutor.judge.spec import Case, Work

NAMES = (
    "weights", "int4 bytes", "scale bytes", "float bytes", "share of the float model",
    "bits a weight", "kernels a forward", "FLOP a forward", "bytes moved a forward", "tolerance",
    "feedback bytes",
)
NEAR = 0.05  # a promise is kept within this part of itself

CHANGES = {
    "one layer": "one layer of the model is counted",
    "query": "`key` and `value` have as many heads as `query`",
    "no gate": "`gate` or `up` is left out",
    "embedding": "the embedding gets four bits, too",
    "whole bytes": "a code takes a byte",
    "row": "there is one scale a row",
    "scale 4": "a scale takes four bytes",
    "32": "`group` is 32, whatever is given",
    "twice": "the embedding is counted twice, though it is one matrix",
    "no norms": "the norms are left out",
    "a norm": "a layer has one norm",
    "no last norm": "the norm at the end is left out",
    "half": "what stays is counted with two bytes a number",
    "alone": "the share is that of the linear layers alone",
    "turned": "the share is the float model's bytes over the new ones",
    "bits": "bits a weight leaves the scales out",
    "few": "kernels are those of one layer",
    "one flop": "a multiplication and an addition are one FLOP",
    "one token": "the FLOP are those of one token",
    "unwritten": "the bytes moved leave the results out",
    "each token": "the bytes moved have the codes and scales once a token",
    "float16": "inputs and results move in two bytes a number",
    "step": "a weight is off by a whole step",
    "one weight": "the tolerance is that of one weight",
    "width": "the tolerance adds up `width` weights",
    "all": "the feedback keeps the matrices of all layers at once",
    "outputs": "the feedback's matrix is of outputs × inputs",
    "float32": "the feedback's matrix is in float32",
}


def promised(config, group, tokens, change=""):
    """The promises; `change` names a mistake of `CHANGES`."""
    shape = json.loads(config)
    width, hidden, layers = shape["width"], shape["hidden"], shape["layers"]
    keys = shape["kv_heads"] * (width // shape["heads"])
    if change == "query":
        keys = width
    gated = 1 if change == "no gate" else 2
    sizes = [(width, width)] * 2 + [(keys, width)] * 2 + [(hidden, width)] * gated
    sizes += [(width, hidden)]
    layers_counted = 1 if change == "one layer" else layers
    weights = layers_counted * sum(n * k for n, k in sizes)
    table = shape["characters"] * width
    if change == "embedding":
        weights += table
    group = 32 if change == "32" else group
    codes = weights / (1 if change == "whole bytes" else 2)
    scales = (4 if change == "scale 4" else 2) * weights / group
    if change == "row":
        scales = 2 * layers * sum(n for n, _ in sizes)
    norms = {"no norms": 0, "a norm": layers + 1, "no last norm": 2 * layers}
    norms = norms.get(change, 2 * layers + 1) * width
    kept = (2 if change == "twice" else 0 if change == "embedding" else 1) * table + norms
    kept *= 2 if change == "half" else 4
    share = (codes + scales + kept) / (4 * weights + kept)
    if change == "alone":
        share = (codes + scales) / (4 * weights)
    if change == "turned":
        share = 1 / share
    bits = 4.0 if change == "bits" else 8 * (codes + scales) / weights
    kernels = len(sizes) * (1 if change == "few" else layers_counted)
    flop = (1 if change == "one flop" else 2) * weights * (1 if change == "one token" else tokens)
    size = 2 if change == "float16" else 4
    through = sum(k + (0 if change == "unwritten" else n) for n, k in sizes)
    moved = (codes + scales) * (tokens if change == "each token" else 1)
    moved += layers_counted * size * tokens * through
    tolerance = {"step": hidden / 7, "one weight": 1 / 14, "width": width / 14}.get(
        change, hidden / 14
    )
    feedback = 8 * max(k for _, k in sizes) ** 2
    if change == "all":
        feedback = 8 * layers * sum(k * k for _, k in sizes)
    if change == "outputs":
        feedback = 8 * max(n * k for n, k in sizes)
    if change == "float32":
        feedback /= 2
    numbers = [weights, codes, scales, kept, share, bits, kernels, flop, moved, tolerance, feedback]
    return torch.tensor(numbers, dtype=torch.float64)


def reference(config, group, tokens):
    return promised(config, group, tokens)


eager = reference


def by_mistake(change):
    return lambda config, group, tokens: promised(config, group, tokens, change)


NEAR_MISSES = tuple((words, by_mistake(change)) for change, words in CHANGES.items())


def scale(config, group, tokens):
    """What makes the bound of float64 `NEAR` of each promise."""
    bound = BOUNDS["float64"]
    return promised(config, group, tokens).abs() * (NEAR / (bound.c * bound.eps))


def work(config, group, tokens):
    return Work(bytes=len(config) + 8 * len(NAMES) + 16, flops=0)


def explain_wrong(got, config, group, tokens):
    """Name the first promise that is not kept."""
    if tuple(got.shape) != (len(NAMES),):
        return None
    for place, (said, want) in enumerate(
        zip(got.tolist(), promised(config, group, tokens).tolist(), strict=True)
    ):
        if not abs(said - want) <= NEAR * want:
            return f"Number {place}, {NAMES[place]}, is {said:,.6g} here; {want:,.6g} is right."
    return None


def check_found(found):
    """Nothing is judged beside the cases."""
    return None


def figures(found):
    """What is promised of the project's model, by name."""
    numbers = found["promised"]
    return {
        name: f"{number:,.4g}" if number < 1000 else f"{number:,.0f}"
        for name, number in zip(NAMES, numbers, strict=True)
    }


def case(name, width, layers, heads, kv_heads, hidden, characters, group, tokens):
    shape = {
        "width": width, "layers": layers, "heads": heads, "kv_heads": kv_heads, "hidden": hidden,
        "characters": characters,
    }

    def make(g):
        keys = list(shape)
        order = torch.randperm(len(keys), generator=g, device=g.device).tolist()
        return json.dumps({keys[at]: shape[keys[at]] for at in order}), group, tokens

    return Case(name, make)


def drawn(g):
    def dice(low, top):
        return int(torch.randint(low, top, (1,), generator=g, device=g.device))

    heads, group = 2 ** dice(1, 5), 2 ** dice(3, 6)
    width = group * heads * dice(1, 4)
    shape = {
        "width": width, "layers": dice(2, 30), "heads": heads, "kv_heads": max(1, heads // 4),
        "hidden": group * dice(1, 40), "characters": dice(2, 500),
    }
    return json.dumps(shape), group, dice(1, 3000)


CASES = (
    case("the tiny model, a window", 96, 3, 4, 2, 256, 96, 32, 128),
    case("its draft, one token", 64, 1, 2, 1, 128, 96, 32, 1),
    case("groups of 8, three characters", 64, 2, 4, 4, 192, 3, 8, 16),
    case("one head of keys for 16", 256, 9, 16, 1, 320, 40, 64, 7),
    case("few characters, many norms", 32, 40, 4, 1, 32, 2, 16, 900),
    case("a hidden layer smaller than the width", 128, 5, 8, 2, 64, 700, 64, 33),
    Case("drawn", drawn),
)
