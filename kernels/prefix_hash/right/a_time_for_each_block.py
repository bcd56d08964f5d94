import hashlib

import torch
from torch import Tensor


def digest(parent: int, tokens: tuple[int, ...], key: str) -> int:
    """The first 48 bits of SHA-256 of all three."""
    text = repr((parent, tuple(tokens), key)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:6], "big")


def prefix_hits(requests: list, size: int, blocks: int) -> Tensor:
    out = torch.zeros(len(requests), 2, dtype=torch.int64)
    # A block's age: what has the lowest one is given out next.
    age = {block: block for block in range(blocks)}
    owner: dict[int, int] = {}
    low, high = 0, blocks
    for n, (key, tokens) in enumerate(requests):
        chain = [0]
        for b in range(len(tokens) // size):
            chain.append(digest(chain[-1], tuple(tokens[b * size : (b + 1) * size]), key))
        held: list[int] = []
        for each in chain[1 : 1 + (len(tokens) - 1) // size]:
            if each not in owner:
                break
            held.append(owner[each])
        out[n, 0], out[n, 1] = len(held) * size, chain[-1]
        for block in held:
            del age[block]
        fresh = sorted(age, key=age.get)[: (len(tokens) + size - 1) // size - len(held)]
        owner = {each: block for each, block in owner.items() if block not in fresh}
        for block in fresh:
            del age[block]
            held.append(block)
            if len(held) < len(chain):
                owner.setdefault(chain[len(held)], block)
        hashed = set(owner.values())
        for block in held[::-1]:
            if block in hashed:
                age[block], high = high, high + 1
            else:
                low -= 1
                age[block] = low
    return out
