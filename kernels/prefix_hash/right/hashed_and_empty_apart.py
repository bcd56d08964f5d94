import hashlib

import torch
from torch import Tensor


def digest(parent: int, tokens: tuple[int, ...], key: str) -> int:
    """The first 48 bits of SHA-256 of all three."""
    text = repr((parent, tuple(tokens), key)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:6], "big")


def prefix_hits(requests: list, size: int, blocks: int) -> Tensor:
    # Two places for free blocks: `stack` without a hash, `cache` with one, the oldest first.
    stack, cache = list(range(blocks))[::-1], {}
    answers = []
    for key, tokens in requests:
        parents = [0]
        while len(parents) * size <= len(tokens):
            end = len(parents) * size
            parents.append(digest(parents[-1], tuple(tokens[end - size : end]), key))
        hashes = parents[1:]
        mine: list[tuple[int, int | None]] = []
        while len(mine) < min(len(hashes), (len(tokens) - 1) // size):
            if hashes[len(mine)] not in cache:
                break
            mine.append((cache[hashes[len(mine)]], hashes[len(mine)]))
        answers.append([size * len(mine), parents[-1]])
        used = {each for _, each in mine}
        for each in used:
            del cache[each]
        while len(mine) < (len(tokens) - 1) // size + 1:
            block = stack.pop() if stack else cache.pop(next(iter(cache)))
            mine.append((block, None))
        for n in range(len(used), len(hashes)):
            if hashes[n] not in cache and hashes[n] not in used:
                mine[n] = mine[n][0], hashes[n]
                used.add(hashes[n])
        for block, each in reversed(mine):
            if each is None:
                stack.append(block)
            else:
                cache[each] = block
    return torch.tensor(answers)
