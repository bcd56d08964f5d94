import itertools

import torch

from tutor.judge.spec import Case, Work


def parsed(graph):
    sizes, nodes = {}, []
    for line in graph.strip().splitlines():
        name, rest = line.split(": ")
        size, *formula = rest.split(", ")
        sizes[name] = int(size)
        if formula:
            loop, reads = formula[0].split(" = ")
            nodes.append((name, loop, reads.split()))
    return sizes, nodes


def grouped(
    graph,
    *,
    paths=True,
    horizontal=True,
    vertical=True,
    best=True,
    calls=False,
    anew=True,
    loops=True,
):
    """The place of the earliest node of each node's kernel. The options leave a rule out."""
    sizes, nodes = parsed(graph)
    home = list(range(len(nodes)))
    writer = {name: i for i, (name, _, _) in enumerate(nodes)}
    edges = [(writer[r], i) for i, (_, _, reads) in enumerate(nodes) for r in reads if r in writer]

    def touched(group):
        return {n for i, h in enumerate(home) if h == group for n in (nodes[i][0], *nodes[i][2])}

    def longest_way(first, second):
        """Tell if a path of two steps or more leads from one kernel to the other."""
        arrows = {(home[a], home[b]) for a, b in edges if home[a] != home[b]}
        reached = {b for a, b in arrows if a == first and b != second}
        while more := {b for a, b in arrows if a in reached and b != first} - reached:
            if second in reached:
                break
            reached |= more - set()
        return second in reached

    def pairs():
        for p, q in itertools.combinations(sorted(set(home)), 2):
            names = {nodes[i][1] for i, h in enumerate(home) if h in (p, q)}
            score = sum(sizes[name] for name in touched(p) & touched(q))
            direct = any(home[a] == p and home[b] == q for a, b in edges)
            kind = (direct and vertical) or (not direct and horizontal)
            free = not paths or not (longest_way(p, q) or longest_way(q, p))
            fits = (len(names) == 1 or not loops) and (calls or "call" not in names)
            if fits and score and kind and free:
                yield (score if best else 0, -p, -q)

    if not anew:  # all pairs of the beginning
        for _, p, q in sorted(pairs(), reverse=True):
            one, other = sorted((home[-p], home[-q]))
            home[:] = [one if h == other else h for h in home]
        return home
    while found := max(pairs(), default=None):
        home[:] = [-found[1] if h == -found[2] else h for h in home]
    return home


def reference(graph):
    return torch.tensor(grouped(graph))


eager = reference


def by_mistake(**change):
    return lambda graph: torch.tensor(grouped(graph, **change))


def numbered(graph):
    right = grouped(graph)
    return torch.tensor([sorted(set(right)).index(place) for place in right])


NEAR_MISSES = (
    ("kernels are joined although another one has to run between them", by_mistake(paths=False)),
    ("two kernels that only read the same tensor are left apart", by_mistake(horizontal=False)),
    ("a kernel and the one that reads its result are left apart", by_mistake(vertical=False)),
    (
        "the first allowed pair is joined, not the one with the highest score",
        by_mistake(best=False),
    ),
    ("calls into a library are joined", by_mistake(calls=True)),
    ("kernels with different loops are joined", by_mistake(loops=False)),
    ("the pairs of the beginning are joined, and none is looked at again", by_mistake(anew=False)),
    ("the kernels are numbered, and not named by their earliest nodes", numbered),
)


def work(graph):
    return Work(bytes=len(graph) + 8, flops=0)


def fixed(*lines):
    return lambda g: ("\n".join(lines),)


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def by_dice(loops, length):
    """Nodes that read one or two tensors of before, with sizes that decide between pairs."""

    def make(g):
        names, lines = ["x", "y"], [f"x: {draw(g, 1, 9)}", f"y: {draw(g, 1, 9)}"]
        for i in range(length):
            reads = sorted({names[draw(g, max(0, len(names) - 5), len(names))] for _ in "ab"})
            loop = loops[draw(g, 0, len(loops))]
            lines.append(f"t{i}: {draw(g, 1, 9)}, {loop} = {' '.join(reads)}")
            names.append(f"t{i}")
        return ("\n".join(lines),)

    return make


CASES = (
    Case("one node", fixed("x: 4", "a: 4, elements = x")),
    Case("a chain", fixed(
        "x: 16", "a: 16, elements = x", "b: 16, elements = a", "c: 16, elements = b")),
    Case("side by side", fixed("x: 16", "a: 16, elements = x", "b: 16, elements = x")),
    Case("strangers", fixed(
        "x: 16", "y: 16", "z: 16", "a: 16, elements = y", "b: 16, elements = z",
        "c: 16, elements = x")),
    Case("the task's", fixed(
        "x: 16", "w: 2", "a: 16, elements = x", "b: 1, rows = a", "c: 16, elements = a b",
        "d: 16, call = c w")),
    Case("around a call", fixed(
        "h: 8", "w: 8", "s: 1", "a: 8, elements = h s", "m: 8, call = a w", "r: 8, elements = m s",
        "q: 8, elements = r h")),
    Case("two calls with one input", fixed(
        "h: 8", "w: 8", "v: 8", "a: 8, call = h w", "b: 8, call = h v", "c: 8, elements = a b")),
    Case("something far between", fixed(
        "x: 9", "a: 9, elements = x", "b: 1, rows = a", "c: 1, call = b", "d: 1, rows = c",
        "e: 9, elements = a d", "f: 9, elements = x")),
    Case("the score decides", fixed(
        "x: 2", "y: 9", "a: 2, elements = x", "r: 1, rows = a", "b: 2, elements = x y",
        "c: 9, elements = y r", "d: 1, rows = b", "e: 2, elements = d a")),
    Case("a join lies between", fixed(
        "x: 8", "a: 8, elements = x", "b: 8, elements = x", "r: 1, rows = a", "s: 1, rows = b r",
        "c: 8, elements = b s", "d: 8, elements = a r")),
    Case("the first join forbids the second", fixed(
        "x: 1", "y: 8", "a: 8, elements = x y", "r: 4, rows = a", "b: 8, elements = r y",
        "s: 4, rows = x r", "c: 1, elements = x", "d: 4, rows = c")),
    Case("the later one has to run first", fixed(
        "x: 9", "y: 1", "a: 1, elements = x y", "b: 1, elements = y", "r: 1, rows = b",
        "c: 1, elements = x r")),
    Case("two pairs of one score", fixed(
        "x: 4", "a: 4, elements = x", "b: 4, elements = x", "r: 1, rows = a",
        "c: 4, elements = x r")),
    Case("one tensor that two nodes of a kernel read", fixed(
        "x: 10", "y: 15", "w: 40", "p: 1, elements = x y", "a: 2, elements = x w",
        "b: 2, elements = x w a", "s: 1, rows = b", "r: 1, elements = y s")),
    Case("one first kernel, two pairs of one score", fixed(
        "x: 8", "y: 8", "p: 1, elements = x y", "a: 2, elements = x", "s: 1, rows = a",
        "b: 2, elements = y s")),
    Case("a kernel stands where its earliest node stands", fixed(
        "x: 2", "y: 2", "a: 1, rows = x y", "b: 1, elements = x", "c: 1, rows = x y",
        "d: 1, rows = b c", "e: 1, elements = b c")),
    Case("a larger kernel touches more", fixed(
        "x: 7", "y: 4", "a: 5, elements = x y", "b: 3, elements = y", "c: 7, rows = a y",
        "d: 2, elements = b c", "e: 3, elements = c y")),
    Case("what one writes and the other reads", fixed(
        "x: 3", "y: 6", "a: 4, elements = x", "b: 6, rows = a x", "c: 7, elements = a",
        "d: 2, elements = a b")),
    Case("elements and rows, by dice", by_dice(("elements", "rows"), 10)),
    Case("with calls, by dice", by_dice(("elements", "elements", "rows", "call"), 12)),
    Case("mostly elements, by dice", by_dice(("elements", "elements", "elements", "rows"), 14)),
    Case("again", by_dice(("elements", "elements", "elements", "rows"), 14)),
    Case("and again", by_dice(("elements", "elements", "rows", "columns"), 16)),
    Case("once more", by_dice(("elements", "elements", "rows", "call"), 16)),
)  # fmt: skip
