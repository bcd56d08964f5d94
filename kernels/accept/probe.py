"""Lets the learner's `accept` answer 40 000 requests from one seed. Plain counts leave the process."""

import torch

TOKENS, PLACES, REQUESTS = 5, 3, 40_000
SEED = 60
WORLD = 2211  # the seed of the tables


def tables():
    """Return the target's and the draft's probabilities of the next token, by the tokens before it."""
    g = torch.Generator().manual_seed(WORLD)

    def table(before):
        return torch.softmax(1.2 * torch.randn((TOKENS,) * (before + 1), generator=g), -1)

    return [table(place) for place in range(PLACES + 1)], [table(place) for place in range(PLACES)]


def requests(seed, count=REQUESTS):
    """Return p, q and drafts that were drawn from q."""
    target, draft = tables()
    g = torch.Generator().manual_seed(seed)
    drafts = torch.zeros(count, 0, dtype=torch.int64)
    for table in draft:
        chances = table[tuple(drafts.T)].expand(count, TOKENS)
        drafts = torch.cat((drafts, torch.multinomial(chances, 1, generator=g)), 1)

    def seen(all_tables):
        rows = [
            table[tuple(drafts[:, :place].T)].expand(count, TOKENS)
            for place, table in enumerate(all_tables)
        ]
        return torch.stack(rows, 1)

    return seen(target), seen(draft), drafts


def find_broken(out, drafts):
    """Return a sentence where the answer is no row of kept drafts, a token and -1; else ""."""
    if not isinstance(out, torch.Tensor) or tuple(out.shape) != (len(drafts), PLACES + 1):
        return f"Of {len(drafts)} requests with {PLACES} drafts each the result has another shape."
    given = out >= 0
    if (out >= TOKENS).any() or (out < -1).any():
        return "There is a token that the vocabulary lacks."
    if not given[:, 0].all():
        return "A step without any token came out."
    if (given[:, 1:] & ~given[:, :-1]).any():
        return "A token stands behind a -1."
    other = given[:, 1:] & (out[:, :-1] != drafts)
    if other.any():
        row = int(other.any(1).nonzero()[0])
        return (
            f"Only the last token of a step may differ from the drafts. Here the drafts are "
            f"{drafts[row].tolist()} and the result is {out[row].tolist()}."
        )
    return ""


def count(out):
    """Return, for each place, a row of counts for each row of tokens before it; and of lengths."""
    rows, before = [], torch.zeros(len(out), dtype=torch.int64)
    for place in range(PLACES + 1):
        given = out[:, place] >= 0
        cell = (before * TOKENS + out[:, place])[given]
        counted = torch.bincount(cell, minlength=TOKENS ** (place + 1))
        rows.append(counted.view(-1, TOKENS).tolist())
        before = before * TOKENS + out[:, place].clamp(min=0)
    return rows, torch.bincount((out >= 0).sum(1), minlength=PLACES + 2)[1:].tolist()


def most_together(out, p, q, drafts):
    """Measure how far decisions on drafts of two requests go together, in standard deviations.

    Compares the first two drafts of each request with those of requests one, two and three places
    behind it, and half of all places behind it. Returns the largest.
    """
    x = drafts[..., None]
    chance = (p[:, :PLACES].gather(2, x) / q.gather(2, x))[..., 0].clamp(max=1)
    kept = out[:, 1:] >= 0
    off = (kept.float() - chance) * torch.cat((torch.ones(len(out), 1), kept[:, :-1]), 1)
    found = []
    for lag in (1, 2, 3, len(out) // 2):
        for one, other in ((0, 0), (0, 1), (1, 0)):
            both = (off[:-lag, one] * off[lag:, other]).double()
            found.append(float(both.sum().abs() / both.square().sum().sqrt()))
    return max(found)


def equal_requests(count, kept, given):
    """Return p, q and drafts of equal requests with one draft, token 0, of which `kept` are kept.

    What is drawn after a refusal, and after the draft, has the chances `given` of tokens 1 to 4.
    """
    p, q = torch.zeros(count, 2, TOKENS), torch.zeros(count, 1, TOKENS)
    p[:, 0, 0], q[:, 0, 0] = kept / 2, 0.5
    p[:, 0, 1:] = (1 - kept / 2) * torch.tensor(given)
    q[:, 0, 1:] = torch.tensor(given) / 2
    p[:, 1, 1:] = torch.tensor(given)
    return p, q, torch.zeros(count, 1, dtype=torch.int64)


EVEN = (0.25, 0.25, 0.25, 0.25)
CALLS, EQUALS = 40, 100  # so many equal requests in each of so many calls
SELDOM = 2.0**-8  # a chance of which random numbers in steps of 1/64 know nothing
RARE = (SELDOM, 2.0**-16, 0.5, 0.5 - SELDOM - 2.0**-16)


def deal(module, kept, given, count, seed):
    """Return how often the draft is kept, and how often each token is drawn, of equal requests."""
    out = module.accept(*equal_requests(count, kept, given), seed)
    stays = out[:, 0] == 0
    drawn = torch.where(stays, out[:, 1], out[:, 0])
    counted = torch.bincount(drawn.clamp(0, TOKENS - 1), minlength=TOKENS)
    return [int(stays.sum()), *counted[1:].tolist()]


def probe(module, device, seed=SEED):
    """`accept` gets another seed than the drafts were drawn with: from the same one its numbers would
    be the draft's, and the two would depend on each other."""
    p, q, drafts = requests(1_000_003 + seed)
    given = [tensor.clone() for tensor in (p, q, drafts)]
    out = module.accept(p, q, drafts, seed)
    if any(not torch.equal(*pair) for pair in zip((p, q, drafts), given, strict=True)):
        return {"broken": "`p`, `q` or `drafts` are not as they were."}
    if broken := find_broken(out, drafts):
        return {"broken": broken}
    few = [tensor[:250].repeat(2, *[1] * (tensor.dim() - 1)) for tensor in given]
    again = [module.accept(*(tensor.clone() for tensor in few), number) for number in (1, 1, 2)]
    rows, lengths = count(out)
    return {
        "broken": "",
        "repeats": bool(torch.equal(again[0], again[1])),
        "varies": not torch.equal(again[0], again[2]),
        "apart": not torch.equal(again[0][:250], again[0][250:]),
        "together": most_together(out, p, q, drafts),
        "even": {
            name: [deal(module, kept, EVEN, EQUALS, 1000 * seed + i) for i in range(CALLS)]
            for name, kept in (("kept", 0.5), ("refused", 0.0), ("bonus", 1.0))
        },
        "seldom": deal(module, SELDOM, RARE, 20_000, seed),
        "rows": rows,
        "lengths": lengths,
    }
