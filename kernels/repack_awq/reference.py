import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
PROMISED = (
    (
        "K and N are multiples of 8, at least 8 each.",
        lambda words: words.shape[0] % 8 == 0 and words.shape[0] > 0 and words.shape[1] > 0,
    ),
)
AWQ = (0, 2, 4, 6, 1, 3, 5, 7)


def moved(words, change=""):
    """Each code by itself. The option names a mistake."""
    k, columns = words.shape
    given = words.long() % 2**32
    codes = torch.zeros(k, 8 * columns, dtype=torch.int64, device=words.device)
    for place in range(8):
        output = {"plain": place, "inverse": AWQ.index(place)}.get(change, AWQ[place])
        if change == "highest":
            output = AWQ[7 - place]
        codes[:, output::8] = given // 16**place % 16
    out = torch.zeros(k // 8, 8 * columns, dtype=torch.int64, device=words.device)
    for i in range(8):
        place = {"first highest": 7 - i, "both": AWQ.index(i)}.get(change, i)
        out += codes[i::8] * 16**place
    if change == "no sign":
        out %= 2**31
    return torch.where(out >= 2**31, out - 2**32, out).to(torch.int32)


def reference(words):
    return moved(words)


eager = reference


def work(words):
    return Work(bytes=8 * words.numel(), flops=0)


def by_mistake(change):
    return lambda words: moved(words, change)


NEAR_MISSES = (
    ("the outputs of a word are in their own order, not in AWQ's", by_mistake("plain")),
    ("AWQ's order is used for its inverse", by_mistake("inverse")),
    ("AWQ's words are read from the highest bits down", by_mistake("highest")),
    ("the first of eight inputs is in the highest four bits", by_mistake("first highest")),
    ("the inputs of a word are in AWQ's order, too", by_mistake("both")),
    ("the highest bit of a word is lost", by_mistake("no sign")),
)


def words(k, columns, low=-(2**31), high=2**31):
    def make(g):
        given = torch.randint(low, high, (k, columns), generator=g, device=g.device)
        return (given.to(torch.int32),)

    return make


def viewed(g):
    (given,) = words(20, 32)(g)
    return (given.T[::2, 4:12],)


def flagged(g):
    """One code that is not 0 in each block of eight by eight, at a place by dice."""
    out = torch.zeros(24, 5, dtype=torch.int64, device=g.device)
    row = torch.randint(0, 8, (3, 5), generator=g, device=g.device) + 8 * torch.arange(3)[:, None]
    place = torch.randint(0, 8, (3, 5), generator=g, device=g.device)
    code = torch.randint(1, 16, (3, 5), generator=g, device=g.device)
    out.scatter_(0, row, code * 16**place)
    return (torch.where(out >= 2**31, out - 2**32, out).to(torch.int32),)


def drawn(g):
    k, columns = (int(torch.randint(1, 6, (1,), generator=g, device=g.device)) for _ in range(2))
    return words(8 * k, columns)(g)


CASES = (
    Case("eight by eight", words(8, 1)),
    Case("more inputs than outputs", words(40, 3)),
    Case("more outputs than inputs", words(16, 7)),
    Case("no sign in what comes in", words(16, 4, low=0)),
    Case("negative words", words(24, 3, high=0)),
    Case("one code in each block", flagged),
    Case("views", viewed),
    Case("drawn", drawn),
)
