import hashlib
import random

import torch

from tutor.judge.spec import Case, Work


class Block:
    """A block with the time at which it went back, and its hash or None."""

    def __init__(self, number):
        self.back, self.hash = (0, number), None


def digest(*what):
    return int.from_bytes(hashlib.sha256(repr(what).encode()).digest()[:6], "big")


def chain(key, tokens, size):
    hashes = []
    for at in range(size, len(tokens) + 1, size):
        hashes.append(digest(hashes[-1] if hashes else 0, tuple(tokens[at - size : at]), key))
    return hashes


def rows(requests, size, blocks):
    """What is found, by the time at which each block was given back: the earliest goes out first."""
    pool, found = [Block(number) for number in range(blocks)], []
    for time, (key, tokens) in enumerate(requests, 1):
        hashes = chain(key, tokens, size)
        known = {block.hash: block for block in pool if block.hash is not None}
        held = []
        for each in hashes[: (len(tokens) - 1) // size]:
            if each not in known:
                break
            held.append(known[each])
        hits = len(held)
        rest = sorted((block for block in pool if block not in held), key=lambda one: one.back)
        held += rest[: -(-len(tokens) // size) - hits]
        for block in held[hits:]:
            block.hash = None
        for block, each in zip(held[hits:], hashes[hits:], strict=False):
            if all(other.hash != each for other in pool):
                block.hash = each
        for n, block in enumerate(reversed(held)):
            block.back = (time, n) if block.hash is not None else (-time, -n)
        found.append([hits * size, hashes[-1] if hashes else 0])
    return found


def reference(requests, size, blocks):
    return torch.tensor(rows(requests, size, blocks))


eager = reference


def work(requests, size, blocks):
    return Work(bytes=8 * sum(len(tokens) for _, tokens in requests) + 16, flops=0)


def scale(requests, size, blocks):
    return 0.0


def explain_wrong(got, requests, size, blocks):
    for n, (row, want) in enumerate(zip(got.tolist(), rows(requests, size, blocks), strict=True)):
        which = f"Request {n} ({len(requests[n][1])} tokens, {blocks} blocks of {size})"
        if row[1] != want[1]:
            asked = (
                f"the hash of its last full block is {want[1]}"
                if want[1]
                else "it has no full block, so 0 belongs there"
            )
            return f"{which}: {asked}, and you return {row[1]}."
        if row[0] != want[0]:
            return f"{which} is said to find {row[0]} tokens; it finds {want[0]}."
    return None


def dice_of(g):
    return random.Random(int(torch.randint(0, 2**31, (1,), generator=g, device=g.device)))


def fixed(size, blocks, *requests):
    """Letters stand for tokens, drawn for each case; a word before a colon is the key."""

    def make(g):
        names = dice_of(g).sample(range(50_000), 64)
        return (
            [
                [text.partition(":")[0], [names[ord(c) - 64] for c in text.partition(":")[2]]]
                for text in requests
            ],
            size,
            blocks,
        )

    return make


def drawn(size, blocks, count=30):
    """Each request goes on from a prefix of an earlier one, or begins anew."""

    def make(g):
        dice = dice_of(g)
        requests = []
        for _ in range(count):
            room = blocks * size
            begin = list(dice.choice(requests)[1]) if requests and dice.random() < 0.8 else []
            if dice.random() < 0.5:
                begin = begin[: size * dice.randint(0, 4)]
            new = dice.sample(range(50_000), dice.choice((0, 0, 1, size - 1, size, 2 * size)))
            tokens = (begin + new)[:room] or [1]
            requests.append([dice.choice(("", "", "", "lora")), tokens])
        return requests, size, blocks

    return make


CASES = (
    Case("twice the same", fixed(4, 8, ":ABCDEFGHIJ", ":ABCDEFGHIJ")),
    Case("whole blocks", fixed(3, 9, ":ABCDEF", ":ABCDEF", ":ABCDEF", ":ABCDEFG", ":ABC")),
    Case("other tokens before", fixed(2, 9, ":ABCDE", ":XBCDE", ":XBCDE", ":CDAB")),
    Case("another key", fixed(2, 9, ":ABCDE", "lora:ABCDE", "lora:ABCDE", ":ABCDEF")),
    Case("less than a block", fixed(4, 4, ":ABC", ":ABCDE", ":ABC", ":ABCDE")),
    Case("blocks of one token", fixed(1, 5, ":ABC", ":ABCD", ":A", ":XY", ":ABCD")),
    Case("too few blocks for both", fixed(2, 4, ":ABCDEFG", ":XYZ", ":ABCDEFG", ":XYZ")),
    Case(
        "used again, so it stays", fixed(2, 5, ":ABC", ":DEF", ":ABX", ":QRSTUVW", ":ABY", ":DEY")
    ),
    Case("takes the block whose hash it needs again", fixed(2, 3, ":ABCD", ":XY", ":ABCD", ":ABCDE")),
    Case("drawn, 6 blocks", drawn(2, 6)),
    Case("drawn, 9 blocks", drawn(3, 9)),
    Case("drawn, 14 blocks", drawn(4, 14, 40)),
)
