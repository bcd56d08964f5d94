"""Asks the learner's `overlap` for an order of each program. The orders are all that leaves the
process; reference.py runs them again."""

import random

from tutor.judge.cases.streams import Op, Refused, run_order

CHANGED = "changes the list `ops`, which is to stay as it is"


def as_given(ops):
    """Return the order in which each collective is waited for at once."""
    order = []
    for op in ops:
        order.append(op.name)
        if op.collective:
            order.append(f"wait {op.name}")
    return order


def forward(seed, layers, gather, compute, size):
    """Return a forward pass: each layer's weight is gathered, then used. Ranges of times and bytes."""
    dice, ops, before = random.Random(seed), [], ()
    for name in dice.sample(range(10, 99), layers):
        ops.append(Op(f"g{name}", "gather", dice.randint(*gather), dice.randint(*size)))
        ops.append(Op(f"c{name}", "compute", dice.randint(*compute), 0, (f"g{name}", *before)))
        before = (f"c{name}",)
    return ops


def backward(seed, layers, gather, compute, size, reduce=None):
    """Return a backward pass: a weight is gathered, its gradient computed, and reduced."""
    dice, ops, before = random.Random(seed), [], ()
    for name in dice.sample(range(10, 99), layers):
        weight = dice.randint(*size)
        ops.append(Op(f"g{name}", "gather", dice.randint(*gather), weight))
        ops.append(Op(f"b{name}", "compute", dice.randint(*compute), weight, (f"g{name}", *before)))
        ops.append(Op(f"r{name}", "reduce", dice.randint(*(reduce or gather)), 0, (f"b{name}",)))
        before = (f"b{name}",)
    return ops


def shared():
    """Return a forward pass whose first and last computation read one weight."""
    ops = forward(21, 6, (4, 6), (3, 6), (2, 4))
    last = ops[-1]
    ops[-1] = Op(last.name, "compute", last.time, 0, (*last.needs, ops[0].name))
    return ops


def routed():
    """Return a program in which two gathers send results of computations, and two more weights."""
    return [
        Op("w1", "gather", 4, 3),
        Op("m1", "compute", 3, 2, ("w1",)),
        Op("side", "compute", 5, 0, ("w1",)),
        Op("send", "gather", 6, 2, ("m1",)),
        Op("m2", "compute", 4, 2, ("send", "side")),
        Op("w2", "gather", 3, 3),
        Op("m3", "compute", 5, 2, ("w2", "m2")),
        Op("back", "gather", 6, 2, ("m3",)),
        Op("w3", "gather", 5, 3),
        Op("m4", "compute", 2, 0, ("w3", "back")),
    ]


def long_first():
    """Return a forward pass whose first computation hides all later gathers, if they begin early."""
    ops = forward(11, 7, (4, 5), (1, 2), (2, 2))
    ops[1] = Op(ops[1].name, "compute", 26, 0, ops[1].needs)
    return ops


def plain():
    """Return one computation after another, and a reduction whose result nobody reads."""
    return [
        Op("c1", "compute", 3, 2),
        Op("r1", "reduce", 4, 1, ("c1",)),
        Op("c2", "compute", 2, 0, ("c1",)),
        Op("c3", "compute", 4, 0, ("c2",)),
    ]


def step():
    """Return a forward and a backward pass over five layers."""
    there = forward(5, 5, (3, 5), (3, 6), (3, 5))
    back = backward(6, 5, (3, 5), (6, 10), (3, 5))
    first = back[1]
    back[1] = Op(first.name, "compute", first.time, first.bytes, (*first.needs, there[-1].name))
    names = {op.name for op in there}
    return [*there, *(renamed(op, names) for op in back)]


def renamed(op, taken):
    """Return the operation with an "x" behind each of its names that is taken, but for computations."""
    change = lambda name: f"{name}x" if name in taken and name[0] != "c" else name  # noqa: E731
    return Op(change(op.name), op.kind, op.time, op.bytes, tuple(map(change, op.needs)))


def with_room(name, ops, more):
    """Return a program whose limit is `more` bytes above what the given order takes."""
    return name, ops, run_order(as_given(ops), ops).peak + more


PROGRAMS = (
    with_room("six layers forward", forward(1, 6, (3, 5), (4, 6), (2, 4)), 6),
    with_room("five layers backward", backward(2, 5, (3, 4), (7, 9), (2, 3)), 7),
    with_room("room for everything", forward(3, 8, (2, 6), (2, 6), (1, 5)), 99),
    with_room("gathers that take longer than a computation", forward(4, 9, (6, 9), (3, 5), (2, 2)), 5),
    with_room("short computations behind a long one", long_first(), 12),
    with_room("no room at all", forward(7, 6, (3, 5), (4, 6), (4, 4)), 0),
    with_room("just two buffers", forward(13, 7, (4, 6), (4, 6), (4, 4)), 4),
    with_room("little room backward", backward(8, 6, (2, 4), (6, 8), (2, 6)), 4),
    with_room("long reductions", backward(9, 6, (2, 3), (5, 6), (3, 3), reduce=(6, 7)), 6),
    with_room("a whole step", step(), 8),
    with_room("a weight that is used twice", shared(), 4),
    with_room("gathers of results", routed(), 5),
    with_room("a result that nobody reads", plain(), 3),
)


def probe(module, device):
    return {"orders": [order_of(module, ops, limit) for _, ops, limit in PROGRAMS]}


def order_of(module, ops, limit):
    """Return the learner's order as JSON has it, or a text that says what else it is."""

    def measure(order):
        try:
            run = run_order(list(order), ops)
        except Refused:
            return None
        return run.time, run.peak

    given = list(ops)
    order = module.overlap(given, limit, measure)
    if given != list(ops):
        return CHANGED
    if isinstance(order, list | tuple) and all(isinstance(entry, str) for entry in order):
        return list(order)
    return repr(order)[:60]
