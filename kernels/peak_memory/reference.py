import re

import torch

from tutor.judge.spec import Case, Work


class Storage:
    def __init__(self, size, line, is_input):
        self.size, self.first, self.end = size, line, line
        self.is_input = is_input


def reference(program):
    body, _, names = program.rpartition("return")
    bound, storages = {}, []
    rows = [row for row in body.splitlines() if row.strip()]
    for i, row in enumerate(rows):
        name, operator, inside, size = re.fullmatch(
            r"(\w+) = (\w+)\(([^)]*)\)(?:: (\d+))?", row.strip()
        ).groups()
        arguments = [bound[a.strip()] for a in inside.split(",") if a.strip()]
        if size is None:
            result = arguments[0]
        else:
            result = Storage(int(size), i, operator == "input")
            storages.append(result)
        for each in (*arguments, result):
            each.end = i
        bound[name] = result
    kept = {id(bound[name]) for name in re.findall(r"\w+", names)}
    for each in storages:
        if each.is_input:
            each.first, each.end = 0, len(rows)
        if id(each) in kept:
            each.end = len(rows)

    def alive(i):
        return sum(s.size for s in storages if s.first <= i <= s.end)

    return torch.tensor([max(map(alive, range(len(rows)))), alive(len(rows))])


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
            rows.append(f"t{i} = view({left})")
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
    Case("one operator", fixed("x = input(): K\ny = relu(x): K\nreturn y")),
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
    Case("in place", fixed("x = input(): K\na = mm(x): M\na = relu_(a)\nb = mul(a): N\nreturn b")),
    Case("a name bound again", fixed(
        "x = input(): K\nh = mm(x): M\nh = relu(h): N\nh = mm(h): K\nreturn h")),
    Case("a result that nobody reads", fixed(
        "x = input(): K\na = relu(x): 204800\nb = exp(x): M\nreturn b")),
    Case("an input that stands late", fixed(
        "x = input(): K\na = exp(x): 204800\nb = sum(a): 512\n"
        "y = input(): M\nc = add(b, y): 512\nreturn c")),
    Case("two returned, one a view", fixed(
        "x = input(): K\na = relu(x): M\nv = view(a)\nb = mul(a): N\nreturn b, v")),
    Case("the input returned", fixed("x = input(): K\na = relu(x): M\nreturn x")),
    Case("written by dice", written_by_dice),
    Case("written by dice again", written_by_dice),
)  # fmt: skip
