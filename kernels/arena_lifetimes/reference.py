import re

import torch

from tutor.judge.spec import Case, Work


class Program:
    """Lines of a program: tensors by name, steps, and loops with the number of those around them."""

    def __init__(self, text):
        self.tensors, self.steps, self.loops, around = {}, [], [], []
        for line in filter(None, (line.strip() for line in text.splitlines())):
            if line == "loop":
                around.append(len(self.steps))
            elif line == "end":
                self.loops.append((around.pop(), len(self.steps) - 1))
            elif found := re.fullmatch(r"(\w+): (\d+)(?: (\w+))?", line):
                self.tensors[found[1]] = int(found[2]), found[3] or ""
            else:
                inside, results = re.fullmatch(r"\w+\((.*)\) -> (.+)", line).groups()
                self.steps.append((re.findall(r"\w+", inside), re.findall(r"\w+", results)))

    def needed(self):
        """Names needed before each step, by turning back over the steps until nothing is added."""
        ends = len(self.steps)
        before = [set() for _ in range(ends + 1)]
        before[ends] = {name for name, (_, kind) in self.tensors.items() if kind == "output"}
        changed = True
        while changed:
            changed = False
            for i in reversed(range(ends)):
                reads, writes = self.steps[i]
                later = set(before[i + 1])
                for begin, end in self.loops:
                    if end == i:
                        later |= before[begin]
                now = (later - set(writes)) | set(reads)
                changed |= now != before[i]
                before[i] = now
        return before


def reference(program):
    return lives(program)


eager = reference


def lives(text, slip=""):
    """The rows by the values that are needed: a step's life is what is needed, read or written there."""
    program = Program(text)
    if slip == "once":
        program.loops = []
    before = program.needed()
    rows = []
    for name, (size, kind) in program.tensors.items():
        if kind == "weight":
            continue
        alive = [
            i
            for i, (reads, writes) in enumerate(program.steps)
            if name in reads + writes
            or (name in before[i] and name in needed_after(program, before, i))
        ]
        first, last = alive[0], alive[-1]
        touched = [i for i, (reads, writes) in enumerate(program.steps) if name in reads + writes]
        if kind == "input":
            first = touched[0] if slip == "late" else 0
            last = len(program.steps) - 1 if slip == "inputs" else last
        if kind == "output":
            last = touched[-1] if slip == "outputs" else len(program.steps) - 1
            first = 0 if slip == "early" else first
        for begin, end in program.loops:
            if slip == "all" and any(begin <= i <= end for i in touched):
                last = max(last, end)
        rows.append([size, first, last])
    return torch.tensor(rows)


def needed_after(program, before, i):
    """Names needed behind step i: by the next step, or by the next turn of a loop that ends here."""
    return set().union(before[i + 1], *(before[begin] for begin, end in program.loops if end == i))


def slipped(slip):
    return lambda program: lives(program, slip)


NEAR_MISSES = tuple(
    (says, slipped(slip))
    for slip, says in {
        "once": "each loop runs once, and nothing is kept for its next turn",
        "all": "a loop keeps all that it touches, also what each turn writes first",
        "late": "an input is alive from its first read on, although it is written before step 0",
        "inputs": "an input is alive to the last step",
        "outputs": "an output is alive to its last use, although it is read after the last step",
        "early": "an output is alive from step 0 on",
    }.items()
)


def explain_wrong(got, program):
    """Name the first row that differs, where the shape is right."""
    want = reference(program)
    at = int((got != want).any(1).nonzero()[0])
    names = [name for name, (_, kind) in Program(program).tensors.items() if kind != "weight"]
    size, first, last = got[at].tolist()
    right, begins, ends = want[at].tolist()
    if size != right:
        return f"Row {at} is of `{names[at]}`, which has {right} bytes; the row says {size}."
    if first != begins:
        return f"Row {at}: `{names[at]}` is said to live from step {first} on; it is step {begins}."
    return f"Row {at}: `{names[at]}` is said to live to step {last}; it is step {ends}."


def work(program):
    return Work(bytes=len(program) + 8, flops=0)


def scale(program):
    return 0.0


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def fixed(text):
    """A case of one text; `?` in it become sizes that nobody knows before."""

    def make(g):
        return (re.sub(r"\?", lambda _: str(draw(g, 1, 9000)), text.strip()),)

    return make


def by_dice(g):
    """Steps and loops by dice: each step reads what is written, and writes a new or a written tensor."""
    written, kinds = ["x", "w"], {"x": " input", "w": " weight"}
    lines, depth, since = [], 0, 1
    for i in range(draw(g, 10, 22)):
        if depth < 3 and draw(g, 0, 4) == 0:
            lines.append("loop")
            depth, since = depth + 1, 0
        reads = [written[draw(g, 0, len(written))] for _ in range(draw(g, 1, 3))]
        own = [name for name in written if name not in ("x", "w")]
        if own and draw(g, 0, 5) < 2:
            writes = [own[draw(g, 0, len(own))]]
        else:
            writes = [f"t{i}"] + [f"s{i}"] * (draw(g, 0, 5) == 0)
        lines.append(f"op{draw(g, 0, 9)}({', '.join(reads)}) -> {', '.join(writes)}")
        written += [name for name in writes if name not in written]
        since += 1
        while depth and since and draw(g, 0, 3) == 0:
            lines.append("end")
            depth -= 1
    lines += ["end"] * depth
    lines.append(
        f"op(x, w, {written[-1]}) -> y, z" if draw(g, 0, 2) else f"op(w, {written[-1]}) -> y, z"
    )
    if not any(re.search(r"\bx\b", line.split("->")[0]) for line in lines if "->" in line):
        lines.insert(0, "op(x) -> y")
    names = [*written, "y", "z"]
    places = torch.randperm(len(names), generator=g, device=g.device).tolist()
    heads = [f"{names[i]}: {draw(g, 1, 9000)}{kinds.get(names[i], '')}" for i in places]
    heads = [head + " output" if head.startswith("y:") else head for head in heads]
    return ("\n".join([*heads, *lines]),)


EXAMPLE = """
x: ? input
w: ? weight
h: ?
t: ?
y: ? output
fill() -> h
loop
cell(x, h, w) -> t
copy(t) -> h
end
dense(h) -> y
"""

CASES = (
    Case("one step", fixed(f"x: {2**53 + 1} input\ny: ? output\nrelu(x) -> y")),
    Case("a chain", fixed(
        "y: ? output\nb: ?\nx: ? input\na: ?\nw: ? weight\nconv(x, w) -> a\nrelu(a) -> b\n"
        "pool(b) -> a\ndense(a, w) -> y")),
    Case("a skip, and two weights", fixed(
        "x: ? input\nv: ? weight\na: ?\nw: ? weight\nb: ?\ny: ? output\nconv(x, v) -> a\n"
        "conv(a, w) -> b\n"
        "relu(b) -> b\nadd(a, b) -> y")),
    Case("a result that nobody reads", fixed(
        "x: ? input\na: ?\ns: ?\ny: ? output\nsplit(x) -> a, s\nrelu(a) -> a\nexp(a) -> y\n"
        "copy(y) -> y")),
    Case("an input that is read late", fixed(
        "x: ? input\nm: ? input\na: ?\ny: ? output\nrelu(x) -> a\nexp(a) -> a\nmul(a, m) -> y\n"
        "relu(y) -> y")),
    Case("an output that is written early", fixed(
        "x: ? input\ny: ? output\nz: ? output\na: ?\nrelu(x) -> y\nexp(y) -> a\nexp(a) -> z")),
    Case("a cell that carries a state", fixed(EXAMPLE)),
    Case("read in a loop's first step", fixed(
        "x: ? input\na: ?\nb: ?\nc: ?\ny: ? output\nrelu(x) -> a\nfill() -> c\nloop\n"
        "exp(a) -> b\nadd(b, c) -> c\n"
        "sin(c) -> b\nend\ncopy(c) -> y")),
    Case("added to in a loop", fixed(
        "x: ? input\na: ?\nb: ?\ny: ? output\nfill() -> a\nloop\nexp(x) -> b\nadd(a, b) -> a\n"
        "sin(b) -> b\n"
        "cos(b) -> b\nend\ncopy(b) -> y")),
    Case("written before a loop, and by each turn", fixed(
        "x: ? input\na: ?\nb: ?\nc: ?\ny: ? output\nrelu(x) -> a\nrelu(a) -> b\nloop\n"
        "copy(b) -> a\nexp(a) -> c\n"
        "add(b, c) -> b\nend\ncopy(b) -> y")),
    Case("an inner loop reads", fixed(
        "x: ? input\na: ?\nb: ?\nc: ?\ny: ? output\nfill() -> c\nloop\nrelu(x) -> a\nloop\n"
        "exp(a) -> b\nadd(b, c) -> c\n"
        "end\nsin(c) -> c\nend\ncopy(c) -> y")),
    Case("the outer loop reads", fixed(
        "x: ? input\na: ?\nb: ?\nc: ?\ny: ? output\nexp(x) -> a\nfill() -> c\nloop\nloop\n"
        "add(c, a) -> b\ncopy(b) -> c\nend\n"
        "relu(c) -> b\ncopy(b) -> c\nend\nrelu(c) -> c\ncopy(c) -> y")),
    Case("two loops, one after the other", fixed(
        "x: ? input\na: ?\nb: ?\nc: ?\ny: ? output\nfill() -> a\nloop\nadd(a, x) -> a\n"
        "exp(a) -> c\nend\n"
        "fill() -> b\nloop\nadd(b, a) -> b\nexp(b) -> c\nsin(c) -> c\nend\ncopy(b) -> y")),
    Case("an output of a loop that nobody reads", fixed(
        "x: ? input\na: ?\nb: ?\ny: ? output\nz: ? output\nfill() -> a\nloop\nexp(x) -> b\n"
        "add(a, b) -> a\ncopy(a) -> y\nsin(b) -> b\nend\nexp(a) -> z\ncopy(z) -> z")),
    Case("a loop at the end", fixed(
        "x: ? input\na: ?\nc: ?\ny: ? output\nfill() -> y\nloop\nexp(x) -> a\nadd(y, a) -> y\n"
        "copy(a) -> c\nend")),
    Case("by dice", by_dice),
    Case("by dice again", by_dice),
    Case("by dice, a third time", by_dice),
    Case("by dice, a fourth time", by_dice),
    Case("by dice, a fifth time", by_dice),
    Case("by dice, a sixth time", by_dice),
    Case("an inner loop of an inner loop", fixed(
        "x: ? input\na: ?\nb: ?\nc: ?\nd: ?\ny: ? output\nfill() -> d\nexp(x) -> a\nloop\ncopy(a) -> b\n"
        "loop\nrelu(b) -> c\nloop\nadd(c, d) -> d\nexp(a) -> y\nend\nsin(c) -> c\nend\ncos(b) -> c\n"
        "copy(c) -> a\nsin(c) -> c\nend\nexp(x) -> c\nadd(y, c) -> y")),
)  # fmt: skip
