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
    # Write the peak: find when each storage is made
    # and when it is read for the last time.
    return torch.tensor([len(rows), len(returned(program))])
