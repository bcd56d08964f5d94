import random
import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

_PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
PROGRAMS, Program, RULES = _PROBE["PROGRAMS"], _PROBE["Program"], _PROBE["RULES"]
CHARTED = 1  # of the programs


def reference(reads, size):
    return torch.tensor([program_of(reads, size).least()])


eager = reference


def program_of(reads, size):
    return Program(reads.bool().tolist(), size.long().tolist())


def by_rule(name):
    def answer(reads, size):
        program = program_of(reads, size)
        return torch.tensor([max(program.heights(program.by_rule(RULES[name])))])

    return answer


def in_order(order_of):
    def answer(reads, size):
        program = program_of(reads, size)
        return torch.tensor([max(program.heights(order_of(program)))])

    return answer


def other_bytes(height):
    """Return the least peak where a step needs `height(program, done, i)` bytes."""

    def answer(reads, size):
        program = program_of(reads, size)
        ways = {0: 0}
        for _ in range(program.count):
            further = {}
            for done, peak in ways.items():
                for i in program.ready(done):
                    high, to = max(peak, height(program, done, i)), done | 1 << i
                    further[to] = min(high, further.get(to, high))
            ways = further
        return torch.tensor([ways[(1 << program.count) - 1]])

    return answer


def unread(program, done):
    return sum(program.size[j] for j in program.kept(done) if program.used[j])


NEAR_MISSES = (
    ("the steps run as they are given", in_order(lambda program: range(program.count))),
    ("what leaves the least alive goes next, and nobody looks back", by_rule("behind")),
    ("what needs the least at its own step goes next, and nobody looks back", by_rule("at")),
    ("each branch is finished before the next one begins", in_order(Program.by_branch)),
    (
        "what a step reads for the last time is gone while it runs",
        other_bytes(lambda program, done, i: program.alive(done | 1 << i)),
    ),
    (
        "a step's own result is not there while it runs",
        other_bytes(lambda program, done, i: program.alive(done)),
    ),
    (
        "a result that no step reads is not kept",
        other_bytes(lambda program, done, i: unread(program, done) + program.size[i]),
    ),
    (
        "no result is ever given back",
        other_bytes(lambda program, done, i: sum(program.size)),
    ),
    (
        "a step may run before those that it reads",
        lambda reads, size: reference(torch.zeros_like(reads), size),
    ),
)


def work(reads, size):
    return Work(bytes=reads.numel() + 8 * len(size) + 8, flops=0)


def scale(reads, size):
    return 0.0


def check_found(found):
    """Return code and sentence for the first order that is none or has too high a peak, or None."""
    for (name, program), order in zip(PROGRAMS, found["orders"], strict=True):
        if fault := fault_of(program, order):
            return "wrong-values", f"`order` for “{name}” {fault}"
    return None


def fault_of(program, order):
    """Return what is wrong with an order, else None."""
    if isinstance(order, str):
        return f"{order}."
    for i in range(program.count):
        if order.count(i) != 1:
            times = "is missing" if i not in order else "stands in it twice or more"
            return f"is no order: step {i} {times}."
    done = 0
    for at, i in enumerate(order):
        if lacking := program.need[i] & ~done:
            j = lacking.bit_length() - 1
            return f"has step {i} at place {at}, before step {j}, whose result it reads."
        done |= 1 << i
    heights, least = program.heights(order), program.least()
    if max(heights) > least:
        at = heights.index(max(heights))
        done = sum(1 << i for i in order[:at])
        there = ", ".join(map(str, program.kept(done)))
        return (
            f"has {max(heights):,} bytes alive while step {order[at]} runs (results {there} and its "
            f"own); there is an order with {least:,}."
        )
    return None


def figures(found):
    """Return the peaks of all programs together, beside those of the orders as given."""
    got = [max(p.heights(order)) for (_, p), order in zip(PROGRAMS, found["orders"], strict=True)]
    given = [max(p.heights(range(p.count))) for _, p in PROGRAMS]
    return {"peaks of all programs": f"{sum(got):,} bytes (as given: {sum(given):,})"}


def chart(found):
    """Draw which results are alive at which place of the learner's order."""
    name, program = PROGRAMS[CHARTED]
    order = found["orders"][CHARTED]
    if isinstance(order, str) or sorted(order) != list(range(program.count)):
        return None
    spans = []
    for at, i in enumerate(order):
        readers = [order.index(k) for k in range(program.count) if program.used[i] >> k & 1]
        last = max([at, *readers]) if readers else program.count - 1
        spans.append((f"result {i}", at, last + 1, f"bytes {program.size[i]}"))
    return f"“{name}”: what is alive at each place of your order", "place", spans


def tensors(program):
    return torch.tensor(program.reads), torch.tensor(program.size)


def dice_of(g):
    return random.Random(int(torch.randint(1 << 40, (1,), generator=g, device=g.device)))


def hard(form, *numbers):
    """Make a program that no simple rule solves, from the case's own chance."""
    return lambda g: tensors(_PROBE["drawn"](dice_of(g), _PROBE[form], *numbers))


def plain(form, *numbers):
    """Make any program of a form."""
    return lambda g: tensors(_PROBE[form](dice_of(g), *numbers))


def fixed(size, *pairs):
    """Make a program from its bytes and the pairs (step, what it reads)."""

    def make(g):
        reads = torch.zeros(len(size), len(size), dtype=torch.bool)
        for i, j in pairs:
            reads[i, j] = True
        return reads, torch.tensor(size)

    return make


def views(g):
    """Make a program whose tensors are parts of larger ones, one of them laid out by columns."""
    reads, size = hard("cell", 10, 4)(g)
    wide = torch.zeros(2 * len(size), dtype=torch.int64)
    wide[::2] = size
    return reads.t().contiguous().t(), wide[::2]


CASES = (
    Case("one step, of more than 53 bits", fixed([2**53 + 1])),
    Case("a chain", fixed([64, 512, 128, 256], (1, 0), (2, 1), (3, 2))),
    Case("three outputs", fixed([10, 300, 40, 500], (1, 0), (2, 0), (3, 2))),
    Case("three branches", hard("branches", (2, 3, 2))),
    Case("a cell with several outputs", hard("cell", 12, 5)),
    Case("views", views),
    Case("five branches", hard("branches", (2, 2, 2, 2, 2))),
    Case("four branches of five steps", plain("branches", (5, 5, 5, 5))),
)
