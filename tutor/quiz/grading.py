"""Is a value right, how much of it, and what to say. One small function a kind.

A kind's function returns the credit, 0 to 1, and what the learner's own choice reveals; it raises
`ValueError` with one sentence for a value that is no answer to such a question.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tutor.course.model import AskedQuestion, Question
from tutor.course.reading.question import LONGEST_CODE
from tutor.quiz.answer_parsing import parse_answer
from tutor.quiz.answer_text import answer_in_words, compare_options
from tutor.quiz.numbers import is_close, read_number, read_range, show_number, show_range
from tutor.quiz.option_order import to_labels
from tutor.quiz.partial_order import find_broken, neighbours_to_keep, pairs_to_keep
from tutor.quiz.text_match import match_text

ANY_TEXT = "…"  # a blank of a slip that does not matter
NOT_JUDGED = "The judge did not run here."
NOT_COMPUTED = "This machine could not run the code that computes the answer now."


@dataclass(frozen=True)
class Grade:
    """`right` is None if it is unknown: an open question of which a point was named, or an answer not
    computed here.

    `feedback` explains the learner's own choice, `answer` is the right answer in words, and
    `computed` the right answer that this machine found, in the labels of the question. `sides` are the
    options of a wrong `multi` answer, by what came of them.
    """

    right: bool | None
    credit: float
    explanation: str
    feedback: str
    answer: str
    cause: str = ""  # of a wrong `code` answer: the code of what the judge found
    computed: Any = None
    sides: dict[str, list[str]] = field(default_factory=dict)


def grade(question: AskedQuestion, value: Any, computed: Any = None) -> Grade:
    """Grade `value`, which has the shape that docs/course-format.md gives for the question's kind.

    `computed` is what this machine found for `answer_from`, or what the judge says of code. A `value`
    of None is no answer: wrong.
    """
    asked = question
    if question.kind == "code":
        return _code(question, value, computed)
    if question.answer_from:
        try:
            question = add_answer(question, computed)
        except ValueError as error:
            if value is None:  # "I do not know" is no answer, whatever the answer is
                return Grade(False, 0.0, question.explanation, "", "")
            return Grade(None, 0.0, question.explanation, str(error), "")
    machine_answer = None if asked is question else question.answer
    answer = answer_in_words(question)
    if value is None:
        return Grade(False, 0.0, question.explanation, "", answer, computed=machine_answer)
    sides: dict[str, list[str]] = {}
    try:
        credit, feedback = _KINDS[question.kind](question, value)
        if question.kind == "multi" and credit < 1.0:
            sides = compare_options(question, set(value))
        if credit < 1.0 and (slip := slip_of(question, value)):
            feedback = f"{feedback} {slip}".strip() if question.kind == "fill" else slip
    except ValueError as error:
        credit, feedback = 0.0, str(error)
    right: bool | None = credit == 1.0
    if question.kind == "open":  # who compared it and named no point has missed it; else it is open
        right = False if isinstance(value, dict) and question.points and not credit else None
    return Grade(
        right, credit, question.explanation, feedback, answer, computed=machine_answer, sides=sides
    )


def slip_of(question: AskedQuestion, value: Any) -> str:
    """Return the sentence about a likely wrong answer; "" where `value` is none of those listed.

    A value is a slip where it would be right if the slip were the answer. In a slip of several
    blanks, "…" stands for any text, so that several may fit: each has its sentence.
    """
    texts: list[str] = []
    for slip, text in question.slips.items():
        wrong = parse_answer(question, slip)
        if isinstance(wrong, list) and question.kind == "fill" and len(value) == len(wrong):
            pairs = zip(wrong, value, strict=True)
            wrong = [given if part == ANY_TEXT else part for part, given in pairs]
        asked = replace(question, answer=wrong, accept=(), interval=None, before=())
        if isinstance(wrong, list) and question.kind == "number":  # any number of a range
            asked = replace(asked, answer=wrong[0], interval=(wrong[0], wrong[1]))
        if is_right(asked, value):
            texts.append(text)
    return " ".join(texts if question.kind == "fill" else texts[:1])


def is_right(question: Question, value: Any) -> bool:
    """Return True if the value has the whole credit. Raises `ValueError` for no such value."""
    return _KINDS[question.kind](question, value)[0] == 1.0


def add_answer(question: AskedQuestion, computed: Any) -> AskedQuestion:
    """Return the question with its computed answer. Raises `ValueError` if it is not a valid answer."""
    if computed is None:
        raise ValueError(NOT_COMPUTED)
    kind = question.as_kind or question.kind
    if kind == "number":
        answer: Any = read_number(computed, question.unit)
    elif kind in ("choice", "text"):
        answer = to_labels(question, str(computed))
        if kind == "choice" and answer not in question.options:
            raise ValueError(f"Running the code gave {answer[:40]!r}, none of the options.")
    else:
        answer = to_labels(question, tuple(computed) if isinstance(computed, list) else computed)
    return replace(question, kind=kind, answer=answer, answer_from="")


def _code(question: AskedQuestion, value: Any, outcome: Any) -> Grade:
    """Grade a program by what the judge found: `{"cause", "says"}`, in which a cause of "" means that
    it is right and None that it was not judged. A stored answer has its cause in it."""
    answer, explanation = answer_in_words(question), question.explanation
    if value is None:
        return Grade(False, 0.0, explanation, "", answer)
    if isinstance(value, dict):
        outcome = value
    elif not isinstance(value, str) or len(value) > LONGEST_CODE:
        says = f"The answer is a program of at most {LONGEST_CODE:,} characters."
        return Grade(False, 0.0, explanation, says, answer)
    outcome = outcome if isinstance(outcome, dict) else {"cause": None, "says": NOT_JUDGED}
    cause, says = outcome.get("cause"), str(outcome.get("says", ""))
    if not isinstance(cause, str):
        return Grade(None, 0.0, explanation, says, "")
    return Grade(not cause, float(not cause), explanation, says, answer, cause)


def _choice(question: Question, value: Any) -> tuple[float, str]:
    if not isinstance(value, str) or value not in question.options:
        raise ValueError(f"The answer is one of {', '.join(question.options)}.")
    return float(value == question.answer), question.feedback.get(value, "")


def _multi(question: Question, value: Any) -> tuple[float, str]:
    picked, right = _keys(value, question.options), set(question.answer)
    # a wrong pick takes away what a right one gives, so that picking everything earns nothing much
    credit = max(0, len(picked & right) - len(picked - right)) / len(right)
    if picked == right:
        return credit, ""
    names = {key if len(key) == 1 else text: key for key, text in question.options.items()}
    lines: list[str] = []
    for side, options in compare_options(question, picked).items():
        if side == "Right":
            lines.append(f"Right: {'; '.join(options)}.")
        else:
            notes = ((name, question.feedback.get(names[name], "")) for name in options)
            lines += (f"{side}: {name}. {_without_yes(note)}".rstrip() for name, note in notes)
    return credit, "\n".join(lines)


def _without_yes(note: str) -> str:
    """Return a note on a right option without its "Yes: ", which would follow the word "Missing"."""
    rest = note.removeprefix("Yes: ")
    return rest[:1].upper() + rest[1:] if rest != note else note


def _number(question: Question, value: Any) -> tuple[float, str]:
    unit, answer = question.unit, question.answer
    if isinstance(value, str):
        value = read_range(value, unit) or value
    ends = value if isinstance(value, list | tuple) and len(value) == 2 else (value,)
    numbers = [read_number(end, unit) for end in ends]
    said = f"You said {show_range(numbers, unit, (answer,))}"
    # a range is as good as its ends: 1 to 1000 holds every answer and says nothing
    if all(is_close(number, answer, question) for number in numbers):
        right = f"{said}; it is {show_number(answer, unit, numbers)}."
        return 1.0, "" if numbers == [answer] else right
    if len(numbers) == 2 and numbers[0] <= answer <= numbers[1]:
        return 0.0, f"{said}: the answer is in it, but an end is too far away."
    return 0.0, f"{said}."


def _text(question: Question, value: Any) -> tuple[float, str]:
    if not isinstance(value, str):
        raise ValueError("The answer is a text.")
    match = match_text(value, (question.answer, *question.accept), exact=question.exact)
    return float(match is not None), f"Taken for {match.form}." if match and match.slips else ""


def _order(question: Question, value: Any) -> tuple[float, str]:
    if not isinstance(value, list | tuple) or len(_keys(value, question.items)) != len(value):
        raise ValueError(f"The answer is a list of {', '.join(question.items)}, each once.")
    pairs = pairs_to_keep(question)
    # the share of pairs in the right order (Kendall 1938), so that one slip costs little
    share = 1 - len(find_broken(pairs, value)) / len(pairs)
    if len(value) < len(question.items):  # an item in no pair is missed too
        return min(share, len(value) / len(question.items)), "Not every item has a place."
    broken = find_broken(neighbours_to_keep(question), value)
    if not broken:
        return 1.0, ""
    first, second = (question.items[key].rstrip(".") for key in broken[0])
    return share, f"Out of order: “{first}” comes before “{second}”."


def _match(question: Question, value: Any) -> tuple[float, str]:
    if not isinstance(value, dict) or not set(value) <= set(question.left):
        raise ValueError(f"The answer pairs each of {', '.join(question.left)} with another.")
    wrong = [key for key in question.left if value.get(key) != question.answer[key]]
    share = 1 - len(wrong) / len(question.answer)
    # by their texts: the application shows no labels on this side
    named = "; ".join(question.left[key] for key in wrong)
    end = "" if named.endswith((".", "?", "!")) else "."
    return share, f"Not right: {named}{end}" if wrong else ""


def _fill(question: Question, value: Any) -> tuple[float, str]:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ValueError("The answer is a list of texts, one for each blank.")
    count = len(question.answer)
    if len(value) > count:
        raise ValueError(f"There are {count} blanks, and {len(value)} texts.")
    accept = question.accept or ((),) * count
    exact = question.exact or bool(question.code)  # in code every letter counts
    wrong: list[int] = []
    taken: list[str] = []
    for i, (answer, forms) in enumerate(zip(question.answer, accept, strict=True)):
        match = match_text(value[i], (answer, *forms), exact=exact) if i < len(value) else None
        if match is None:
            wrong.append(i + 1)
        elif match.slips:
            taken.append(f"Blank {i + 1} was taken for {match.form}.")
    if wrong:
        blanks = "blanks" if len(wrong) > 1 else "blank"
        taken.insert(0, f"Not right: {blanks} {', '.join(map(str, wrong))}.")
    return 1 - len(wrong) / count, " ".join(taken)


def _line(question: Question, value: Any) -> tuple[float, str]:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("The answer is the number of a line.")
    answers = question.answer if isinstance(question.answer, tuple) else (question.answer,)
    return float(value in answers), question.tempting.get(value, "")


def _open(question: Question, value: Any) -> tuple[float, str]:
    named = value.get("points", []) if isinstance(value, dict) else []
    if not isinstance(named, list | tuple):
        raise ValueError("Points are a list of numbers.")
    count = len(question.points)
    missed = [point for i, point in enumerate(question.points, 1) if i not in named]
    credit = (count - len(missed)) / count if count else 0.0
    if isinstance(value, dict) and count and not credit:
        return 0.0, "No point of a good answer was named."
    return credit, "Not named: " + "; ".join(missed) if named and missed else ""


def _keys(value: Any, known: dict[str, str]) -> set[str]:
    if isinstance(value, list | tuple) and all(isinstance(key, str) for key in value):
        keys = set(value)
        if keys <= set(known):
            return keys
    raise ValueError(f"The answer is a list of {', '.join(known)}.")


_KINDS: dict[str, Callable[[Question, Any], tuple[float, str]]] = {
    "choice": _choice,
    "multi": _multi,
    "number": _number,
    "text": _text,
    "order": _order,
    "match": _match,
    "fill": _fill,
    "line": _line,
    "open": _open,
}  # a computed answer turns `predict` into one of these
