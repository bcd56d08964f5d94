import re
from collections import Counter

import torch

from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="new", rtol=1e-5, idempotent=True)


def type_of(sizes, dtype="f32"):
    return f"tensor<{'x'.join(map(str, sizes))}x{dtype}>"


def transpose(name, source, sizes, dims, dtype="f32"):
    """The line of a transposition, and the sizes of its result."""
    out = [sizes[d] for d in dims]
    line = f"{name} = stablehlo.transpose {source}, dims = {list(dims)} : ({type_of(sizes, dtype)}) -> "
    return line + type_of(out, dtype), out


def product(name, left, right, batching, contracting, dtype="f32"):
    """The line of a product, and the sizes of its result. `left`, `right`: name and sizes."""
    (a, m), (b, n) = left, right
    out = [m[d] for d in batching[0]]
    for sizes, taken in zip((m, n), zip(batching, contracting, strict=True), strict=True):
        out += [size for d, size in enumerate(sizes) if d not in (*taken[0], *taken[1])]
    batch = f"batching_dims = {list(batching[0])} x {list(batching[1])}, " if batching[0] else ""
    types = f"({type_of(m, dtype)}, {type_of(n, dtype)}) -> {type_of(out, dtype)}"
    line = f"{name} = stablehlo.dot_general {a}, {b}, {batch}contracting_dims = "
    return line + f"{list(contracting[0])} x {list(contracting[1])} : {types}", out


def module(arguments, lines, results, dtype="f32"):
    """The text. `arguments`, `results`: sizes by name."""
    given = ", ".join(f"{name}: {type_of(sizes, dtype)}" for name, sizes in arguments.items())
    types = ", ".join(type_of(sizes, dtype) for sizes in results.values())
    body = "".join(f"    {line}\n" for line in lines)
    return (
        f"module {{\n  func.func @main({given}) -> ({types}) {{\n{body}"
        f"    return {', '.join(results)} : {types}\n  }}\n}}\n"
    )


def case(name, why, arguments, lines, results, dtype="f32"):
    """Lines are texts, already with types."""
    text = module(arguments, lines, results, dtype)
    return Case(name, lambda g: (text, *filled(g, arguments.values(), dtype)), why)


def filled(g, shapes, dtype="f32"):
    if dtype == "i32":
        whole = {"generator": g, "device": g.device, "dtype": torch.int32}
        return [torch.randint(-9, 10, tuple(sizes), **whole) for sizes in shapes]
    return [torch.randn(*s, generator=g, device=g.device) for s in shapes]


def linear():
    line, t = transpose("%t", "%w", [5, 4], [1, 0])
    dot, y = product("%y", ("%x", [6, 4]), ("%t", t), ([], []), ([1], [0]))
    return {"%x": [6, 4], "%w": [5, 4]}, [line, dot], {"%y": y}


def scores():
    """Two heads: keys with axes (batch, position, head, number) become (batch, head, number, position),
    and queries (batch, head, position, number)."""
    q, a = transpose("%q", "%x", [2, 3, 2, 4], [0, 2, 1, 3])
    k, b = transpose("%k", "%w", [2, 5, 2, 4], [0, 2, 3, 1])
    dot, y = product("%y", ("%q", a), ("%k", b), ([1, 0], [1, 0]), ([3], [2]))
    return {"%x": [2, 3, 2, 4], "%w": [2, 5, 2, 4]}, [q, k, dot], {"%y": y}


def free_axes():
    """The second product keeps the order of two free axes, and the first does not."""
    t, a = transpose("%t", "%x", [3, 3, 3], [2, 0, 1])
    u, b = transpose("%t1", "%w", [3, 3, 3], [2, 1, 0])
    one, y = product("%y", ("%t", a), ("%w", [3, 3, 3]), ([], []), ([0], [1]))
    two, z = product("%z", ("%x", [3, 3, 3]), ("%t1", b), ([], []), ([0], [1]))
    return {"%x": [3, 3, 3], "%w": [3, 3, 3]}, [t, u, two, one], {"%y": y, "%z": z}


def readers():
    """`%t` is read by a sum as well, `%u` is a result, `%d` is read by nobody."""
    t, a = transpose("%t", "%x", [3, 3], [1, 0])
    u, b = transpose("%u", "%w", [3, 3], [1, 0])
    d, _ = transpose("%d", "%x", [3, 3], [1, 0])
    add = f"%s = stablehlo.add %t, %w : {type_of([3, 3])}"
    one, y = product("%y", ("%t", a), ("%u", b), ([], []), ([0], [1]))
    two, z = product("%z", ("%s", a), ("%t", a), ([], []), ([1], [0]))
    results = {"%y": y, "%u": b, "%z": z}
    return {"%x": [3, 3], "%w": [3, 3]}, [t, u, d, add, one, two], results


def chain():
    """Behind one and two transpositions the free axes are in another order, and behind three they are as
    before; of the other chain only the first step can go."""
    t, a = transpose("%t", "%x", [2, 3, 4], [1, 2, 0])
    u, b = transpose("%u", "%t", a, [0, 2, 1])
    s, c = transpose("%s", "%u", b, [1, 0, 2])
    v, d = transpose("%v", "%w", [3, 5, 4], [1, 0, 2])
    k, e = transpose("%k", "%v", d, [2, 0, 1])
    dot, y = product("%y", ("%s", c), ("%k", e), ([], []), ([2], [0]))
    return {"%x": [2, 3, 4], "%w": [3, 5, 4]}, [t, u, s, v, k, dot], {"%y": y}


def two_summed():
    """A product of i32 that sums two axes, which are 2 and 1 of the source, in this order."""
    t, a = transpose("%t", "%x", [4, 3, 3], [2, 0, 1], "i32")
    dot, y = product("%y", ("%w", [3, 3, 2]), ("%t", a), ([], []), ([0, 1], [0, 2]), "i32")
    return {"%x": [4, 3, 3], "%w": [3, 3, 2]}, [t, dot], {"%y": y}, "i32"


def drawn(g):
    """Two products of tensors of three axes, behind transpositions that are drawn."""

    def order():
        return torch.randperm(3, generator=g, device=g.device).tolist()

    t, a = transpose("%t", "%x", [2, 2, 2], order())
    u, b = transpose("%u", "%w", [2, 2, 2], order())
    v, c = transpose("%v", "%u", b, order())
    (batch, one, _), (other_batch, other, _) = order(), order()
    first, y = product("%y", ("%t", a), ("%v", c), ([batch], [other_batch]), ([one], [other]))
    second, z = product("%z", ("%u", b), ("%t", a), ([], []), (order()[:1], order()[:1]))
    arguments = {"%x": [2, 2, 2], "%w": [2, 2, 2]}
    text = module(arguments, [t, u, v, first, second], {"%y": y, "%z": z})
    return (text, *filled(g, arguments.values()))


CASES = (
    case("weights of a layer", "x times the transposed weights.", *linear()),
    case("scores of attention", "Both sides are transposed, with two batching axes.", *scores()),
    case("two free axes", "Only where their order stays can the source be read.", *free_axes()),
    case("other readers", "A sum and a result read transpositions too.", *readers()),
    case("transposed again and again", "A source may be a transposition itself.", *chain()),
    case("two axes summed", "Whole numbers; the pairs of summed axes stay pairs.", *two_summed()),
    Case("drawn", drawn, "Permutations and lists are drawn."),
)


def most(program, *inputs):
    """Return what may be left: all lines but the transpositions that nothing needs any more."""
    names = Counter(re.findall(r"= stablehlo\.(\w+)", program))
    moves, reads = {}, re.findall(r"%\w+", program.rpartition("return")[2])
    for line in program.splitlines():
        if found := re.search(r"(%\w+) = stablehlo\.transpose (%\w+), dims = \[(.*)\] :", line):
            moves[found[1]] = (found[2], [int(d) for d in found[3].split(", ")])
        elif " = stablehlo.dot_general" in line:
            lists = [eval(each) for each in re.findall(r"\[.*?\]", line)]
            operands = re.findall(r"%\w+", line)[1:]
            for side, name in enumerate(operands):
                used = [*lists[side], *(lists[side + 2] if len(lists) > 2 else [])]
                reads.append(first_source(name, used, moves))
        elif " = " in line:
            reads += re.findall(r"%\w+", line)[1:]
    needed = set()
    while reads:
        name = reads.pop()
        if name in moves and name not in needed:
            needed.add(name)
            reads.append(moves[name][0])
    names["transpose"] = len(needed)
    return names


def first_source(name, used, moves):
    """The earliest tensor behind a name that a product can read in its place."""
    best, place = name, None
    while name in moves:
        name, dims = moves[name]
        place = [dims[d] for d in (place or range(len(dims)))]
        free = [axis for d, axis in enumerate(place) if d not in used]
        best = name if free == sorted(free) else best
    return best
