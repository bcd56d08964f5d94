import re

import torch


def lines(program: str) -> list[tuple[str, str, list[str], int | None]]:
    """(name, operator, arguments, size or None) of each line before `return`."""
    found = re.findall(r"^(\w+) = (\w+)\((.*?)\)(?:: (\d+))?", program, re.MULTILINE)
    return [(n, op, re.findall(r"\w+", a), int(s) if s else None) for n, op, a, s in found]


def returned(program: str) -> list[str]:
    """The names after `return`."""
    return re.findall(r"\w+", program.rpartition("return")[2])


class Storage:
    def __init__(self, size, readers):
        self.size, self.readers = size, readers


def peak_memory(program):
    rows, names = lines(program), returned(program)
    held, total, made, bound = [], 0, [], {}
    for name, operator, arguments, size in rows:  # first walk: who reads what
        result = bound[arguments[0]] if size is None else Storage(size, 0)
        used = [bound[a] for a in arguments] + [result]
        for each in used:
            each.readers += 1
        if size is not None and operator == "input":
            held.append(result)
        made.append((used, size is not None and operator != "input", result))
        bound[name] = result
    kept = {id(s): s for s in (*held, *(bound[n] for n in names))}
    for each in kept.values():
        each.readers += 1
    now = total = sum(s.size for s in held)
    for used, is_new, result in made:  # second walk: the count falls, and at zero it is freed
        now += result.size if is_new else 0
        total = max(total, now)
        for each in used:
            each.readers -= 1
            if each.readers == 0:
                now -= each.size
    return torch.tensor([total, now])
