import re

import torch

from tutor.judge.spec import Case, Work

SLIPS = {
    "views": "a storage is freed while a view of it is still read",
    "copies": "a line without a size counts as new memory",
    "gone": "an operator's arguments are freed before its result counts",
    "inputs": "an input is freed after its last use, although the caller holds it to the end",
    "late": "an input counts from its own line on, although the caller has made it before the first",
    "first": "only the first name after `return` is kept",
    "returned": "what `return` names is freed after its last use",
    "unread": "a result that no line reads is kept to the end",
    "last": "the second number is what is alive at the last line, its arguments among them",
    "all": "nothing is ever freed",
    "largest": "the first number is the largest storage, and not a sum",
}  # known mistakes


class Storage:
    def __init__(self, size, line, is_input):
        self.size, self.first, self.end = size, line, line
        self.is_input, self.is_read = is_input, False


def reference(program):
    return counted(program)


def counted(program, slip=""):
    """The two numbers, or what the known mistake `slip` makes of them."""
    body, _, names = program.rpartition("return")
    bound, through_views, storages = {}, set(), []
    rows = [row for row in body.splitlines() if row.strip()]
    for i, row in enumerate(rows):
        name, operator, inside, size = re.fullmatch(
            r"(\w+) = (\w+)\(([^)]*)\)(?:: (\d+))?", row.strip()
        ).groups()
        inside = [a.strip() for a in inside.split(",") if a.strip()]
        used = [bound[a] for a in inside if slip != "views" or a not in through_views]
        if size is None and slip != "copies":
            result = bound[inside[0]]
        else:
            result = Storage(int(size or bound[inside[0]].size), i, operator == "input")
            storages.append(result)
        for each in used:
            each.end, each.is_read = i, True
        if slip != "views" or size is not None:
            result.end = i
        (through_views.add if size is None else through_views.discard)(name)
        bound[name] = result
    kept = re.findall(r"\w+", names)[: {"first": 1, "returned": 0}.get(slip)]
    for each in storages:
        settle(each, len(rows), slip, any(each is bound[name] for name in kept))

    def alive(i):
        return sum(s.size for s in storages if s.first <= i <= s.end - leaves(s, i, slip))

    peak = max(map(alive, range(len(rows))))
    if slip == "largest":
        peak = max(s.size for s in storages)
    return torch.tensor([peak, alive(len(rows) - (slip == "last"))])


def settle(storage, end, slip, returned):
    """Extend the life of an input and of what is returned."""
    if storage.is_input:
        storage.first = storage.first if slip == "late" else 0
    if returned or slip == "all" or (storage.is_input and slip != "inputs"):
        storage.end = end
    if slip == "unread" and not storage.is_read:
        storage.end = end


def leaves(storage, i, slip):
    """1 where the mistake "gone" frees a storage before the line that reads it last, else 0."""
    return int(slip == "gone" and storage.first < i)


def slipped(slip):
    return lambda program: counted(program, slip)


NEAR_MISSES = tuple((says, slipped(slip)) for slip, says in SLIPS.items())
eager = reference


def work(program):
    return Work(bytes=len(program), flops=0)


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def fixed(text):
    """A case of one text; K, M and N in it become sizes that nobody knows before."""

    def make(g):
        program = text.strip()
        for letter in "KMN":
            program = re.sub(rf"\b{letter}\b", str(512 * draw(g, 1, 200)), program)
        return (program,)

    return make


def written_by_dice(g):
    rows, names = [f"x = input(): {512 * draw(g, 1, 50)}"], ["x"]
    for i in range(30):
        kind, left = draw(g, 0, 6), names[draw(g, 0, len(names))]
        if kind == 0:
            operator = ("view", "narrow", "expand", "alias")[draw(g, 0, 4)]
            rows.append(f"t{i} = {operator}({left})")
        elif kind == 1:
            rows.append(f"{left} = relu_({left})")
        elif kind == 2:
            rows.append(f"{left} = exp({left}): {512 * draw(g, 1, 50)}")
        else:
            right = names[draw(g, 0, len(names))]
            rows.append(f"t{i} = add({left}, {right}): {512 * draw(g, 1, 50)}")
        if kind not in (1, 2):
            names.append(f"t{i}")
    return ("\n".join([*rows, f"return {names[-1]}, {names[draw(g, 0, len(names))]}"]),)


CASES = (
    Case("one operator", fixed(
        f"x = input(): {2**52}\ny = relu(x): {2**52 + 1}\nreturn y")),
    Case("a chain of three", fixed(
        "x = input(): K\na = relu(x): K\nb = mul(a): K\nc = add(b): K\nreturn c")),
    Case("a small one before a large one", fixed(
        "x = input(): 512\na = sum(x): 512\nb = expand(x): 65536\nc = add(a, b): 65536\nreturn c")),
    Case("a residual", fixed(
        "x = input(): K\na = mm(x): M\nb = relu(a): M\nc = mm(b): K\nd = add(c, a): K\nreturn d")),
    Case("a view that is read later", fixed(
        "x = input(): K\na = relu(x): M\nv = view(a)\nb = mul(x): N\nc = add(b, v): N\nreturn c")),
    Case("a view of a view", fixed(
        "x = input(): K\na = relu(x): M\nv = view(a)\nw = view(v)\nb = exp(x): N\nc = add(b, w): N\n"
        "return c")),
    Case("a view by another name", fixed(
        "x = input(): K\na = relu(x): M\nv = expand(a)\nb = mul(x): N\nc = add(b, v): N\nreturn c")),
    Case("in place", fixed("x = input(): K\na = mm(x): M\na = relu_(a)\nb = mul(a): N\nreturn b")),
    Case("in place, with another argument", fixed(
        "x = input(): K\na = mm(x): M\nb = exp(x): N\na = add_(a, b)\nc = mul(a): 204800\nreturn c")),
    Case("a name bound again", fixed(
        "x = input(): K\nh = mm(x): M\nh = relu(h): N\nh = mm(h): K\nreturn h")),
    Case("a result that nobody reads", fixed(
        "x = input(): K\na = relu(x): 204800\nb = exp(x): M\nreturn b")),
    Case("an input that stands late", fixed(
        "x = input(): K\na = exp(x): 204800\nb = sum(a): 512\n"
        "y = input(): M\nc = add(b, y): 512\nreturn c")),
    Case("two returned, one a view", fixed(
        "x = input(): K\na = relu(x): M\nv = view(a)\nb = mul(a): N\nreturn b, v")),
    Case("in place, bound to another name", fixed(
        "x = input(): K\na = mm(x): M\nb = relu_(a)\nc = exp(x): N\nb = add_(c, b)\n"
        "d = mul(a, b): 204800\ne = exp(d): 512\nreturn e")),
    Case("an operator that reads nothing", fixed(
        "x = input(): K\na = zeros(): M\nb = add(x, a): N\nc = exp(b): 204800\nreturn c")),
    Case("an operator of four arguments", fixed(
        "x = input(): K\na = mm(x): M\nb = exp(x): N\nc = sin(x): K\nd = cat(x, a, b, c): 204800\n"
        "e = sum(d): 512\nreturn e")),
    Case("copies and views by like names", fixed(
        "x = input(): K\na = mm(x): M\nb = reshape(a): M\nv = reshape(b)\nw = real(v)\n"
        "c = view(x): 204800\nd = add(c, w): N\nreturn d")),
    Case("the input's name bound again", fixed(
        "x = input(): K\nx = exp(x): M\nx = mul(x): N\ny = sum(x): 512\nreturn y")),
    Case("one storage returned by three names", fixed(
        "x = input(): K\na = relu(x): M\nv = view(a)\nw = view(x)\nreturn a, v, a, w, x")),
    Case("three returned", fixed(
        "x = input(): K\na = relu(x): M\nb = exp(a): N\nc = mul(b): K\nreturn a, b, c")),
    Case("the input returned", fixed("x = input(): K\na = relu(x): M\nreturn x")),
    Case("written by dice", written_by_dice),
    Case("written by dice again", written_by_dice),
)  # fmt: skip
