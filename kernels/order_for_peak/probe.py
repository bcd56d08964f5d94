"""Asks the learner's `order` about programs. Plain values only leave the process."""

import random

import torch

CHANGED = "changes an argument"


class Program:
    """What each step reads and makes; sets of steps are integers."""

    def __init__(self, reads, size):
        self.reads, self.size, self.count = reads, size, len(size)
        places = range(self.count)
        self.need = [sum(1 << j for j in places if row[j]) for row in reads]
        self.used = [sum(1 << i for i in places if reads[i][j]) for j in places]

    def alive(self, done):
        """Return the bytes that are there once these steps are done."""
        return sum(self.size[j] for j in self.kept(done))

    def kept(self, done):
        return [
            j
            for j in range(self.count)
            if done >> j & 1 and (not self.used[j] or self.used[j] & ~done)
        ]

    def ready(self, done):
        return [i for i in range(self.count) if not done >> i & 1 and not self.need[i] & ~done]

    def heights(self, order):
        """Return the bytes at each step of a legal order."""
        done, found = 0, []
        for i in order:
            found.append(self.alive(done) + self.size[i])
            done |= 1 << i
        return found

    def least(self):
        """Return the lowest peak: the cheapest way up through the closed sets."""
        ways = {0: 0}
        for _ in range(self.count):
            further = {}
            for done, peak in ways.items():
                before = self.alive(done)
                for i in self.ready(done):
                    high = max(peak, before + self.size[i])
                    to = done | 1 << i
                    further[to] = min(high, further.get(to, high))
            ways = further
        return ways[(1 << self.count) - 1]

    def by_rule(self, score):
        """Return the order in which the ready step with the lowest score goes next."""
        done, order = 0, []
        while len(order) < self.count:
            i = min(self.ready(done), key=lambda i, done=done: score(self, done, i))
            order.append(i)
            done |= 1 << i
        return order

    def by_branch(self):
        """Return the order in which what an output reads is made depth first."""
        order = []

        def make(i):
            if i not in order:
                for j in range(self.count):
                    if self.reads[i][j]:
                        make(j)
                order.append(i)

        for i in range(self.count):
            if not self.used[i]:
                make(i)
        return order


RULES = {
    "behind": lambda p, done, i: p.alive(done | 1 << i),
    "at": lambda p, done, i: p.alive(done) + p.size[i],
    "gain": lambda p, done, i: p.alive(done | 1 << i) - p.alive(done),
    "both": lambda p, done, i: p.alive(done | 1 << i) + p.size[i],
}


def is_hard(program):
    """Whether no simple rule finds an order with the lowest peak."""
    least = program.least()
    orders = [program.by_rule(rule) for rule in RULES.values()]
    orders += [list(range(program.count)), program.by_branch()]
    return all(max(program.heights(order)) > least for order in orders)


SIZES = (1, 2, 3, 5, 8, 13, 21)


def branches(dice, lengths):
    """Return chains that begin with one input and are joined at the end, their steps mixed."""
    count = 2 + sum(lengths)
    reads = [[False] * count for _ in range(count)]
    places = [branch for branch, length in enumerate(lengths) for _ in range(length)]
    dice.shuffle(places)
    last = {}
    for i, branch in enumerate(places, 1):
        reads[i][last.get(branch, 0)] = True
        last[branch] = i
    for i in last.values():
        reads[-1][i] = True
    return Program(reads, [64 * dice.choice(SIZES) for _ in range(count)])


def cell(dice, count, width):
    """Return steps that read one to three of the newest results, with several outputs."""
    reads, near = [[False] * count for _ in range(count)], []
    for i in range(count):
        for j in dice.sample(near, min(len(near), dice.choice((1, 1, 1, 2, 2, 3)))):
            reads[i][j] = True
            if dice.random() < 0.6 or len(near) > width:
                near.remove(j)
        near.append(i)
    return Program(reads, [64 * dice.choice(SIZES) + dice.randrange(64) for _ in range(count)])


def drawn(dice, make, *form):
    """Return the first program of a form that no simple rule solves."""
    for _ in range(4000):
        program = make(dice, *form)
        if is_hard(program):
            return program
    raise ValueError(f"no hard program of the form {form}")


# The seeds are such that no simple rule solves a program, but for the first.
PROGRAMS = (
    ("one step", Program([[False]], [640])),
    ("three branches", branches(random.Random(1), (2, 3, 2))),
    ("four branches", branches(random.Random(4), (2, 2, 3, 2))),
    ("two long branches", branches(random.Random(5), (5, 5))),
    ("a cell", cell(random.Random(3), 9, 3)),
    ("a wide cell", cell(random.Random(6), 12, 5)),
    ("a long cell", cell(random.Random(0), 20, 3)),
    ("another cell", cell(random.Random(3), 14, 4)),
    ("seven branches", branches(random.Random(473), (2, 2, 2, 2, 2, 2, 2))),
    ("branches of unlike length", branches(random.Random(4), (1, 4, 6))),
    ("a cell with several outputs", cell(random.Random(16), 11, 9)),
    ("four branches of six steps", branches(random.Random(459), (6, 6, 6, 6))),
    ("four branches of five steps", branches(random.Random(80), (5, 5, 5, 5))),
)


def probe(module, device):
    return {"orders": [order_of(module, program) for _, program in PROGRAMS]}


def order_of(module, program):
    """Return the learner's order as a list, or a text that says what else it is."""
    given = torch.tensor(program.reads), torch.tensor(program.size)
    got = module.order(*given)
    if given[0].tolist() != program.reads or given[1].tolist() != program.size:
        return CHANGED
    if not isinstance(got, torch.Tensor):
        return f"returns a {type(got).__name__}; expected an int64 tensor [{program.count}]"
    if got.dtype != torch.int64 or tuple(got.shape) != (program.count,):
        form = f"{str(got.dtype).removeprefix('torch.')} {list(got.shape)}"
        return f"returns {form}; expected int64 [{program.count}]"
    return got.tolist()
