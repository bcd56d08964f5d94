import torch

from tutor.judge.cases.engine import project_sizes
from tutor.judge.spec import Case, Work

TOLERANCE = 0.05  # of each number
NAMES = (
    "bytes of the weights",
    "bytes of a block",
    "FLOP of a token",
    "blocks of the largest request",
    "requests at once",
    "requests at once, reserved",
    "calls of the plain loop",
    "tokens a step",
    "target calls",
    "draft calls",
    "cost",
)


def planned(target, draft, prompts, limits, blocks, size, places, k, kept, change=""):
    """The eleven numbers. `change` names a slip."""

    def weights(sizes, tied=True):
        layers, width, heads, kv_heads, hidden, characters = sizes
        kv = width if change == "query heads" else width // heads * kv_heads
        layer = 2 * width * width + 2 * width * kv + 3 * width * hidden
        if change == "two of three":
            layer -= width * hidden
        return layers * layer + (1 if tied else 2) * characters * width

    def norms(sizes):
        return (2 * sizes[0] + 1) * sizes[1]

    def token(sizes):
        layers, width, heads, kv_heads, *_ = sizes
        heads_kept = heads if change == "cache of query heads" else kv_heads
        return 2 * layers * heads_kept * (width // heads)

    prompts, limits = prompts.double(), limits.double()
    whole = prompts + limits - 1
    parameters = [weights(each) + norms(each) for each in (target, draft)]
    largest = whole.max()
    if change == "largest apart":
        largest = prompts.max() + limits.max() - 1
    half = prompts + limits / 2
    if change == "whole":
        half = whole
    if change == "prompt":
        half = prompts
    if change == "limit":
        half = limits / 2
    held, reserved = (-(-each // size) for each in (half, whole))
    if change == "not rounded":
        held, reserved = half / size, whole / size
    if change == "down":
        held, reserved = half // size + 0.0, whole // size + 0.0
    if change == "reserved largest":
        reserved = torch.ceil(largest / size).expand(1)
    at_once = min(float(places), blocks / float(held.mean().clamp(min=1e-9)))
    at_once_reserved = min(float(places), blocks / float(reserved.mean().clamp(min=1e-9)))
    if change == "places":
        at_once = float(places)
    if change == "no places":
        at_once = blocks / float(held.mean())
        at_once_reserved = blocks / float(reserved.mean())
    plain = limits.sum()
    if change == "prompts too":
        plain = (prompts + limits).sum()
    if change == "longest":
        plain = limits.max() * len(limits)
    step = sum(kept**i for i in range(k + 1))
    if change == "no bonus":
        step = step - 1
    if change == "endless":
        step = 1 / max(1e-9, 1 - kept)
    if change == "linear":
        step = 1 + k * kept
    if change == "k + 1":
        step = k + 1
    calls = plain / step / (1 if change == "one at a time" else at_once)
    if change == "without drafts":
        calls = plain / at_once
    if change == "calls by places":
        calls = plain / step / places
    drafts = calls * {"one draft call": 1, "k + 1 draft calls": k + 1}.get(change, k)
    share = parameters[1] / parameters[0]
    share = {"equal": 1.0, "by layers": draft[0] / target[0], "free": 0.0}.get(change, share)
    products = weights(target)
    if change == "no logits":
        products -= target[5] * target[1]
    flop = (1 if change == "one a weight" else 2) * products
    attention = 4 * target[0] * target[1] * whole.max()
    if change == "keys alone":
        attention /= 2
    if change != "no attention":
        flop += float(attention) * (target[3] / target[2] if change == "kv attention" else 1)
    both = sum(parameters)
    if change == "target alone":
        both = parameters[0]
    if change == "embedding twice":
        both = sum(weights(each, False) + norms(each) for each in (target, draft))
    if change == "no embedding":
        both -= sum(each[5] * each[1] for each in (target, draft))
    kept_bytes = token(target) + (0 if change == "cache of the target" else token(draft))
    if change == "key or value":
        kept_bytes /= 2
    bytes_each = 2 if change == "two bytes" else 4
    return torch.tensor(
        [
            bytes_each * both,
            bytes_each * kept_bytes * (1 if change == "a token" else size),
            flop,
            float(torch.ceil(largest / size)) if change != "tokens" else float(largest),
            at_once,
            at_once_reserved,
            float(plain),
            step,
            float(calls),
            float(drafts),
            float(calls + drafts * share),
        ],
        dtype=torch.float64,
    )


SLIPS = {
    "query heads": "keys and values have as many heads as queries",
    "two of three": "the hidden layer has two matrices",
    "cache of query heads": "the cache keeps keys and values for each query head",
    "largest apart": "the largest request has the longest prompt and the highest limit, of two requests",
    "whole": "a request holds blocks for its whole limit from the beginning",
    "prompt": "a request holds blocks for its prompt alone",
    "limit": "a request holds blocks for what it writes alone",
    "not rounded": "blocks are not rounded up",
    "down": "blocks are rounded down",
    "reserved largest": "each request reserves what the largest one needs",
    "places": "places alone decide how many run at once",
    "no places": "blocks alone decide how many run at once",
    "prompts too": "the plain loop takes a call for each token of a prompt",
    "longest": "each request writes as much as the longest one",
    "no bonus": "the target's own token is not counted in a step",
    "endless": "drafts never end: 1 / (1 - kept)",
    "linear": "each draft is kept whatever happened to those before it: 1 + k * kept",
    "k + 1": "all drafts are kept",
    "one at a time": "the target is called for one request at a time",
    "without drafts": "each call of the target writes one token of a request",
    "calls by places": "all places are busy in each call, whatever the cache holds",
    "one draft call": "the drafts of a step take one call",
    "k + 1 draft calls": "the drafts of a step take k + 1 calls",
    "equal": "a call of the draft model costs as much as one of the target",
    "by layers": "a call of the draft model costs the share of its layers",
    "free": "calls of the draft model cost nothing",
    "no logits": "the product with the embedding, which gives the logits, is not counted",
    "one a weight": "a multiplication and an addition are one FLOP",
    "keys alone": "attention multiplies queries by keys, and the weighted sum of values is left out",
    "no attention": "attention has no FLOP",
    "kv attention": "attention is counted for heads of keys and values, and not of queries",
    "target alone": "the draft model's weights are not counted",
    "embedding twice": "the embedding is counted twice",
    "no embedding": "the embedding is not counted",
    "cache of the target": "the draft model keeps nothing",
    "key or value": "keys or values are counted, and not both",
    "two bytes": "a number takes two bytes",
    "a token": "the bytes are those of a token, not of a block",
    "tokens": "the largest request is counted in tokens",
}


def reference(target, draft, prompts, limits, blocks, size, places, k, kept):
    args = (target, draft, prompts, limits, blocks, size, places, k, kept)
    if not fits(*args):
        raise ValueError("no arguments that the task allows")
    return planned(*args)


eager = reference


def by_slip(change):
    return lambda *args: planned(*args, change=change)


NEAR_MISSES = tuple((says, by_slip(change)) for change, says in SLIPS.items())


def fits(target, draft, prompts, limits, blocks, size, places, k, kept):
    if len(prompts) != len(limits) or not len(prompts) or min(blocks, size, places, k) < 1:
        return False
    if any(len(each) != 6 or min(each) < 1 or each[1] % each[2] for each in (target, draft)):
        return False
    if int(prompts.min()) < 1 or int(limits.min()) < 1 or not 0 <= kept <= 1:
        return False
    return int((prompts + limits - 1).max()) <= blocks * size


PROMISED = (("`kept` may be 1", fits),)


def scale(*args):
    """Return the scale of which 32 eps are 5 % of each number."""
    return reference(*args).abs() * TOLERANCE / (32 * 2.0**-52)


def work(target, draft, prompts, limits, blocks, size, places, k, kept):
    return Work(bytes=16 * prompts.numel() + 8 * (12 + 5 + 11), flops=0)


def explain_wrong(got, *args):
    """Name the first number that is off."""
    want = reference(*args)
    for place, (mine, right) in enumerate(zip(got.tolist(), want.tolist(), strict=True)):
        if abs(mine - right) > TOLERANCE * abs(right):
            how = "large" if mine > right else "small"
            return f"Number {place}, the {NAMES[place]}, is more than 5 % too {how}."
    return None


def check_found(found):
    """(code, sentence) where the plan for the project itself is off, else None."""
    got = torch.tensor(found["numbers"], dtype=torch.float64)
    if got.shape != (len(NAMES),):
        return "wrong-values", f"For the project itself the plan has {got.numel()} numbers, not 11."
    says = explain_wrong(got, *project_sizes().values())
    return ("wrong-values", f"For the project itself: {says}") if says else None


def figures(found):
    """Return the numbers promised for the project, by name."""
    out = {}
    for place, (name, number) in enumerate(zip(NAMES, found["numbers"], strict=True)):
        digits = 0 if place in (0, 1, 2, 3, 6) else 1 if place > 7 else 2
        unit = {0: " bytes", 1: " bytes", 10: " calls of the target"}.get(place, "")
        out[name] = f"{number:,.{digits}f}{unit}"
    return out


def case(name, count, prompts, limits, blocks, size, places, k, kept, change=None):
    """Models and requests by dice."""

    def make(g):
        def dice(low, high):
            return int(torch.randint(low, high + 1, (), generator=g))

        def model(layers, kv_heads, heads, head):
            width = heads * head
            return [dice(*layers), width, heads, kv_heads, dice(2, 4) * width, dice(60, 400)]

        target = model((3, 8), 2, 8, 8 * dice(1, 3))
        draft = model((1, 2), 1, 4, 8 * dice(1, 2))
        if change == "large vocabulary":
            target[5] = draft[5] = dice(2000, 4000)
        both = [
            torch.randint(low, high + 1, (2 * count,), generator=g)[::2]
            for low, high in (prompts, limits)
        ]
        if change == "full blocks":
            both[1] = size * (both[1] // size + 1) + 1 - both[0] % size
        room = -(-int((both[0] + both[1]).max()) // size)
        return target, draft, *both, room + blocks, size, places, k, kept

    return Case(name, make)


CASES = (
    case("little cache", 40, (4, 40), (8, 60), 4, 8, 30, 3, 0.7),
    case("few places", 20, (4, 30), (8, 60), 400, 8, 4, 3, 0.6),
    case("all drafts are kept", 20, (4, 40), (8, 40), 6, 4, 16, 4, 1.0),
    case("long prompts, short texts", 15, (200, 400), (2, 12), 80, 16, 12, 2, 0.8),
    case("short prompts, long texts", 15, (1, 5), (100, 400), 60, 16, 12, 5, 0.5),
    case("blocks of one token", 24, (3, 20), (10, 40), 30, 1, 20, 2, 0.9),
    case("a large vocabulary", 24, (3, 60), (10, 40), 30, 4, 20, 1, 0.75, "large vocabulary"),
    case("large blocks", 24, (3, 20), (5, 60), 3, 32, 20, 3, 0.4),
    case(
        "texts that just fill their blocks", 12, (1, 20), (8, 30), 30, 8, 6, 3, 0.7, "full blocks"
    ),
    Case("the project", lambda g: tuple(project_sizes().values())),
)
