"""Mistakes that the exercise's author wrote down as edits: which of them is a learner's."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from tutor.course.model import WrongAnswer
from tutor.judge.repair.differences import all_edits, find_hunks
from tutor.judge.repair.likeness import Likeness
from tutor.judge.repair.names import adopt_names
from tutor.judge.repair.search import Repair
from tutor.judge.repair.trees import Unreadable, read_program

Signature = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class KnownEdit:
    """A mistake of an author that a repair undoes."""

    expect: str
    says: str


def find_known_edit(
    repair: Repair, solution: str, answers: Iterable[WrongAnswer]
) -> KnownEdit | None:
    """Return the author's mistake whose edit, in the learner's names, is undone by `repair`. One with a
    sentence is preferred."""
    mine = repair.program.tree
    likeness = Likeness()
    try:
        done = _signature(mine, read_program(repair.text), likeness)
    except (Unreadable, RecursionError):
        return None
    found: KnownEdit | None = None
    for answer in answers:
        if found and not answer.says:
            continue
        try:
            wrong = adopt_names(mine, read_program(answer.code))
            again = adopt_names(mine, read_program(solution))
        except (Unreadable, RecursionError):
            continue
        if done == _signature(wrong, again, likeness):
            found = KnownEdit(answer.expect, answer.says)
            if answer.says:
                return found
    return found


def _signature(before: ast.Module, after: ast.Module, likeness: Likeness) -> Signature:
    """Return what is replaced by what, wherever it stands."""
    edits = all_edits(find_hunks(before, after, likeness))
    return frozenset(
        (
            likeness.form(edit.target) if edit.target is not None else "",
            likeness.form(edit.new) if edit.new is not None else "",
        )
        for edit in edits
    )
