# expect: wrong-values
import re

import torch


def lines(program: str) -> list[tuple[str, str, list[str], int | None]]:
    """(name, operator, arguments, size or None) of each line before `return`."""
    found = re.findall(r"^(\w+) = (\w+)\((.*?)\)(?:: (\d+))?", program, re.MULTILINE)
    return [(n, op, re.findall(r"\w+", a), int(s) if s else None) for n, op, a, s in found]


def returned(program: str) -> list[str]:
    """The names after `return`."""
    return re.findall(r"\w+", program.rpartition("return")[2])


def peak_memory(program: str) -> torch.Tensor:
    """[most bytes alive at an operator, bytes alive after the last line], int64."""
    rows = lines(program)
    sizes: list[int] = []
    born: list[int] = []
    last: list[int] = []
    storage_of: dict[str, int] = {}
    read: set[int] = set()
    for i, (name, operator, arguments, size) in enumerate(rows):
        used = [storage_of[a] for a in arguments]
        read.update(used)
        if size is None:
            storage_of[name] = used[0]
        else:
            storage_of[name] = len(sizes)
            sizes.append(size)
            born.append(-1 if operator == "input" else i)
            last.append(len(rows) if operator == "input" else i)
        for storage in (*used, storage_of[name]):
            last[storage] = max(last[storage], i)
    for storage in range(len(sizes)):
        if storage not in read:
            last[storage] = len(rows)
    for name in returned(program):
        last[storage_of[name]] = len(rows)

    def alive(i: int) -> int:
        return sum(n for n, b, e in zip(sizes, born, last, strict=True) if b <= i <= e)

    peak = max(alive(i) for i in range(len(rows)))
    return torch.tensor([peak, alive(len(rows))])
