"""Every kind: what is right, what is partly right, and what a wrong choice is told."""

import math
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
import questions as q
from hypothesis import given
from hypothesis import strategies as st

from tutor.course.model import Band, Question, Quiz
from tutor.course.reading.variants import draw_variant
from tutor.quiz import band, format_answer, grade, parse_answer
from tutor.quiz.answer_text import answer_in_words
from tutor.quiz.option_order import shuffle_options, to_labels
from tutor.quiz.text_match import count_allowed_slips, match_text, measure_distance
from tutor.ui.question.choice_fields import MatchField

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=6,
)


@given(q.any_question())
def test_the_right_answer_is_right(question: Question) -> None:
    result = grade(question, q.right_value(question))
    assert result.right is True
    assert result.credit == 1
    assert result.answer


@given(q.any_question(), anything)
def test_any_value_gets_a_grade(question: Question, value: Any) -> None:
    result = grade(question, value)
    assert 0 <= result.credit <= 1
    assert result.right is (result.credit == 1)


@given(q.any_question())
def test_typing_the_answer_gives_it_back(question: Question) -> None:
    value = q.right_value(question)
    if question.kind == "multi":
        value = [key for key in question.options if key in value]  # its order says nothing
    assert parse_answer(question, format_answer(question, value)) == value


@given(q.any_question(), st.text(max_size=60))
def test_any_typed_text_is_a_value_or_one_sentence(question: Question, text: str) -> None:
    try:
        value, sentence = parse_answer(question, text), "."
    except ValueError as error:
        value, sentence = None, str(error)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert 0 <= grade(question, value).credit <= 1


@pytest.mark.parametrize(
    ("question", "value", "credit"),
    [
        (q.CHOICE, "b", 1),
        (q.CHOICE, "a", 0),
        (q.CHOICE, "z", 0),
        (q.MULTI, ["c", "a"], 1),
        (q.MULTI, ["a"], 1 / 2),
        (q.MULTI, ["a", "b", "c"], 1 / 2),
        (q.MULTI, ["a", "b", "c", "d"], 0),
        (q.MULTI, [], 0),
        (q.NUMBER, 156, 1),
        (q.NUMBER, "156 FLOP/B", 1),
        (q.NUMBER, "159.1 FLOP/B", 1),
        (q.NUMBER, "160 FLOP/B", 0),
        (q.NUMBER, "156 GB/s", 0),
        (q.NUMBER, math.nan, 0),
        (q.NUMBER, "312e12/2e12", 1),
        (q.NUMBER, "155..157 FLOP/B", 1),
        (q.NUMBER, [155, 157], 1),
        (q.NUMBER, "100..200", 0),
        (q.NUMBER, [1, 2, 3], 0),
        (q.SPAN, 4, 1),
        (q.SPAN, "3..6", 1),
        (q.SPAN, 7, 0),
        (q.WORD, "arithmetic intensty", 1),
        (q.WORD, "arithmetci intensity", 1),
        (q.WORD, "aritmetic intensty", 1),
        (q.WORD, "artmetic intensty", 0),
        (q.TEXT, "tl.progam_id", 0),  # a name of code
        (q.TEXT, "`TL . Program_id`", 1),
        (q.TEXT, "program_id", 1),
        (q.TEXT, "tl.num_programs", 0),
        (q.ORDER, ["c", "a", "b"], 1),
        (q.ORDER, ["a", "c", "b"], 2 / 3),
        (q.ORDER, ["b", "a", "c"], 0),
        (q.ORDER, ["c", "a"], 1 / 3),
        (q.ORDER, ["c", "a", "a", "b"], 0),
        (q.MATCH, {"a": "x", "b": "y"}, 1),
        (q.MATCH, {"a": "x", "b": "z"}, 1 / 2),
        (q.MATCH, {"a": "x"}, 1 / 2),
        (q.MATCH, {"a": "x", "b": "y", "q": "x"}, 0),
        (q.FILL, ["mask", "other"], 1),
        (q.FILL, ["mask"], 1 / 2),
        (q.FILL, ["mask", "else"], 1 / 2),
        (q.FILL, ["mask", "other", "third"], 0),
        (q.LINE, 1, 1),
        (q.LINE, 2, 0),
        (q.LINE, True, 0),
        (q.LINES, 3, 1),
    ],
)
def test_credit(question: Question, value: Any, credit: float) -> None:
    result = grade(question, value)
    assert result.credit == pytest.approx(credit)
    assert result.right is (credit == 1)


def test_a_note_on_an_option_names_it_as_the_screen_does() -> None:
    options = {"linear": "Linear", "relu": "Linear, then ReLU"}
    asked = q.question("multi", options=options, answer=("linear",), feedback={"relu": "It cuts."})
    assert (
        grade(asked, ["linear", "relu"]).feedback
        == "Right: Linear.\nWrong: Linear, then ReLU. It cuts."
    )
    letters = replace(asked, options={"a": "x", "b": "y"}, answer=("a",), feedback={"b": "No."})
    assert grade(letters, ["a", "b"]).feedback == "Right: a.\nWrong: b. No."


def test_what_is_right_missing_and_wrong_stands_apart() -> None:
    options = {key: f"option {key}" for key in "abcd"}
    asked = q.question(
        "multi",
        options=options,
        answer=("a", "c"),
        feedback={"b": "It reads.", "c": "Yes: it writes."},
    )
    found = grade(asked, ["a", "b"])
    assert found.sides == {"Right": ["a"], "Missing": ["c"], "Wrong": ["b"]}
    assert found.feedback == "Right: a.\nMissing: c. It writes.\nWrong: b. It reads."
    assert grade(asked, ["d"]).sides == {"Missing": ["a", "c"], "Wrong": ["d"]}
    assert (grade(asked, ["a", "c"]).sides, grade(asked, None).sides) == ({}, {})


def test_a_wrong_choice_is_told_why_it_tempts() -> None:
    assert grade(q.CHOICE, "a").feedback == "That is the grid."
    assert grade(q.CHOICE, "a").explanation == "Because."
    assert grade(q.MULTI, ["a", "b"]).feedback.endswith("\nWrong: b. No load.")
    assert grade(q.LINE, 2).feedback == "This one is right."
    assert grade(q.MATCH, {"a": "z", "b": "y"}).feedback == "Not right: grid."
    assert grade(q.FILL, ["mask", ""]).feedback == "Not right: blank 2."
    assert "160 FLOP/B" in grade(q.NUMBER, 160).feedback


@pytest.mark.parametrize("value", [8, 8.0, "8", "8.0", "2 * 4"])
def test_a_likely_wrong_number_has_its_sentence(value: Any) -> None:
    asked = q.question(
        "number", answer=3, slips={"8": "With 8 you counted lanes.", "16..20": "Far."}
    )
    assert grade(asked, value).feedback == "With 8 you counted lanes."
    assert grade(asked, value).right is False
    assert grade(asked, 17).feedback == "Far."
    assert grade(asked, 9).feedback == "You said 9."
    assert grade(asked, 3).feedback == ""
    assert grade(asked, None).feedback == ""


def test_every_order_that_keeps_the_pairs_is_right() -> None:
    tie = q.question(
        "order",
        items={key: f"Do {key}." for key in "abcd"},
        answer=("a", "b", "c", "d"),
        before=(("a", "c"), ("c", "d")),  # b has no place of its own
        slips={"c a b d": "First a."},
    )
    for number in range(8):
        shown = shuffle_options(tie, number)
        for order in permutations("abcd"):
            got = grade(shown, to_labels(shown, list(order)))
            keeps = order.index("a") < order.index("c") < order.index("d")
            assert (got.credit == 1) is keeps, order
            assert (got.feedback == "") is keeps
    assert grade(tie, ["d", "a", "b", "c"]).feedback == "Out of order: “Do c” comes before “Do d”."
    assert grade(tie, ["d", "a", "b", "c"]).credit == pytest.approx(
        1 / 3
    )  # a-d follows, and a-c is kept
    assert grade(tie, ["c", "a", "b", "d"]).feedback == "First a."
    assert grade(tie, ["a", "c", "d"]).right is False
    assert grade(tie, None).answer.endswith(
        "Any other order that keeps 1 before 3, 3 before 4 is right too."
    )
    assert "other order" not in grade(replace(tie, before=()), None).answer
    assert grade(replace(tie, before=()), ["b", "a", "c", "d"]).right is False


def test_slips_of_the_other_kinds() -> None:
    text = q.question("text", answer="addmm", slips={"mm": "That is the product alone."})
    assert grade(text, " MM ").feedback == "That is the product alone."
    order = q.question(
        "order",
        items={"a": "A", "b": "B", "c": "C"},
        answer=("c", "a", "b"),
        slips={"a c b": "The mask comes first."},
    )
    assert grade(order, ["a", "c", "b"]).feedback == "The mask comes first."
    assert grade(order, ["b", "a", "c"]).feedback == "Out of order: “C” comes before “A”."
    for number in range(6):
        shown = shuffle_options(order, number)
        assert grade(shown, to_labels(shown, ["a", "c", "b"])).feedback == "The mask comes first."
    fill = replace(q.FILL, slips={"mask | else": "No.", "… | 0": "A name goes before it."})
    assert grade(fill, ["mask", "else"]).feedback == "Not right: blank 2. No."
    assert grade(fill, ["x", "0"]).feedback == "Not right: blanks 1, 2. A name goes before it."
    assert grade(fill, ["x", "y"]).feedback == "Not right: blanks 1, 2."
    both = replace(q.FILL, slips={"else | …": "No such name.", "… | 0": "A name goes before it."})
    assert grade(both, ["else", "0"]).feedback.endswith("No such name. A name goes before it.")
    computed = replace(q.PREDICT, slips={"5": "That is another."})
    assert grade(computed, 5, computed=2).feedback == "That is another."
    varied = q.question(
        "number",
        answer="2 * n",
        params={"n": (3, 4)},
        prompt="{n}",
        slips={"{n}": "Half of {2 * n}."},
    )
    assert grade(draw_variant(varied, 0), 3).feedback == "Half of 6."
    assert {grade(draw_variant(varied, k), n).feedback for k in (0, 1) for n in (3, 4)} >= {
        "Half of 8."
    }


def test_what_was_accepted_is_shown() -> None:
    assert grade(q.WORD, "Arithmetic intensty").feedback == "Taken for arithmetic intensity."
    assert grade(q.WORD, "arithmetic intensity").feedback == ""
    assert grade(q.NUMBER, "157").feedback == "You said 157 FLOP/B; it is 156 FLOP/B."
    near = q.question("number", answer=1 / 3, tolerance=0.01)
    assert grade(near, "0.33333334").feedback == "You said 0.33333334; it is 0.33333333."
    assert "too far away" in grade(q.NUMBER, "100..200").feedback
    blank = q.question("fill", text="A warp has {1}.", answer=("thirty-two lanes",))
    assert "Blank 1 was taken for thirty-two lanes." in grade(blank, ["thirty-two lames"]).feedback
    assert grade(q.FILL, ["maks", "other"]).credit == 0.5  # code


@pytest.mark.parametrize(
    ("typed", "form"),
    [
        ("bfloat16", "float16"),
        ("float64", "float32"),
        ("ttir", "ttgir"),
        ("tl.range", "tl.arange"),
        ("unfused", "fused"),
        ("sm_80", "sm_90"),
        ("wrap", "warp"),
    ],
)
def test_a_slip_never_makes_another_word_right(typed: str, form: str) -> None:
    assert match_text(typed, (form,)) is None


@given(st.text("abcdefgh", min_size=1, max_size=30), st.text("abcdefgh", min_size=1, max_size=30))
def test_slips_are_bounded(text: str, form: str) -> None:
    match = match_text(text, (form,))
    if match is None:
        assert text != form
    else:
        assert match.slips <= count_allowed_slips(form) <= 2
        assert measure_distance(text, form) == match.slips == measure_distance(form, text)


def test_the_answer_in_words() -> None:
    assert grade(q.CHOICE, "a").answer == "b: two"
    assert grade(q.NUMBER, 1).answer == "156 FLOP/B"
    assert grade(q.ORDER, []).answer == "1. C\n2. A\n3. B"
    assert grade(q.MATCH, {}).answer == "grid → programs\nblock → lanes"
    assert grade(q.LINES, 2).answer == "line 1: a\nline 3: c"
    words = q.question("choice", options={"same": "as long", "twice": "2 x"}, answer="twice")
    assert grade(words, "same").answer == "2 x"  # the screen shows letters, not these keys


def test_a_pair_does_not_read_as_an_equation() -> None:
    """As "BLOCK = 128 = 8" did, and "128 ─ 8"."""
    pairs = {"a": "BLOCK = 128", "b": "BLOCK = 256"}
    right = {"x": "8", "y": "4"}
    asked = replace(q.MATCH, left=pairs, right=right, answer={"a": "x", "b": "y"})
    words = answer_in_words(asked)
    assert words.splitlines() == ["BLOCK = 128 → 8", "BLOCK = 256 → 4"]
    field = MatchField(pairs, right)
    assert field._pair("BLOCK = 128", "x").plain == "BLOCK = 128 → 8"


def test_pairs_are_listed_in_the_order_on_the_screen() -> None:
    left, right = {"b": "BLOCK = 256", "a": "BLOCK = 128"}, {"x": "8", "y": "4"}
    asked = replace(q.MATCH, left=left, right=right, answer={"a": "x", "b": "y"})
    graded = grade(asked, {"a": "y", "b": "x"})
    assert graded.answer.splitlines() == ["BLOCK = 256 → 4", "BLOCK = 128 → 8"]
    assert graded.feedback == "Not right: BLOCK = 256; BLOCK = 128."


def test_a_prediction_is_graded_against_what_the_machine_found() -> None:
    assert grade(q.PREDICT, 2, computed=2).right is True
    assert grade(q.PREDICT, "2", computed=2.0).right is True
    assert grade(q.PREDICT, 3, computed=2).right is False
    assert grade(q.PREDICT, 3, computed=2).answer == "2"
    as_text = q.question("predict", code="d", answer_from="d", as_kind="text")
    assert grade(as_text, "Torch.Float32", computed="torch.float32").right is True
    as_choice = q.question(
        "predict", code="d", answer_from="d", as_kind="choice", options={"yes": "…", "no": "…"}
    )
    assert grade(as_choice, "yes", computed="yes").right is True
    in_a_lesson = q.question("number", answer_from="programs")
    assert grade(in_a_lesson, 2, computed=2).right is True


@pytest.mark.parametrize("computed", [None, "no number", [1]])
def test_a_prediction_that_cannot_be_computed_is_nobodys_mistake(computed: Any) -> None:
    result = grade(q.PREDICT, 2, computed=computed)
    assert result.right is None
    assert result.feedback.endswith(".")
    assert grade(q.PREDICT, None, computed=computed).right is False


def test_an_open_answer_gets_its_own_authors_credit() -> None:
    assert grade(q.OPEN, "masks").right is None
    assert grade(q.OPEN, "masks").credit == 0
    assert grade(q.OPEN, {"text": "…", "points": [1, 3]}).credit == pytest.approx(2 / 3)
    assert grade(q.OPEN, {"text": "…", "points": [1, 1, 9, 2, 3]}).credit == 1
    assert "lanes" in grade(q.OPEN, {"points": [1, 3]}).feedback
    assert grade(q.OPEN, "masks").answer == "Because of masks."
    assert grade(q.OPEN, {"text": "…", "points": [1]}).right is None


def test_an_open_answer_that_named_no_point_is_a_miss() -> None:
    missed = grade(q.OPEN, {"text": "…", "points": []})
    assert (missed.right, missed.credit) == (False, 0)
    assert missed.feedback == "No point of a good answer was named."
    assert grade(q.question("open", model="Any."), {"text": "…", "points": []}).right is None


@pytest.mark.parametrize("question", [q.CHOICE, q.NUMBER, q.ORDER, q.OPEN])
def test_no_answer_is_wrong(question: Question) -> None:
    assert grade(question, None).right is False
    assert grade(question, None).credit == 0


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (q.CHOICE, " B) ", "b"),
        (q.MULTI, "c, a", ["a", "c"]),
        (q.MULTI, "ca", ["a", "c"]),
        (q.NUMBER, "0.156 kFLOP/B", 156),
        (q.ORDER, "c > a > b", ["c", "a", "b"]),
        (q.ORDER, "cab", ["c", "a", "b"]),
        (q.MATCH, "a=x b = y", {"a": "x", "b": "y"}),
        (q.MATCH, "A:x, b:Y", {"a": "x", "b": "y"}),
        (q.FILL, "mask | other", ["mask", "other"]),
        (q.FILL, r"a \| b | c", ["a | b", "c"]),
        (q.LINE, "line 2", 2),
        (q.PREDICT, "2 048", 2048),
        (q.OPEN, "all of it", "all of it"),
    ],
)
def test_typed(question: Question, text: str, value: Any) -> None:
    assert parse_answer(question, text) == value


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (q.CHOICE, "d"),
        (q.MULTI, "a z"),
        (q.NUMBER, "a few"),
        (q.ORDER, "a b"),
        (q.ORDER, "a a b c"),
        (q.MATCH, "a=x"),
        (q.MATCH, "a=x a=y b=y"),
        (q.FILL, "mask"),
        (q.LINE, "4"),
        (q.LINE, "0"),
        (q.LINE, "9" * 5000),
        (q.TEXT, "x" * 10_000_000),
        (q.TEXT, "  "),
    ],
)
def test_typed_in_vain(question: Question, text: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]{5,120}\.$"):
        parse_answer(question, text)


def test_bands() -> None:
    quiz = Quiz(22, "", (), (Band(0.9, "Ready", ""), Band(0.5, "Nearly", "", (22,))))
    assert band(quiz, 10, 10) == quiz.bands[0]
    assert band(quiz, 0.1 + 0.2 + 0.6, 1) == quiz.bands[0]  # a little below 0.9 in float64
    assert band(quiz, 8.9, 10) == quiz.bands[1]
    assert band(quiz, 4, 10) is None
    assert band(quiz, 0, 0) is None
