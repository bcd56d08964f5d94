import hashlib
from collections import OrderedDict

import torch
from torch import Tensor


def digest(parent: int, tokens: tuple[int, ...], key: str) -> int:
    """The first 48 bits of SHA-256 of all three."""
    text = repr((parent, tuple(tokens), key)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:6], "big")


def block_hashes(tokens: list[int], size: int, key: str) -> list[int]:
    """The hash of each full block."""
    hashes, parent = [], 0
    for at in range(0, len(tokens) - size + 1, size):
        # The parent stands for all tokens before: with others, the same tokens have other keys.
        parent = digest(parent, tuple(tokens[at : at + size]), key)
        hashes.append(parent)
    return hashes


def prefix_hits(requests: list, size: int, blocks: int) -> Tensor:
    """Tokens found, and the hash of the last full block: int64 [requests, 2]."""
    queue = OrderedDict.fromkeys(range(blocks))
    where: dict[int, int] = {}  # from a hash to the block that has it
    of: dict[int, int] = {}  # from a block to its hash
    rows = []
    for key, tokens in requests:
        hashes = block_hashes(tokens, size, key)
        hits = 0
        # The last token is never a hit: its query is needed for the next token.
        most = (len(tokens) - 1) // size
        while hits < most and hashes[hits] in where:
            hits += 1
        held = [where[each] for each in hashes[:hits]]
        for block in held:
            del queue[block]
        for _ in range(-(-len(tokens) // size) - hits):
            block = queue.popitem(last=False)[0]
            if block in of:
                del where[of.pop(block)]
            held.append(block)
        for block, each in zip(held[hits:], hashes[hits:], strict=False):
            if each not in where:
                where[each] = block
                of[block] = each
        rows.append([hits * size, hashes[-1] if hashes else 0])
        # A tail without its prefix is of no use, so the tail goes first.
        for block in reversed(held):
            if block in of:
                queue[block] = None
            else:
                queue[block] = None
                queue.move_to_end(block, last=False)
    return torch.tensor(rows)
