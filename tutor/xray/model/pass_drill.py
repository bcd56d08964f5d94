"""A question on a kernel's code: which of Triton's passes is missing? Drawn from the rows of a run."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.xray.model.counts.triton import list_opcodes
from tutor.xray.model.stages import Omission

MACHINE_CODE = ("sass", "amdgcn")
_OPTIONS = 4
_OPCODES = 8  # that are shown: those whose number differs most


@dataclass(frozen=True)
class PassQuestion:
    """The row whose pass is asked for; names to choose from, in the order shown; of instructions, how
    often they stand in the whole kernel's code and in this one."""

    row: Omission
    options: tuple[Omission, ...]
    opcodes: tuple[tuple[str, int, int], ...]


def draw_question(
    rows: Sequence[Omission], code: str, drawn: random.Random, last: Omission | None = None
) -> PassQuestion | None:
    """Return a question on a kernel whose machine code is `code`, another one than on `last` where there
    is one; None where no two passes change the code in different ways.

    Passes without which the code has the same instructions are never options of one question.
    """
    whole = _count(code)
    by_code: dict[frozenset[tuple[str, int]], list[Omission]] = {}
    for row in rows:
        text = next((text for name, text in row.texts if name in MACHINE_CODE), "")
        if text and _count(text) != whole:
            by_code.setdefault(frozenset(_count(text).items()), []).append(row)
    if len(by_code) < 2:
        return None
    groups = list(by_code.values())
    others = [group for group in groups if last not in group]
    asked = drawn.choice(others)
    row = drawn.choice(asked)
    options = [
        drawn.choice(group)
        for group in drawn.sample(
            [group for group in groups if group is not asked], min(len(groups), _OPTIONS) - 1
        )
    ]
    options.append(row)
    drawn.shuffle(options)
    without = _count(dict(row.texts)[_code_of(row)])
    names = sorted(
        (name for name in whole.keys() | without.keys() if whole[name] != without[name]),
        key=lambda name: (-abs(whole[name] - without[name]), name),
    )
    opcodes = tuple((name, whole[name], without[name]) for name in names[:_OPCODES])
    return PassQuestion(row, tuple(options), opcodes)


def _code_of(row: Omission) -> str:
    return next(name for name, _ in row.texts if name in MACHINE_CODE)


def _count(code: str) -> Counter[str]:
    return Counter(list_opcodes(code))
