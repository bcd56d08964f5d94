import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
COPIES = False
READS_ALL = False
MOST_LAUNCHES = 1
MOST_TRAFFIC = 1.5  # blocks that are put side by side first are written and read again
WIDEST_BLOCK = 4096  # 64 tokens of 64 numbers
LOADED_ONCE = ("k_cache", "v_cache")


def tokens_of(cache, row, length, heads):
    """Keys or values of one sequence, [heads, tokens, head_dim]."""
    _, size, kv_heads, _ = cache.shape
    blocks = cache[row[: -(-length // size)].long()]
    found = blocks.flatten(0, 1)[:length].transpose(0, 1)
    return found.repeat_interleave(heads // kv_heads, 0)


def attend(q, k, v, factor=1.0):
    scores = (k @ q.unsqueeze(-1)).squeeze(-1) * q.shape[-1] ** -0.5 * factor
    return (torch.softmax(scores, -1).unsqueeze(1) @ v).squeeze(1)


def each(q, k_cache, v_cache, table, lengths, one=attend):
    rows = []
    for s, length in enumerate(lengths.tolist()):
        k = tokens_of(k_cache, table[s], length, q.shape[1])
        v = tokens_of(v_cache, table[s], length, q.shape[1])
        rows.append(one(q[s], k, v))
    return torch.stack(rows)


def reference(q, k_cache, v_cache, table, lengths):
    return each(q, k_cache, v_cache, table, lengths)


eager = reference


def work(q, k_cache, v_cache, table, lengths):
    heads, dim = q.shape[1:]
    size, kv_heads = k_cache.shape[1:3]
    seen = {
        (int(table[s, i // size]), i % size)
        for s, length in enumerate(lengths.tolist())
        for i in range(length)
    }
    moved = 8 * len(seen) * kv_heads * dim + 8 * q.numel() + 4 * table.numel()
    return Work(bytes=moved + 4 * lengths.numel(), flops=4 * heads * dim * int(lengths.sum()))


def scale(q, k_cache, v_cache, table, lengths):
    # A score's rounding errors add up like the root of the sum of its terms' squares, and an error
    # of a score is a relative error of its weight.
    def one(q, k, v):
        terms = (k.square() @ q.square().unsqueeze(-1)).amax((1, 2)).sqrt() * q.shape[-1] ** -0.5
        return (1 + terms)[:, None] * v.abs().amax(1)

    return each(q, k_cache, v_cache, table, lengths, one)


def turned(cache, heads):
    """The cache with a KV head for each head, where heads take turns."""
    return cache.repeat(1, 1, heads // cache.shape[2], 1)


def plain(table, k_cache):
    """A table as if each sequence lay in one piece, one behind the other."""
    return torch.arange(table.numel(), device=table.device).reshape(table.shape) % k_cache.shape[0]


NEAR_MISSES = (
    ("heads take turns at the KV heads, and neighbours do not share one", lambda q, k, v, t, n: (
        each(q, turned(k, q.shape[1]), turned(v, q.shape[1]), t, n))),
    ("each sequence is read by the first one's row of the table", lambda q, k, v, t, n: (
        each(q, k, v, t[:1].expand(len(t), -1).clamp(0, len(k) - 1), n))),
    ("all sequences are as long as the first one", lambda q, k, v, t, n: (
        each(q, k, v, t.clamp(0, len(k) - 1), n[:1].expand(len(n))))),
    ("the blocks are read without the table, one behind the other", lambda q, k, v, t, n: (
        each(q, k, v, plain(t, k), n))),
    ("a block that is not full is left out", lambda q, k, v, t, n: (
        each(q, k, v, t, (n // k.shape[1] * k.shape[1]).clamp(min=1)))),
    ("the last token is left out", lambda q, k, v, t, n: each(q, k, v, t, (n - 1).clamp(min=1))),
    ("only the first block of each sequence is read", lambda q, k, v, t, n: (
        each(q, k, v, t, n.clamp(max=k.shape[1])))),
    ("the scores are not scaled", lambda q, k, v, t, n: (
        each(q * q.shape[-1] ** 0.5, k, v, t, n))),
    ("the weights multiply the keys and not the values", lambda q, k, v, t, n: each(q, k, k, t, n)),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def paged(lengths, heads=2, kv_heads=1, dim=16, size=16, more=2, behind=1e4, shared=0, times=1.0):
    """Sequences whose blocks are drawn. Free slots hold `behind`, entries too many -7."""

    def make(g):
        needs = [-(-n // size) for n in lengths]
        places = torch.randperm(sum(needs) + 2, generator=g, device=g.device).int()
        table = torch.full(
            (len(lengths), max(needs) + more), -7, dtype=torch.int32, device=g.device
        )
        k, v = (normal(g, len(places), size, kv_heads, dim) for _ in range(2))
        filled = torch.zeros(len(places), size, dtype=torch.bool, device=g.device)
        at = 0
        for s, (length, need) in enumerate(zip(lengths, needs, strict=True)):
            table[s, :need] = places[at : at + need]
            table[s, :shared] = table[0, :shared]
            at += need
            for i in range(length):
                filled[table[s, i // size], i % size] = True
        k[~filled], v[~filled] = behind, behind
        q = times * normal(g, len(lengths), heads, dim)
        return q, k, v, table, torch.tensor(lengths, dtype=torch.int32, device=g.device)

    return make


def drawn(g):
    def pick(*values):
        return values[int(torch.randint(0, len(values), (1,), generator=g, device=g.device))]

    lengths = [int(torch.randint(1, 40, (1,), generator=g, device=g.device)) for _ in range(3)]
    kv_heads = pick(1, 2)
    return paged(lengths, kv_heads * pick(1, 2), kv_heads, pick(16, 32), pick(8, 16))(g)


def far_below(g):
    """Give each sequence one token, and queries that point away from its key: each score is -300."""
    q, k, v, table, lengths = paged([1, 1, 1, 1])(g)
    key = k[table[:, 0].long(), 0]  # [sequences, 1, head_dim]
    q = (-1200 * key / key.square().sum(-1, keepdim=True)).expand_as(q).contiguous()
    return q, k, v, table, lengths


CASES = (
    Case("one token each, every score is -300", far_below),
    Case("one short of a block, a whole one, one more", paged([15, 16, 17])),
    Case("blocks of 8, four heads and two KV heads", paged([21, 8], 4, 2, size=8, more=0)),
    Case(
        "blocks of 32, NaN in free slots",
        paged([40, 64], dim=32, size=32, more=0, behind=float("nan")),
    ),
    Case("a prefix that is shared", paged([20, 17, 9], 6, 2, size=8, shared=1)),
    Case("a key for each head", paged([9, 30], 3, 3)),
    Case("scores in the hundreds", paged([50, 33], 1, times=100.0)),
    Case("drawn", drawn),
    Case("the longest: 150 tokens", paged([150, 7], 1, 1, 64, size=32)),
)
TIMING = Case(
    "32 sequences of 2048 tokens, 32 heads and 8 KV heads",
    paged([2048 - 3 * s for s in range(32)], 32, 8, 64),
)
