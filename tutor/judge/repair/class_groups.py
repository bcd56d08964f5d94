"""The answers of a class to one exercise in groups: equal ones, ones alike, and ones with the same slip.

Names do not count: neither those of locals and parameters nor those of functions.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tutor.judge.repair.likeness import Bag, compare_bags, make_bag, split_words
from tutor.judge.repair.names import adopt_constants, adopt_names
from tutor.judge.repair.same_edit import form_of
from tutor.judge.repair.trees import (
    Unreadable,
    functions,
    locals_of,
    read_program,
    stores,
    top_level_statements,
)

# Of words and pairs of neighbours, once names are dropped. Of 1 614 wrong answers of the course that are
# edits of its solutions, 21 are less like their solution than this.
ALIKE = 0.8


@dataclass(frozen=True)
class ClassAnswer:
    """An answer. `change` and `says` are those of its repair (`verdict.Repair`), "" without one."""

    learner: str
    source: str
    passed: bool
    change: str = ""
    says: str = ""


@dataclass(frozen=True)
class SharedSlip:
    """A slip that several answers have: the same change mends each. `says`: what it is, in words."""

    says: str
    learners: tuple[str, ...]


@dataclass(frozen=True)
class ClassGroups:
    """The groups of an exercise's answers, the largest first. `approaches` holds each answer that can
    be read, `equal` and `slips` only groups of two or more. `unread`: answers that are no Python."""

    answers: int
    approaches: tuple[tuple[str, ...], ...]
    equal: tuple[tuple[str, ...], ...]
    slips: tuple[SharedSlip, ...]
    unread: tuple[str, ...]


def group_answers(answers: Sequence[ClassAnswer]) -> ClassGroups:
    """Group the answers of one exercise."""
    bags: dict[str, Bag] = {}
    for answer in answers:
        with suppress(Unreadable):
            bags[answer.learner] = _bag_without_names(read_program(answer.source))
    sources = {answer.learner: answer.source for answer in answers if answer.learner in bags}
    return ClassGroups(
        len(answers),
        _largest_first(_group_alike(bags)),
        _largest_first(group for group in _group_equal(sources, bags) if len(group) > 1),
        _shared_slips(answers),
        tuple(answer.learner for answer in answers if answer.learner not in bags),
    )


def is_equal(mine: str, theirs: str) -> bool:
    """Return True if two programs are the same but for names, comments and layout.

    Raises `Unreadable`.
    """
    own = read_program(mine)
    other = adopt_constants(own, adopt_names(own, read_program(theirs)))
    return ast.dump(own) == ast.dump(other)


def _bag_without_names(tree: ast.Module) -> Bag:
    own = {name for function in functions(tree).values() for name in locals_of(function)}
    own |= {*functions(tree), *stores(top_level_statements(tree))}
    return make_bag(["_" if word in own else word for word in split_words(ast.unparse(tree))])


def _group_alike(bags: Mapping[str, Bag]) -> list[list[str]]:
    """Put each answer to the first group whose first answer it is like."""
    groups: list[list[str]] = []
    for learner, bag in bags.items():
        near = [(compare_bags(bag, bags[group[0]]), -n) for n, group in enumerate(groups)]
        likeness, place = max(near, default=(0.0, 0))
        if likeness >= ALIKE:
            groups[-place].append(learner)
        else:
            groups.append([learner])
    return groups


def _group_equal(sources: Mapping[str, str], bags: Mapping[str, Bag]) -> list[list[str]]:
    groups: list[list[str]] = []
    for learner, source in sources.items():
        for group in groups:
            first = group[0]
            if bags[first] == bags[learner] and is_equal(sources[first], source):
                group.append(learner)
                break
        else:
            groups.append([learner])
    return groups


def _shared_slips(answers: Sequence[ClassAnswer]) -> tuple[SharedSlip, ...]:
    """Return the changes, but for names, that mend two answers or more."""
    slips: dict[object, list[ClassAnswer]] = {}
    for answer in answers:
        rows = answer.change.split("\n")
        form = form_of(
            [row[1:] for row in rows if row.startswith("-")],
            [row[1:] for row in rows if row.startswith("+")],
        )
        if not answer.passed and form:
            slips.setdefault(form, []).append(answer)
    shared = [group for group in slips.values() if len(group) > 1]
    shared.sort(key=len, reverse=True)
    return tuple(
        SharedSlip(_in_words(group), tuple(answer.learner for answer in group)) for group in shared
    )


def _in_words(group: Sequence[ClassAnswer]) -> str:
    """Say what the slip is: by its author, else by the first answer's change."""
    said = next((answer.says for answer in group if answer.says), "")
    return said or "\n".join(row for row in group[0].change.split("\n") if row[:1] in ("-", "+"))


def _largest_first(groups: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted((tuple(group) for group in groups), key=len, reverse=True))
