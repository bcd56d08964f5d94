"""Questions answered with nothing but keys, stored before anything is revealed."""

from typing import Any

import pytest
from doing import SMALL, TINY, WIDE, Host, seen, show, until

from tutor.course.model import Question
from tutor.quiz import Grade
from tutor.ui.question.question_view import QuestionView
from tutor.ui.quiz.screen import QuizScreen

CODE = """\
v = tl.load(x + row * n + col, mask=col < n, other=0.0)
v = v - tl.max(v, 0)
e = tl.exp(v)
"""


def question(kind: str, **fields: Any) -> Question:
    return Question(
        id=f"test-{kind}-{fields.get('as_kind', '')}",
        kind=kind,
        prompt="Who writes element `1024` of `kernel[grid](x)`?",
        explanation="Because [/red] says so.",
        day=22,
        source="a page, version 1",
        **fields,
    )


CHOICE = question(
    "choice",
    options={"a": "the [/red] first", "b": "nobody", "c": "the last"},
    answer="c",
    feedback={"a": "It stops at 1023.", "b": "Somebody must.", "c": "It owns the tail."},
)
# A question, the keys that answer it, the value stored, whether that is right.
ANSWERS = [
    (CHOICE, ["c"], "c", True),
    (CHOICE, ["down", "down"], "b", False),
    (
        question("multi", options={"a": "one", "b": "two", "c": "three"}, answer=("a", "c")),
        ["c", "b", "b", "a"],
        ["a", "c"],
        True,
    ),
    (question("number", answer=156.0, unit="FLOP/B", tolerance=0.02), [*"157"], 157.0, True),
    (question("text", answer="tl.program_id"), [*"TL", "full_stop", *"x"], "TL.x", False),
    (
        question("order", items={"a": "one", "b": "two", "c": "three"}, answer=("b", "a", "c")),
        ["b", "c", "a", "K"],
        ["b", "a", "c"],
        True,
    ),
    (
        question("match", left={"a": "1", "b": "2"}, right={"x": "I", "y": "II"},
                 answer={"a": "x", "b": "y"}),
        ["y", "x", "up", "x", "down", "y"],
        {"a": "x", "b": "y"},
        True,
    ),
    (
        question("fill", code="tl.load(p, {1}=i < n, {2}=0.0)", answer=("mask", "other")),
        [*"mask", "enter", *"other"],
        ["mask", "other"],
        True,
    ),
    (question("line", code=CODE, answer=1), ["3"], 3, False),
    (question("line", code=CODE, answer=(1, 2)), ["j"], 2, True),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "keys", "value", "right"), ANSWERS)
async def test_every_kind_is_answered_by_keys(
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
    asked: Question,
    keys: list[str],
    value: Any,
    right: bool,
) -> None:
    stored_at_reveal = []
    reveal = QuestionView.reveal

    def watched(view: QuestionView, grade: Grade) -> None:
        stored_at_reveal.append(host.record.activity.last_answer(asked.id))
        reveal(view, grade)

    monkeypatch.setattr(QuestionView, "reveal", watched)
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((asked,), "Day 22"))
        assert "kernel[grid](x)" in seen(host)
        await pilot.press(*keys, "enter", "4")
        await pilot.pause()
        answer = stored_at_reveal[0]
        assert answer is not None
        assert (answer.value, answer.right, answer.confidence) == (value, right, 4)
        assert answer.origin == "quiz"
        assert answer.seconds > 0
        text = seen(host)
        assert ("✓ Right" if right else "✗ ") in text
        assert "Because [/red] says so." in text
        assert "Source: a page" in text
        await pilot.press("enter")
        await pilot.pause()
        assert "of 1" in seen(host)


async def test_every_option_is_explained(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((CHOICE,), "Day 22"))
        assert "the [/red] first" in seen(host)
        await pilot.press("a", "enter", "enter")
        await pilot.pause()
        text = seen(host)
        assert "✗●a" in text
        assert "✓ c" in text
        for feedback in CHOICE.feedback.values():
            assert feedback in text


async def test_confidence_can_be_skipped_and_the_answer_changed(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((CHOICE,), "Day 22"))
        await pilot.press("enter")
        assert "Choose one first" in seen(host)
        await pilot.press("a", "enter")
        await pilot.pause()
        assert "How sure are you?" in seen(host)
        assert host.record.activity.last_answer(CHOICE.id) is None
        await pilot.press("left", "c", "enter", "enter")
        await pilot.pause()
        answer = host.record.activity.last_answer(CHOICE.id)
        assert answer is not None
        assert (answer.value, answer.confidence) == ("c", None)


async def test_a_number_that_is_none_is_asked_again(host: Host) -> None:
    asked = question("number", answer=2.0)
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((asked,), "Day 22"))
        await pilot.press(*"two", "enter")
        await pilot.pause()
        assert host.record.activity.last_answer(asked.id) is None
        await pilot.press("backspace", "backspace", "backspace", "2", "enter", "enter")
        await pilot.pause()
        answer = host.record.activity.last_answer(asked.id)
        assert answer is not None
        assert answer.right


async def test_open_answers_are_compared_then_rated(host: Host) -> None:
    asked = question("open", model="It says *why*.", points=("the mask", "the `other`"))
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((asked,), "Day 22"))
        await pilot.press("f2")
        assert "Write a sentence first" in seen(host)
        await pilot.press(*"Masks", "escape", "enter", "3")
        await pilot.pause()
        assert "It says why." in seen(host)
        assert host.record.activity.last_answer(asked.id) is None
        await pilot.press("2", "enter")
        await pilot.pause()
        answer = host.record.activity.last_answer(asked.id)
        assert answer is not None
        assert answer.value == {"text": "Masks", "points": [2]}
        assert answer.right is None
        assert answer.credit == 0.5


@pytest.mark.slow
async def test_a_prediction_is_computed_on_this_machine(host: Host) -> None:
    asked = question(
        "predict", as_kind="number", code="n = 1025\np = -(-n // 1024)", answer_from="p"
    )
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((asked,), "Day 22"))
        assert "n = 1025" in seen(host)
        await pilot.press("2", "enter", "enter")
        await until(pilot, lambda: host.record.activity.last_answer(asked.id) is not None)
        answer = host.record.activity.last_answer(asked.id)
        assert answer is not None
        assert answer.right is True
        assert "✓ Right" in seen(host)


@pytest.mark.slow
async def test_a_quiz_goes_on_where_it_was_left(host: Host) -> None:
    asked = tuple(q for q, *_ in ANSWERS[2:6])
    async with host.run_test(size=SMALL) as pilot:
        for count in (1, 2):
            await show(pilot, QuizScreen(asked, "Day 22"))
            screen = host.screen
            assert isinstance(screen, QuizScreen)
            assert screen.session.current is asked[count - 1]
            await pilot.press("f3")
            await pilot.pause()
            await pilot.press("escape")
        await show(pilot, QuizScreen(asked, "Day 22"))
        for _ in asked[2:]:
            await pilot.press("f3")
            await pilot.pause()
            await pilot.press("enter")
            await pilot.pause()
        assert "0 of 4 points" in seen(host)
        await pilot.press("escape")
        await show(pilot, QuizScreen(asked, "Day 22"))
        screen = host.screen
        assert isinstance(screen, QuizScreen)
        assert screen.session.current is asked[0]  # it was finished: a new session


@pytest.mark.slow
async def test_the_end_says_what_to_read_again(host: Host) -> None:
    quiz = host.course.quiz(22)
    assert quiz is not None
    async with host.run_test(size=WIDE) as pilot:
        await show(pilot, QuizScreen(quiz.questions, quiz.title))
        for position, asked in enumerate(quiz.questions, 1):
            assert f"{position} of {len(quiz.questions)}" in seen(host)
            await pilot.press("f3")
            await pilot.pause()
            answer = host.record.activity.last_answer(asked.id)
            assert answer is not None
            assert answer.value is None
            await pilot.press("enter")
            await pilot.pause()
        text = seen(host)
        assert f"0 of {len(quiz.questions)} points" in text
        lowest = min(quiz.bands, key=lambda band: band.min)
        assert lowest.name in text
        for day in lowest.revisit:
            assert f"Day {day}" in text


@pytest.mark.slow
@pytest.mark.parametrize("size", [TINY, (30, 8)])
async def test_tiny_screens_do_not_crash(host: Host, size: tuple[int, int]) -> None:
    async with host.run_test(size=size) as pilot:
        for asked, keys, *_ in (ANSWERS[0], ANSWERS[6], ANSWERS[7], ANSWERS[8]):
            await show(pilot, QuizScreen((asked,), "Day 22"))
            await pilot.press(*keys, "enter", "enter", "escape")
