"""Strings only: the graph as it prints itself, line by line."""

import re

import torch

NODES = 7
APPLIES = "dce"

NAME = re.compile(r"%(\w+)")


def survey(source):
    names = {"torch": torch}
    exec(source, names)
    lines = str(torch.fx.symbolic_trace(names["Net"]()).graph).splitlines()
    lines = [line.strip() for line in lines if line.strip() and line.strip() != "graph():"]
    reads, said, draws = {}, {}, set()
    for line in lines:
        if line.startswith("return "):
            reads["return"] = set(re.findall(r"\w+", line)) & set(said)
            continue
        name, text = re.match(r"%(\w+) .*?= (.*)", line).groups()
        reads[name], said[name] = set(NAME.findall(text)), text
        called = text.split("](")[0]  # arguments may be named after a draw
        if called.endswith(("rand_like", "dropout")):
            draws.add(name)

    folded, fixed, stands_for, keys = 0, set(), {}, {}
    for name, text in said.items():
        kind = text.split("[")[0]
        if kind == "get_attr":
            fixed.add(name)
        elif kind != "placeholder" and name not in draws and reads[name] and reads[name] <= fixed:
            fixed.add(name)
            folded += 1
        key = NAME.sub(lambda found: "%" + stands_for[found[1]], text)
        alone = kind == "placeholder" or name in draws
        stands_for[name] = name if alone else keys.setdefault(key, name)

    live, open_ones = set(), list(reads["return"])
    while open_ones:
        name = open_ones.pop()
        if name not in live:
            live.add(name)
            open_ones += reads[name]
    dead = [n for n in said if n not in live and not said[n].startswith("placeholder")]
    common = sum(name != other for name, other in stands_for.items())
    return torch.tensor([len(said) + 1, folded, len(dead), common])
