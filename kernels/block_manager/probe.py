"""Plays drawn scripts on the learner's `BlockManager`, with a memory of its own beside it."""

import random


def scripts():
    """Yield (blocks, size, lines): drawn scripts, each of which goes on whatever is refused."""
    for seed, (blocks, size, steps) in enumerate(
        ((32, 4, 220), (9, 16, 220), (40, 1, 160), (40, 7, 220), (6, 3, 160))
    ):
        yield blocks, size, drawn(random.Random(590 + seed), blocks, size, steps)


def drawn(dice, blocks, size, steps):
    """Lines that allocate, append, fork and release, by dice; more often than not it is full."""
    played, lines, made = Counts(blocks, size), [], 0
    for _ in range(steps):
        living = list(played.tables)
        act = dice.choice(["allocate", "append", "append", "append", "append", "fork", "release"])
        if act == "allocate" or not living:
            tokens = dice.choice([1, max(1, size - 1), size, size + 1, 2 * size, 3 * size + 1])
            line, made = f"allocate s{made} {tokens}", made + 1
        elif act == "fork":
            line, made = f"fork {dice.choice(living)} s{made}", made + 1
        else:
            line = f"{act} {dice.choice(living)}"
        lines.append(line)
        played.play(line)
    return lines


class Counts:
    """Say what a right manager says: blocks are made one after the other, and never used again."""

    def __init__(self, blocks, size):
        self.blocks, self.size, self.tables, self.lengths, self.made = blocks, size, {}, {}, 0

    def new(self):
        self.made += 1
        return self.made

    def free(self):
        return self.blocks - len(set().union(*map(set, self.tables.values())))

    def play(self, line):
        """Return done, free blocks and copies after a line."""
        act, name, *rest = line.split()
        done, copies = 1, 0
        if act == "allocate":
            need = -(-int(rest[0]) // self.size)
            done = int(need <= self.free())
            if done:
                self.tables[name] = [self.new() for _ in range(need)]
                self.lengths[name] = int(rest[0])
        elif act == "append":
            table, full = self.tables[name], self.lengths[name] % self.size == 0
            copies = int(
                not full
                and any(table[-1] in held for one, held in self.tables.items() if one != name)
            )
            done = int(self.free() > 0 or not (full or copies))
            copies = copies * done
            if done:
                self.lengths[name] += 1
                self.tables[name] = table[: len(table) - copies] + [
                    self.new() for _ in range(full or copies)
                ]
        elif act == "fork":
            self.tables[rest[0]] = list(self.tables[name])
            self.lengths[rest[0]] = self.lengths[name]
        else:
            del self.tables[name], self.lengths[name]
        return [done, self.free(), copies]


def played(make, blocks, size, lines):
    """Return the rows of `serve`, by a memory that the learner's file does not hold."""
    manager, memory, tokens, rows = make(blocks, size), {}, {}, []
    for step, line in enumerate(lines):
        act, name, *rest = line.split()
        copies, new, done = [], 0, True
        if act != "allocate" and name not in tokens:
            rows.append([0, 0, 0, -1, -1])
            continue
        if act == "allocate":
            done = bool(manager.allocate(name, int(rest[0])))
            new = int(rest[0]) if done else 0
            if done:
                tokens[name] = []
        elif act == "append":
            found = manager.append(name)
            done, copies = found is not None, list(found or [])
            new = int(done)
        elif act == "fork":
            manager.fork(name, rest[0])
            tokens[rest[0]] = list(tokens[name])
        else:
            manager.release(name)
            del tokens[name]
        for a, b in copies:
            for i in range(size):
                memory[b, i] = memory.get((a, i))
        for i in range(new):
            n = len(tokens[name])
            tokens[name].append((step, i))
            memory[place(manager, name, n, blocks, size)] = (step, i)
        wrong = [-1, -1]
        for each in sorted(tokens):
            for i, token in enumerate(tokens[each]):
                where = place(manager, each, i, blocks, size)
                if wrong[0] < 0 and (where is None or memory.get(where) != token):
                    wrong = [int(each[1:]), i]
        rows.append([int(done), int(manager.free()), len(copies), *wrong])
    return rows


def place(manager, name, i, blocks, size):
    """The block and slot of a token; None where the table has no such block."""
    table = list(manager.table(name))
    block = table[i // size] if i // size < len(table) else -1
    return (int(block), i % size) if 0 <= block < blocks else None


def beside(make):
    """Say if a manager stays as it was while another one plays a script with the same names."""
    one = make(8, 4)
    one.allocate("s0", 6)
    before = list(one.table("s0"))
    played(make, *next(scripts()))
    return int(list(one.table("s0")) == before and one.free() == 6 and one.append("s0") == [])


def probe(module, device):
    return {
        "rows": [played(module.BlockManager, *script) for script in scripts()],
        "beside": beside(module.BlockManager),
    }
