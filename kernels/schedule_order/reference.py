import torch

from tutor.judge.spec import Case, Work


def reference(loops, script):
    """Carry each original loop as a tensor of values over the grid of the scheduled nest."""
    names = [loop.split(":")[0] for loop in loops.split()]
    nest = [[loop.split(":")[0], int(loop.split(":")[1])] for loop in loops.split()]
    rules = []
    for step in script.splitlines():
        word, *given = step.split()
        at = [[name for name, _ in nest].index(x) for x in given if not x.isdigit()]
        if word == "split":
            name, extent, factor = given[0], nest[at[0]][1], int(given[1])
            nest[at[0] : at[0] + 1] = [
                [name + "_0", (extent + factor - 1) // factor],
                [name + "_1", factor],
            ]
            rules.append(("split", name, extent, factor))
        elif word == "fuse":
            name = f"{given[0]}_{given[1]}_fused"
            rules.append(("fuse", *given, nest[at[1]][1], name))
            nest[at[0] : at[0] + 2] = [[name, nest[at[0]][1] * nest[at[1]][1]]]
        else:
            kept = [nest[k] for k in at]
            for k, loop in zip(sorted(at), kept, strict=True):
                nest[k] = loop
    return values_of(names, nest, rules)


def values_of(names, nest, rules):
    grid = torch.meshgrid(*(torch.arange(extent) for _, extent in nest), indexing="ij")
    value = {name: axis.flatten() for (name, _), axis in zip(nest, grid, strict=True)}
    runs = torch.ones_like(next(iter(value.values())), dtype=torch.bool)
    for rule in reversed(rules):
        if rule[0] == "split":
            _, name, extent, factor = rule
            value[name] = value[name + "_0"] * factor + value[name + "_1"]
            runs &= value[name] < extent
        else:
            _, outer, inner, columns, name = rule
            value[outer], value[inner] = value[name] // columns, value[name] % columns
    return torch.stack([value[name] for name in names], 1)[runs]


eager = reference


def work(loops, script):
    iterations = 1
    for loop in loops.split():
        iterations *= int(loop.split(":")[1])
    return Work(bytes=8 * iterations * len(loops.split()) + len(loops) + len(script), flops=0)


def scale(loops, script):
    return 0.0


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def written(loops, *steps):
    return lambda g: (loops, "\n".join(steps))


def drawn(count, steps):
    """A nest of `count` loops and a script by dice; extents stay small."""

    def make(g):
        nest = [[name, draw(g, 2, 6)] for name in "ijk"[:count]]
        loops = " ".join(f"{name}:{extent}" for name, extent in nest)
        script = []
        for _ in range(steps):
            moved = any(step.startswith("reorder") for step in script)
            script.append(step_by_dice(g, nest, ("split", "reorder") if moved else STEPS))
        return loops, "\n".join(script)

    return make


STEPS = ("split", "reorder", "fuse", "split")


def step_by_dice(g, nest, words):
    """Change the nest by one possible step and return its text."""
    word = words[draw(g, 0, len(words))] if len(nest) > 1 else "split"
    at = draw(g, 0, len(nest) - (word == "fuse"))
    if word == "split":
        name, extent = nest[at]
        factor = draw(g, 2, 4)
        nest[at : at + 1] = [[name + "_0", -(-extent // factor)], [name + "_1", factor]]
        return f"split {name} {factor}"
    if word == "fuse":
        (a, rows), (b, columns) = nest[at : at + 2]
        nest[at : at + 2] = [[f"{a}_{b}_fused", rows * columns]]
        return f"fuse {a} {b}"
    chosen = torch.randperm(len(nest), generator=g, device=g.device).tolist()[: draw(g, 2, 4)]
    kept = [nest[k] for k in chosen]
    for k, loop in zip(sorted(chosen), kept, strict=True):
        nest[k] = loop
    return "reorder " + " ".join(name for name, _ in kept)


CASES = (
    Case("an empty script", written("i:3 j:4")),
    Case("one split", written("i:12", "split i 4")),
    Case("a split with a rest", written("i:10 j:3", "split i 4")),
    Case("a factor larger than the loop", written("i:3 j:2", "split i 8")),
    Case("two loops exchanged", written("i:3 j:4", "reorder j i")),
    Case("the outer and the inner of three", written("i:2 j:3 k:4", "reorder k i")),
    Case("tiles", written("i:8 j:6", "split i 4", "split j 3", "reorder i_0 j_0 i_1 j_1")),
    Case("tiles with a rest", written(
        "i:7 j:5", "split i 4", "split j 3", "reorder i_0 j_0 i_1 j_1")),
    Case("a product in tiles", written(
        "i:6 j:8 k:5", "split i 4", "split j 4", "split k 2", "reorder i_0 j_0 k_0 i_1 k_1 j_1")),
    Case("fused", written("i:4 j:5", "fuse i j", "split i_j_fused 6")),
    Case("fused, then exchanged", written("i:2 j:3 k:4", "fuse i j", "reorder k i_j_fused")),
    Case("fused, split with a rest, exchanged", written(
        "i:3 j:4", "fuse i j", "split i_j_fused 5", "reorder i_j_fused_1 i_j_fused_0")),
    Case("exchanged, then fused", written("i:2 j:3 k:4", "reorder j i", "fuse j i")),
    Case("fused after a split with a rest", written("i:5 j:3", "split i 2", "fuse i_1 j")),
    Case("the outer loop of a split with a rest, fused as the inner one", written(
        "k:2 i:5", "split i 2", "fuse k i_0", "split k_i_0_fused 4", "reorder i_1 k_i_0_fused_0")),
    Case("split twice", written("i:13", "split i 6", "split i_1 4", "reorder i_1_1 i_0")),
    Case("what does not run stands first", written(
        "i:6", "split i 4", "split i_1 2", "reorder i_1_1 i_1_0 i_0")),
    Case("longer names, a factor of two digits", written(
        "row:25 c10:2 c1:3", "split row 12", "split row_1 8", "reorder row_1_1 row_1_0 c1 c10")),
    Case("some loops stay", written("i:2 j:3 k:4", "split k 2", "reorder k_1 j i")),
    Case("drawn, one loop", drawn(1, 5)),
    Case("drawn, two loops", drawn(2, 4)),
    Case("drawn, three loops", drawn(3, 4)),
    Case("drawn, a longer script", drawn(3, 6)),
)  # fmt: skip
