"""The order in which a question's options, items and sides are shown: another one at each asking.

A shuffled question is a question like any other, under the labels that the learner sees.
`to_author_keys` leads from these labels to the author's keys, which the record keeps, and
`to_labels` back.
"""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tutor.course.model import AskedQuestion
from tutor.quiz.partial_order import find_broken, pairs_to_keep

_TRIES = 50  # orders tried for one that does not give the answer away


def shuffle_options(question: AskedQuestion, number: int) -> AskedQuestion:
    """The question in its order `number`: the same id and number give the same order.

    Keys of one letter or digit stay in their places and the texts change under them; longer keys,
    which say something themselves, move with their texts.
    """
    sides = [side for side in ("options", "items", "left", "right") if getattr(question, side)]
    if not sides or question.labels:
        return question
    draw = random.Random(f"{question.id} {number}")
    for _ in range(_TRIES):
        orders = {side: _order(getattr(question, side), draw) for side in sides}
        shown = _relabel(question, orders)
        if not _is_given_away(shown):
            break
    return shown


def to_author_keys(question: AskedQuestion, value: Any) -> Any:
    """The value in the author's keys. One that is no answer to the question stays as it is."""
    value = _translate(question, value, dict)
    return sorted(value) if isinstance(value, list) and "options" in question.labels else value


def to_labels(question: AskedQuestion, value: Any) -> Any:
    """The value of the author's keys in the labels of this question."""
    return _translate(question, value, _inverse)


def _order(texts: dict[str, str], draw: random.Random) -> dict[str, str]:
    """Label -> the author's key, in the order in which they are shown."""
    keys = list(texts)
    order = draw.sample(keys, len(keys))
    labels = sorted(keys) if all(len(key) == 1 for key in keys) else order
    return dict(zip(labels, order, strict=True))


def _relabel(question: AskedQuestion, orders: dict[str, dict[str, str]]) -> AskedQuestion:
    changed: dict[str, Any] = {
        side: {label: getattr(question, side)[key] for label, key in order.items()}
        for side, order in orders.items()
    }
    question = replace(question, labels=orders)
    if "options" in orders:
        back = _inverse(orders["options"])
        changed["feedback"] = {back[key]: text for key, text in question.feedback.items()}
    if "items" in orders:
        changed["slips"] = {
            " ".join(to_labels(question, slip.split())): text
            for slip, text in question.slips.items()
        }
        changed["before"] = tuple(to_labels(question, pair) for pair in question.before)
    if question.answer is not None:
        changed["answer"] = to_labels(question, question.answer)
    if isinstance(question.answer, tuple) and "options" in orders:
        changed["answer"] = tuple(sorted(changed["answer"], key=list(orders["options"]).index))
    return replace(question, **changed)


def _is_given_away(question: AskedQuestion) -> bool:
    """Return True where the items stand in the right order, or partners next to each other."""
    kind = question.as_kind or question.kind
    if kind == "order" and question.answer:
        return not find_broken(pairs_to_keep(question), tuple(question.items))
    if kind == "match" and question.answer:
        rows = list(question.right)
        partners = [rows.index(question.answer[key]) for key in question.left]
        return partners == sorted(partners)
    return False


def _inverse(order: Mapping[str, str]) -> dict[str, str]:
    return {key: label for label, key in order.items()}


def _translate(question: AskedQuestion, value: Any, table: Any) -> Any:
    if not question.labels:
        return value
    if isinstance(value, dict):
        left, right = (table(question.labels.get(side, {})) for side in ("left", "right"))
        return {_name(left, a): _name(right, b) for a, b in value.items()}
    names = table(question.labels.get("options") or question.labels.get("items") or {})
    if isinstance(value, list | tuple):
        return type(value)(_name(names, key) for key in value)
    return _name(names, value)


def _name(names: Mapping[str, str], value: Any) -> Any:
    return names.get(value, value) if isinstance(value, str) else value
