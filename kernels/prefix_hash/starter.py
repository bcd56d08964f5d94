import hashlib

import torch
from torch import Tensor


def digest(parent: int, tokens: tuple[int, ...], key: str) -> int:
    """The first 48 bits of SHA-256 of all three."""
    text = repr((parent, tuple(tokens), key)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:6], "big")


def block_hashes(tokens: list[int], size: int, key: str) -> list[int]:
    """The hash of each full block."""
    # What stands for all the tokens before a block?
    blocks = [tokens[at : at + size] for at in range(0, len(tokens), size)]
    return [digest(0, tuple(block), key) for block in blocks]


def prefix_hits(requests: list, size: int, blocks: int) -> Tensor:
    """Tokens found, and the hash of the last full block: int64 [requests, 2]."""
    queue = list(range(blocks))
    where: dict[int, int] = {}  # from a hash to the block that has it
    of: dict[int, int] = {}  # from a block to its hash
    rows = []
    for key, tokens in requests:
        hashes = block_hashes(tokens, size, key)
        # Find, take, compute, give back.
        rows.append([0, hashes[-1]])
    return torch.tensor(rows)
