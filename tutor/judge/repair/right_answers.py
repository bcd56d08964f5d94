"""The right answers of an exercise in the names of a learner's program, with their differences."""

import ast
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tutor.judge.repair.differences import Hunk, find_hunks
from tutor.judge.repair.likeness import Bag, Likeness, compare_bags, make_bag, split_words
from tutor.judge.repair.names import adopt_names
from tutor.judge.repair.trees import (
    Unreadable,
    functions,
    locals_of,
    read_program,
    statement_texts,
)

MOST_ANSWERS = 5  # that a program is compared with: each takes a tenth of a second


@dataclass(frozen=True, eq=False)
class RightAnswer:
    """A right program in the learner's names; `hunks` make the learner's program do what it does, and
    `own` are its statements in its own names."""

    name: str
    tree: ast.Module
    hunks: tuple[Hunk, ...]
    own: frozenset[str] = frozenset()

    @property
    def distance(self) -> int:
        """How much of the learner's program would be new, in nodes."""
        return sum(hunk.weight for hunk in self.hunks)


def read_answers(paths: Iterable[Path]) -> list[tuple[str, str]]:
    """Return name and text of each answer. Raises `OSError`."""
    return [(path.stem, path.read_text(encoding="utf-8")) for path in paths]


def _choose_likest(
    mine: ast.Module, answers: Iterable[tuple[str, str]]
) -> list[tuple[str, ast.Module]]:
    """Return the trees of the answers whose words, but for names, are likest to those of `mine`."""
    readable = []
    for name, text in answers:
        with suppress(Unreadable):
            readable.append((name, read_program(text)))
    if len(readable) <= MOST_ANSWERS:
        return readable
    bag = _nameless_bag(mine)
    readable.sort(key=lambda pair: -compare_bags(bag, _nameless_bag(pair[1])))
    return readable[:MOST_ANSWERS]


def _nameless_bag(tree: ast.Module) -> Bag:
    own = {name for function in functions(tree).values() for name in locals_of(function)}
    words = split_words(ast.unparse(tree))
    return make_bag(["_" if word in own else word for word in words])


def compare_answers(
    mine: ast.Module, answers: Iterable[tuple[str, str]], likeness: Likeness
) -> list[RightAnswer]:
    """Return the likest answers in the names of `mine`, the nearest first. One that cannot be read is
    left out."""
    compared = []
    for name, answer in _choose_likest(mine, answers):
        own = frozenset(statement_texts(answer))
        theirs = adopt_names(mine, answer)
        compared.append(RightAnswer(name, theirs, tuple(find_hunks(mine, theirs, likeness)), own))
    return sorted(compared, key=lambda answer: answer.distance)
