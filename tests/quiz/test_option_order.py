"""The order of options: the same for the same number, graded the same, kept in the author's keys."""

from typing import Any

import pytest
import questions as q
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.catalog.course import open_course
from tutor.course.model import Question
from tutor.course.reading.variants import draw_variant
from tutor.quiz import grade, parse_answer
from tutor.quiz.answer_text import answer_in_words
from tutor.quiz.option_order import shuffle_options, to_author_keys, to_labels

LISTED = (q.CHOICE, q.MULTI, q.ORDER, q.MATCH)
numbers = st.integers(0, 50)


def of_the_course() -> list[Question]:
    course = open_course()
    asked = [
        question
        for day in course.days
        if (quiz := course.quiz(day.day))
        for question in quiz.questions
    ]
    for day in course.days:
        if lesson := course.lesson(day.day):
            asked += [prediction.question for prediction in lesson.predictions]
    return [each for each in asked if each.options or each.items or each.left]


@pytest.mark.parametrize("question", LISTED)
@given(number=numbers)
@settings(max_examples=20, deadline=None)
def test_an_order_shows_everything_and_is_graded_the_same(question: Question, number: int) -> None:
    shown = shuffle_options(question, number)
    assert shown == shuffle_options(question, number)
    for side in ("options", "items", "left", "right"):
        before, after = getattr(question, side), getattr(shown, side)
        assert sorted(before) == list(after)
        assert sorted(before.values()) == sorted(after.values())
    right = grade(shown, to_labels(shown, question.answer))
    assert right.right
    assert right.credit == 1.0
    assert to_author_keys(shown, to_labels(shown, question.answer)) == question.answer


def test_another_number_is_another_order() -> None:
    orders = {tuple(shuffle_options(q.MULTI, number).options.values()) for number in range(30)}
    assert len(orders) > 10
    assert shuffle_options(q.NUMBER, 3) is q.NUMBER


@given(numbers)
@settings(max_examples=30, deadline=None)
def test_what_is_told_names_the_labels_that_were_shown(number: int) -> None:
    shown = shuffle_options(q.MATCH, number)
    value = dict.fromkeys(shown.left, next(k for k, t in shown.right.items() if t == "none"))
    grid = next(label for label, text in shown.left.items() if text == "grid")
    value[grid] = shown.answer[grid]
    assert grade(shown, value).feedback == "Not right: block."

    shown = shuffle_options(q.MULTI, number)
    wrong = next(label for label, text in shown.options.items() if text == "B")
    assert grade(shown, [*shown.answer, wrong]).feedback.endswith(f"\nWrong: {wrong}. No load.")
    said = answer_in_words(shown)
    assert said == "\n".join(f"{key}: {shown.options[key]}" for key in sorted(shown.answer))
    assert {shown.options[key] for key in shown.answer} == {"A", "C"}


def test_typed_labels_mean_the_texts_next_to_them() -> None:
    for number in range(20):
        shown = shuffle_options(q.CHOICE, number)
        label = next(label for label, text in shown.options.items() if text == "two")
        assert to_author_keys(shown, parse_answer(shown, label)) == "b"


def test_keys_that_are_words_stay_with_their_texts() -> None:
    words = q.question("choice", options={"same": "as long", "twice": "2 x"}, answer="twice")
    for number in range(10):
        shown = shuffle_options(words, number)
        assert shown.options == words.options  # in any order
        assert shown.answer == "twice"
    assert {next(iter(shuffle_options(words, n).options)) for n in range(20)} == {"same", "twice"}


def test_a_computed_key_is_found_under_its_label() -> None:
    asked = q.question(
        "predict",
        code="n = 1",
        answer_from="'a' if n else 'b'",
        as_kind="choice",
        options={"a": "one", "b": "none", "c": "two"},
        feedback={"b": "No."},
    )
    for number in range(10):
        shown = shuffle_options(asked, number)
        one = next(label for label, text in shown.options.items() if text == "one")
        assert grade(shown, one, computed="a").right
        assert grade(asked, "a", computed="a").right


@pytest.mark.parametrize("number", range(6))
def test_computed_keys_of_several_are_found_under_their_labels(number: int) -> None:
    several = q.question(
        "multi", answer_from="found", options={"a": "one", "b": "none", "c": "two", "d": "three"}
    )
    shown = shuffle_options(several, number)
    picked = [label for label, text in shown.options.items() if text in ("one", "two")]
    assert grade(shown, picked, computed=["a", "c"]).right
    pairs = q.question(
        "match",
        answer_from="forms",
        left={"a": "short", "b": "long"},
        right={"x": "loop", "y": "no loop", "z": "split"},
    )
    shown = shuffle_options(pairs, number)
    label = {text: key for side in (shown.left, shown.right) for key, text in side.items()}
    mine = {label["short"]: label["no loop"], label["long"]: label["split"]}
    assert grade(shown, mine, computed={"a": "y", "b": "z"}).right


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_no_order_of_the_course_gives_its_answer_away(number: int) -> None:
    for question in of_the_course():
        shown: Any = shuffle_options(draw_variant(question), number)
        if question.kind == "order":
            assert tuple(shown.items) != shown.answer, question.id
        if question.kind == "match" and shown.answer:  # a cell computes the others
            rows = list(shown.right)
            partners = [rows.index(shown.answer[key]) for key in shown.left]
            assert partners != sorted(partners), question.id


def test_values_that_are_no_answer_stay_as_they_are() -> None:
    shown = shuffle_options(q.MATCH, 1)
    for value in (None, 3, "?", [["a"]], {"q": "q", "a": ["x"]}):
        kept = to_author_keys(shown, value)
        assert kept == value or isinstance(kept, dict)
