"""What an `order` question asks for: pairs of items of which one must stand before the other.

Where the author has named such pairs (`before`), every order that keeps them is right. Where not, the
answer is the only one. Every pair is meant with those that follow from it: a before b and b before c
makes a before c.
"""

from collections.abc import Sequence
from itertools import combinations

from tutor.course.model import Question

Pair = tuple[str, str]  # the first stands before the second


def pairs_to_keep(question: Question) -> list[Pair]:
    """Return all pairs that a right order keeps, in the order of the answer."""
    pairs = list(combinations(question.answer, 2))
    if not question.before:
        return pairs
    later: dict[str, set[str]] = {key: set() for key in question.answer}
    for key in reversed(question.answer):  # so that what follows from `second` is known
        for first, second in question.before:
            if first == key:
                later[key] |= {second} | later[second]
    return [(first, second) for first, second in pairs if second in later[first]]


def neighbours_to_keep(question: Question) -> list[Pair]:
    """Return the pairs that do not follow from others: of a single right order its neighbours."""
    pairs = pairs_to_keep(question)
    kept = set(pairs)
    between = {(a, c) for a, b in pairs for c in question.answer if (b, c) in kept}
    return [pair for pair in pairs if pair not in between]


def find_broken(pairs: Sequence[Pair], order: Sequence[str]) -> list[Pair]:
    """Return the pairs that `order` does not keep, those with a missing item among them."""
    place = {key: i for i, key in enumerate(order)}
    return [
        (first, second)
        for first, second in pairs
        if not (first in place and second in place and place[first] < place[second])
    ]
