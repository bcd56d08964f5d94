import torch
from torch import Tensor


class BlockManager:
    """Tables of blocks for the keys and values of many sequences."""

    def __init__(self, blocks: int, size: int):
        self.size = size
        self.names: list[set[str]] = [set() for _ in range(blocks)]
        self.tables: dict[str, list[int]] = {}
        self.room: dict[str, int] = {}  # empty slots of the last block

    def take(self, name: str) -> int:
        block = next(i for i, names in enumerate(self.names) if not names)
        self.names[block].add(name)
        return block

    def allocate(self, name: str, tokens: int) -> bool:
        need, rest = divmod(tokens, self.size)
        if rest:
            need += 1
        if self.free() < need:
            return False
        self.tables[name] = []
        for _ in range(need):
            self.tables[name].append(self.take(name))
        self.room[name] = need * self.size - tokens
        return True

    def append(self, name: str) -> list[tuple[int, int]] | None:
        table = self.tables[name]
        alone = self.names[table[-1]] == {name}
        if self.room[name] and alone:
            self.room[name] -= 1
            return []
        if self.free() == 0:
            return None
        if not self.room[name]:
            table.append(self.take(name))
            self.room[name] = self.size - 1
            return []
        old = table.pop()
        table.append(self.take(name))
        self.names[old].remove(name)
        self.room[name] -= 1
        return [(old, table[-1])]

    def fork(self, name: str, new: str) -> None:
        self.tables[new], self.room[new] = self.tables[name].copy(), self.room[name]
        for block in self.tables[new]:
            self.names[block].add(new)

    def release(self, name: str) -> None:
        for names in self.names:
            names.discard(name)
        del self.tables[name], self.room[name]

    def table(self, name: str) -> list[int]:
        return self.tables[name]

    def free(self) -> int:
        return sum(not names for names in self.names)


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
