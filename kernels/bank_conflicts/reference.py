import torch

from tutor.judge.spec import Case, Work


def passes(words):
    """How many passes the different words of one access need."""
    return int(torch.bincount(torch.unique(words) % 32, minlength=32).max())


def reference(addresses):
    return torch.tensor([passes(access // 4) - 1 for access in addresses])


def eager(addresses):
    return reference(addresses)


def work(addresses):
    return Work(bytes=8 * (addresses.numel() + addresses.shape[0]), flops=addresses.numel())


def scale(addresses):
    return 0.0


def check_module(constants):
    """Return one sentence where PITCH is wrong, else None."""
    pitch = constants.get("PITCH")
    if pitch is None:
        return "The constant PITCH is missing."
    if isinstance(pitch, bool) or not isinstance(pitch, int) or pitch < 16:
        return f"PITCH is {pitch!r}; expected a whole number of words, 16 or more."
    extra = passes(torch.arange(32) * pitch) - 1
    if extra:
        return f"With PITCH = {pitch} a column has {extra} conflict{'s' * (extra > 1)}."
    return (
        None if pitch == 17 else f"PITCH = {pitch} has no conflict; a smaller one has none either."
    )


def check_found(found):
    """(code, sentence) where `swizzle` is wrong, else None."""
    if "trouble" in found:
        return "wrong-values", found["trouble"]
    tile = torch.tensor(found["tile"])
    places = tile.flatten()
    if places.min() < 0 or places.max() > 511:
        at = int(((places < 0) | (places > 511)).nonzero()[0])
        return "wrong-values", (
            f"swizzle({at // 16}, {at % 16}) is {int(places[at])}; the places go from 0 to 511."
        )
    if len(torch.unique(places)) < 512:
        seen = {}
        for at, place in enumerate(places.tolist()):
            if place in seen:
                first = seen[place]
                return "wrong-values", (
                    f"swizzle puts [{first // 16}, {first % 16}] and [{at // 16}, {at % 16}] at one "
                    f"place, {place}: one of the two is lost."
                )
            seen[place] = at
    for name, lines in (("pair of rows", tile.view(16, 32)), ("column", tile.T)):
        for k, line in enumerate(lines):
            extra = passes(line) - 1
            if extra:
                many = "s" * (extra > 1)
                return (
                    "wrong-values",
                    f"With swizzle, reading {name} {k} has {extra} conflict{many}.",
                )
    return None


def lanes(g, n=32):
    return torch.arange(n, device=g.device)


def columns(*pitches):
    """A warp reads a column of a tile, for each pitch in words."""
    return lambda g: (torch.stack([4 * p * lanes(g) for p in pitches]),)


def drawn(accesses, n, words):
    return lambda g: (4 * torch.randint(0, words, (accesses, n), generator=g, device=g.device),)


def shared_words(g):
    one = 4 * torch.randint(0, 1000, (1,), generator=g, device=g.device)
    return (torch.stack([one.expand(32), 4 * (lanes(g) // 2), 128 * (lanes(g) // 8)]),)


def permuted(g):
    order = torch.randperm(32, generator=g, device=g.device)
    return (torch.stack([4 * order, 256 * order, 4 * 17 * order]),)


CASES = (
    Case("a row, and a column of pitch 32", columns(1, 32)),
    Case("columns of pitch 33, 34 and 36", columns(33, 34, 36)),
    Case("columns of pitch 40, 48 and 64", columns(40, 48, 64)),
    Case("strides of 2, 3, 4 and 5 words", columns(2, 3, 4, 5)),
    Case("words that lanes share", shared_words),
    Case("lanes in another order", permuted),
    Case("16 lanes", lambda g: (torch.stack([128 * lanes(g, 16), 8 * lanes(g, 16)]),)),
    Case("one lane", lambda g: (torch.cat((128 * lanes(g, 1), 4 * lanes(g, 1)))[:, None],)),
    Case("two lanes", lambda g: (torch.tensor([[0, 128], [4, 4], [8, 12]], device=g.device),)),
    Case("addresses beyond the first kilobyte", lambda g: (4096 + columns(32, 31)(g)[0],)),
    Case("drawn from 64 words", drawn(12, 32, 64)),
    Case("drawn from 4096 words", drawn(12, 32, 4096)),
    Case("drawn, a transposed view", lambda g: (drawn(32, 9, 500)(g)[0].T,)),
    Case("drawn, every second lane", lambda g: (drawn(9, 64, 900)(g)[0][:, ::2],)),
)
