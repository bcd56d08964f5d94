import torch
from torch import Tensor


class BlockManager:
    """Tables of blocks for the keys and values of many sequences."""

    def __init__(self, blocks: int, size: int):
        self.size = size
        self.spare = list(range(blocks))  # free blocks
        self.tables: dict[str, list[int]] = {}
        self.lengths: dict[str, int] = {}
        # A block may be in several tables: who counts?

    def take(self) -> int:
        """Take a free block for one table."""
        return self.spare.pop()

    def allocate(self, name: str, tokens: int) -> bool:
        """Make the table of a new sequence. False, and nothing done, without room."""
        # How many blocks, and are there so many?
        self.tables[name] = [self.take()]
        self.lengths[name] = tokens
        return True

    def append(self, name: str) -> list[tuple[int, int]] | None:
        """Make room for one more token. The copies to make first, or None without room."""
        # When does it need a block: if the last one is
        # full, and in which case else?
        self.lengths[name] += 1
        return []

    def fork(self, name: str, new: str) -> None:
        """Let `new` begin with all tokens of `name`, in the same blocks."""
        self.tables[new] = list(self.tables[name])
        self.lengths[new] = self.lengths[name]

    def release(self, name: str) -> None:
        """Forget a sequence; free the blocks that nobody else holds."""
        self.spare += self.tables.pop(name)
        del self.lengths[name]

    def table(self, name: str) -> list[int]:
        """The blocks of a sequence, in the order of its tokens."""
        return self.tables[name]

    def free(self) -> int:
        """How many blocks are free."""
        return len(self.spare)


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
