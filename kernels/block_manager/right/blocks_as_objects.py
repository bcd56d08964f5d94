import math
from collections import deque
from dataclasses import dataclass

import torch
from torch import Tensor


class BlockManager:
    """Tables of blocks for the keys and values of many sequences."""

    def __init__(self, blocks: int, size: int):
        self.size = size
        self.queue = deque(Block(number) for number in range(blocks))
        self.of: dict[str, Sequence] = {}

    def allocate(self, name: str, tokens: int) -> bool:
        need = math.ceil(tokens / self.size)
        if need > len(self.queue):
            return False
        self.of[name] = Sequence([self.queue.popleft().held() for _ in range(need)], tokens)
        return True

    def append(self, name: str) -> list[tuple[int, int]] | None:
        one = self.of[name]
        old, slot = one.blocks[-1], one.tokens % self.size
        if slot and old.readers == 1:
            one.tokens += 1
            return []
        if not self.queue:
            return None
        block = self.queue.popleft().held()
        one.tokens += 1
        if slot == 0:
            one.blocks.append(block)
            return []
        one.blocks[-1] = block
        old.readers -= 1
        return [(old.number, block.number)]

    def fork(self, name: str, new: str) -> None:
        one = self.of[name]
        self.of[new] = Sequence([block.held() for block in one.blocks], one.tokens)

    def release(self, name: str) -> None:
        for block in reversed(self.of.pop(name).blocks):
            block.readers -= 1
            if not block.readers:
                self.queue.append(block)

    def table(self, name: str) -> list[int]:
        return [block.number for block in self.of[name].blocks]

    def free(self) -> int:
        return len(self.queue)


@dataclass
class Block:
    number: int
    readers: int = 0

    def held(self) -> "Block":
        self.readers += 1
        return self


@dataclass
class Sequence:
    blocks: list[Block]
    tokens: int


def serve(blocks: int, size: int, script: list[str]) -> Tensor:
    """Play a script on a manager, with a memory beside it. Leave it as it is.

    A row for each line: done, free blocks, copies, and the first sequence and
    token that is read wrongly, or -1 and -1. int64 [lines, 5].
    """
    manager, memory, tokens, rows = BlockManager(blocks, size), {}, {}, []

    def at(name, i):
        table = manager.table(name)
        block = table[i // size] if i // size < len(table) else -1
        return (block, i % size) if 0 <= block < blocks else None

    for step, line in enumerate(script):
        act, name, *rest = line.split()
        copies, new = [], 0
        if act != "allocate" and name not in tokens:
            rows.append([0, 0, 0, -1, -1])  # it was refused before
            continue
        if act == "allocate":
            done = manager.allocate(name, int(rest[0]))
            if done:
                tokens[name], new = [], int(rest[0])
        elif act == "append":
            found = manager.append(name)
            done, copies = found is not None, found or []
            for a, b in copies:  # the whole block, as on a GPU
                memory.update({(b, i): memory.get((a, i)) for i in range(size)})
            new = int(done)
        elif act == "fork":
            done = True
            manager.fork(name, rest[0])
            tokens[rest[0]] = list(tokens[name])
        else:
            done = True
            manager.release(name)
            del tokens[name]
        for i in range(new):  # each token is written once, when it comes
            tokens[name].append((step, i))
            memory[at(name, len(tokens[name]) - 1)] = (step, i)
        wrong = [
            (int(each[1:]), i)
            for each in sorted(tokens)
            for i, token in enumerate(tokens[each])
            if at(each, i) is None or memory.get(at(each, i)) != token
        ]
        rows.append([int(done), manager.free(), len(copies), *(wrong or [(-1, -1)])[0]])
    return torch.tensor(rows)
