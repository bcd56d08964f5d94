"""What stands in the place of a question that was answered on an earlier visit."""

from tutor.course.model import AskedQuestion
from tutor.quiz import grade
from tutor.ui.lesson.prediction_view import PredictionView


def shown(kind: str, **fields: object) -> list[str]:
    """The lines about a question that the learner did not know."""
    question = AskedQuestion(
        id="d01-asked", kind=kind, prompt="Which?", explanation="Because.", day=1, **fields
    )
    verdict = grade(question, None)
    view = PredictionView(question, None, verdict, right=False)
    view.reveal(verdict)
    return view.content.plain.split("\n")


def test_a_model_answer_is_no_answer_in_one_word() -> None:
    lines = shown("open", model="First this.\nThen that.", points=("this",))
    assert lines[2:4] == ["– Noted. A good answer: First this.", "Then that."]


def test_a_long_match_is_shown_whole_and_its_code_without_backticks() -> None:
    left, right = {str(n): f"line {n}" for n in range(8)}, {c: f"`{c}`" for c in "abcdefgh"}
    answer = dict(zip(left, right, strict=True))
    lines = shown("match", left=left, right=right, answer=answer)
    assert lines[2:4] == ["– Noted. The right pairs:", "line 0 → a"]
    assert lines[10] == "line 7 → h"


def test_a_long_order_begins_on_a_line_of_its_own() -> None:
    items = {"a": "one", "b": "two", "c": "three"}
    lines = shown("order", items=items, answer=("b", "a", "c"))
    assert lines[2:6] == ["– Noted. The right order:", "1. two", "2. one", "3. three"]


def test_a_pair_whose_first_text_has_an_arrow_gets_no_second_one() -> None:
    lines = shown("match", left={"a": "x * 1 → x"}, right={"b": "none"}, answer={"a": "b"})
    assert lines[2] == "– Noted. It is x * 1 → x: none. "


def test_several_right_options_stand_in_one_sentence() -> None:
    lines = shown("multi", options={"a": "one", "b": "two"}, answer=("a", "b"))
    assert lines[2] == "– Noted. It is a: one; b: two. "


def test_the_code_that_was_asked_about_stays_with_the_question() -> None:
    code = "x = torch.arange(6)\ny = x[::3]"
    lines = shown("choice", code=code, options={"a": "2", "b": "3"}, answer="a")
    assert lines[1:3] == code.split("\n")
