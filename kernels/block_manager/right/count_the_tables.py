import torch
from torch import Tensor


class BlockManager:
    """Tables of blocks for the keys and values of many sequences."""

    def __init__(self, blocks: int, size: int):
        self.blocks, self.size = blocks, size
        self.sequences: dict[str, tuple[list[int], int]] = {}

    def unused(self) -> list[int]:
        held = {block for table, _ in self.sequences.values() for block in table}
        return [block for block in range(self.blocks) if block not in held]

    def allocate(self, name: str, tokens: int) -> bool:
        need, unused = (tokens + self.size - 1) // self.size, self.unused()
        if len(unused) >= need:
            self.sequences[name] = unused[:need], tokens
        return len(unused) >= need

    def append(self, name: str) -> list[tuple[int, int]] | None:
        table, tokens = self.sequences[name]
        readers = sum(table[-1] in other for other, _ in self.sequences.values())
        copies: list[tuple[int, int]] = []
        if tokens == len(table) * self.size or readers > 1:
            unused = self.unused()
            if not unused:
                return None
            if tokens < len(table) * self.size:
                copies = [(table[-1], unused[-1])]
                table = table[:-1]
            table = [*table, unused[-1]]
        self.sequences[name] = table, tokens + 1
        return copies

    def fork(self, name: str, new: str) -> None:
        self.sequences[new] = self.sequences[name]

    def release(self, name: str) -> None:
        self.sequences.pop(name)

    def table(self, name: str) -> list[int]:
        return self.sequences[name][0]

    def free(self) -> int:
        return len(self.unused())


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
