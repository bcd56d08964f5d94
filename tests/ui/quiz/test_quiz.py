"""Questions answered with nothing but keys, stored before anything is revealed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doing import SMALL, TINY, Host, label_of, seen, show, until
from monkey import NoJudge
from run_home import share_course
from textual.pilot import Pilot

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.course.model import Question
from tutor.course.reading.variants import draw_variant
from tutor.memory.course_sync import page_of
from tutor.memory.quiz_session import QuizSession
from tutor.memory.record import open_record
from tutor.memory.schedule.ratings import AGAIN
from tutor.quiz import Grade, grade
from tutor.quiz.option_order import shuffle_options, to_author_keys, to_labels
from tutor.ui.app import TutorApp
from tutor.ui.kit.dialogs.help import HelpScreen
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.question.choice_fields import PointsField
from tutor.ui.question.field import ListField
from tutor.ui.question.question_view import QuestionView, field_for
from tutor.ui.quiz.result import WrappedList, quiz_summary
from tutor.ui.quiz.screen import QuizScreen, count_squares

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
SECOND = to_author_keys(shuffle_options(draw_variant(CHOICE), 0), "b")  # the option shown second
# A question, the keys that answer it, the value stored, whether that is right.
ANSWERS = [
    (CHOICE, ["c"], "c", True),
    (CHOICE, ["down", "down"], SECOND, SECOND == "c"),
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
        question(
            "match",
            left={"a": "1", "b": "2"},
            right={"x": "I", "y": "II"},
            answer={"a": "x", "b": "y"},
        ),
        ["x", "y", "up", "y", "down", "x"],  # partners never stand in one line
        {"a": "x", "b": "y"},
        True,
    ),
    (
        question("fill", code="tl.load(p, {1}=i < n, {2}=0.0)", answer=("mask", "other")),
        [*"mask", "enter", *"other"],
        ["mask", "other"],
        True,
    ),
    (
        question("fill", code="tl.load(p, {1}=i < n, {2}=0.0)", answer=("mask", "other")),
        [*"mask", "enter", "enter", *"other"],  # the second is empty still, and keeps the cursor
        ["mask", "other"],
        True,
    ),
    (question("line", code=CODE, answer=1), ["3"], 3, False),
    (question("line", code=CODE, answer=(1, 2)), ["j"], 2, True),
]


def shown_as(asked: Question, key: str) -> str:
    """The label to press for an option of the author's at the first asking; other keys as they are."""
    listed = {**asked.options, **asked.items}
    return to_labels(shuffle_options(draw_variant(asked), 0), key) if key in listed else key


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
        await pilot.press(*(shown_as(asked, key) for key in keys), "enter", "4")
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
        await pilot.press(label_of(host, "a"), "enter", "enter")
        await pilot.pause()
        text = seen(host)
        assert f"✗●{label_of(host, 'a')}" in text
        assert f"✓ {label_of(host, 'c')}" in text
        for feedback in CHOICE.feedback.values():
            assert feedback in text


async def test_a_partly_right_answer_says_what_is_right_missing_and_wrong(host: Host) -> None:
    options = {"a": "one", "b": "two", "c": "three", "d": "four", "e": "five"}
    asked = question("multi", options=options, answer=("a", "b", "c"))
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((asked,), "Day 22"))
        shown = {key: label_of(host, key) for key in options}
        await pilot.press(shown["a"], shown["b"], shown["d"], "enter", "enter")
        await pilot.pause()
        text = seen(host)
        right = "; ".join(sorted((shown["a"], shown["b"])))
        assert "~ Partly right (33%).\n" in text
        assert f"  Right:   {right}\n" in text
        assert f"  Missing: {shown['c']}\n" in text
        assert f"  Wrong:   {shown['d']}\n" in text
        assert "The answer" not in text


@pytest.mark.slow
async def test_options_stand_elsewhere_the_next_time(host: Host) -> None:
    """The answer in the record is the author's key each time, whatever its label was."""
    shown = set()
    async with host.run_test(size=SMALL) as pilot:
        for _ in range(6):
            await show(pilot, QuizScreen((CHOICE,), "Day 22"))
            label = label_of(host, "c")
            shown.add(label)
            row = next(line for line in seen(host).split("\n") if "the last" in line)
            assert f" {label} " in row
            await pilot.press(label, "enter", "enter")
            await pilot.pause()
            answer = host.record.activity.last_answer(CHOICE.id)
            assert answer is not None
            assert (answer.value, answer.right) == ("c", True)
            await pilot.press("enter", "escape")
            await pilot.pause()
    assert len(shown) > 1


async def test_not_knowing_is_noted_and_part_of_it_is_no_error(host: Host) -> None:
    many = ANSWERS[2][0]
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((CHOICE,), "Day 22"))
        await pilot.press("f3")
        await until(
            pilot, lambda: f"– Noted. The answer: {label_of(host, 'c')}: the last" in seen(host)
        )
        assert "Wrong" not in seen(host)
        view = host.screen.query_one(QuestionView)
        assert not view.query(".-wrong")
        await show(pilot, QuizScreen((many,), "Day 22"))
        await pilot.press(label_of(host, "a"), "enter", "enter")
        await until(pilot, lambda: "~ Partly right (50%)." in seen(host))
        view = host.screen.query_one(QuestionView)
        assert view.query(".explained.-partly")
        assert not view.query(".-wrong")


async def test_confidence_can_be_skipped_and_the_answer_changed(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((CHOICE,), "Day 22"))
        await pilot.press("enter")
        assert "Choose one first" in seen(host)
        await pilot.press(label_of(host, "a"), "enter")
        await pilot.pause()
        assert "How sure are you?" in seen(host)
        assert host.record.activity.last_answer(CHOICE.id) is None
        await pilot.press("left", label_of(host, "c"), "enter", "enter")
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


async def test_an_enter_alone_chooses_no_line(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((question("line", code=CODE, answer=1),), "Day 22"))
        await pilot.press("enter")
        assert "Choose a line first" in seen(host)
        assert host.screen.query_one(QuestionView).stage == "answering"
        await pilot.press("space", "enter", "4")
        await until(pilot, lambda: "✓ Right" in seen(host))


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
@pytest.mark.parametrize("kind", ["number", "choice"])
async def test_a_long_question_opens_at_its_prompt(host: Host, kind: str) -> None:
    code = "\n".join(f"x = {line}" for line in range(30))
    options = {"options": CHOICE.options, "answer": "c"} if kind == "choice" else {"answer": 29.0}
    asked = (ANSWERS[4][0], question(kind, code=code, **options))
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen(asked, "Day 22"))
        await pilot.press("f3", "enter")
        await until(pilot, lambda: "2 of 2" in seen(host))
        await pilot.pause(0.2)
        assert "Who writes element" in seen(host)
        await pilot.press("7" if kind == "number" else "down")
        mark = "Enter: submit" if kind == "number" else "▸"
        await until(pilot, lambda: mark in seen(host))  # what is acted on comes into sight


@pytest.mark.slow
async def test_the_next_question_is_never_drawn_scrolled(host: Host) -> None:
    code = "\n".join(f"x = {line}" for line in range(30))
    asked = (question("number", code=code, answer=29.0), ANSWERS[4][0])
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen(asked, "Day 22"))
        screen = host.screen
        assert isinstance(screen, QuizScreen)
        await pilot.press("f3", "end")
        await until(pilot, lambda: screen.revealed and screen.sheet.scroll_y > 0)
        await screen.action_next()
        assert screen.sheet.scroll_y == 0


@pytest.mark.slow
async def test_a_quiz_goes_on_where_it_was_left(host: Host) -> None:
    asked = tuple(q for q, *_ in ANSWERS[2:6])
    async with host.run_test(size=SMALL) as pilot:
        for count in (1, 2):
            await show(pilot, QuizScreen(asked, "Day 22"))
            screen = host.screen
            assert isinstance(screen, QuizScreen)
            assert screen.session.current is screen.questions[count - 1]
            assert screen.session.current.id == asked[count - 1].id
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
        assert screen.session.current is screen.questions[0]  # it was finished: a new session


# Keys that mark a part of an answer of each kind, which is not handed in.
MARKED = [(ANSWERS[0][0], "b"), (ANSWERS[2][0], "ca"), (ANSWERS[5][0], "ba"), (ANSWERS[6][0], "y")]
MARKED += [(question("line", code=CODE, answer=1), "3")]


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "keys"), MARKED)
async def test_what_is_marked_is_there_again(host: Host, asked: Question, keys: str) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((asked,), "Day 22"))
        await pilot.press(*keys)
        marked, drawn = host.screen.query_one(ListField).marks, seen(host)
        assert marked
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(host.screen, QuizScreen))
        await show(pilot, QuizScreen((asked,), "Day 22"))
        assert host.screen.query_one(ListField).marks == marked
        assert seen(host).replace("▸", " ") == drawn.replace("▸", " ")
        await pilot.press("f3")  # what is answered is no draft any more
        await until(pilot, lambda: "Next" in seen(host))
        await pilot.press("escape")
        await show(pilot, QuizScreen((asked,), "Day 22"))
        assert not host.screen.query_one(ListField).marks


def test_marks_stay_with_their_texts_in_another_order() -> None:
    asked, again = (shuffle_options(draw_variant(ANSWERS[2][0]), number) for number in (0, 1))
    field = field_for(asked)
    assert isinstance(field, ListField)
    field.mark(["a"])
    other = field_for(again, field.text)
    assert isinstance(other, ListField)
    (label,) = other.marks
    assert again.options[label] == asked.options["a"]
    assert label != "a"


@pytest.mark.parametrize("draft", ["{", "7", '["z"]', '{"z": "q"}', "99", "null"])
@pytest.mark.parametrize(("asked", "keys"), MARKED)
def test_a_draft_that_does_not_fit_marks_nothing(asked: Question, keys: str, draft: str) -> None:
    field = field_for(draw_variant(asked), draft)
    assert isinstance(field, ListField)
    assert not field.marks


@pytest.mark.slow
async def test_ticked_points_are_there_again(host: Host) -> None:
    asked = question("open", model="Because of masks.", points=("masks", "lanes", "padding"))
    async with host.run_test(size=SMALL) as pilot:
        for keys in ("1", "23"):
            await show(pilot, QuizScreen((asked,), "Day 22"))
            await pilot.press(*("masks" if keys == "1" else ""), "f2", "enter")
            await until(pilot, lambda: host.screen.query(PointsField))
            await pilot.press(*keys)
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(host.screen, QuizScreen))
        await show(pilot, QuizScreen((asked,), "Day 22"))
        await pilot.press("f2", "enter")
        await until(pilot, lambda: host.screen.query(PointsField))
        assert host.screen.query_one(PointsField).value() == [1, 2, 3]


@pytest.mark.slow
async def test_an_open_answer_without_a_point_is_missed_and_comes_back(host: Host) -> None:
    asked = question("open", model="Because of masks.", points=("masks", "lanes"))
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((asked,), "Day 22"))
        await pilot.press(*"no", "f2", "enter")
        await until(pilot, lambda: host.screen.query(PointsField))
        await pilot.press("enter")
        await until(pilot, lambda: "No point of a good answer was named." in seen(host))
        assert seen(host).count("Because of masks.") == 1
        answer = host.record.activity.last_answer(asked.id)
        assert answer is not None
        assert answer.right is False
        assert host.record.reviews.find_rating(answer.id) == AGAIN
        await pilot.press("enter")
        await until(pilot, lambda: "0 of 1 points" in seen(host))
        assert "Nothing was wrong" not in seen(host)
        assert "1 missed question again" in seen(host)
        await pilot.press("a")
        await until(pilot, lambda: "Misses · Day 22" in seen(host))
        assert "1 of 1" in seen(host).split("\n")[0]


@pytest.mark.slow
async def test_the_help_page_lists_the_keys_of_an_answer(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((ANSWERS[5][0],), "Day 22"))
        await show(pilot, HelpScreen(host.screen))
        await pilot.press("end")
        await until(pilot, lambda: "In this answer" in seen(host))
        assert "J/K move a line" in " ".join(seen(host).replace("│", "").split())


@pytest.mark.slow
async def test_what_an_answer_waits_for_tells_its_seconds(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((ANSWERS[3][0],), "Day 22"))
        view = host.screen.query_one(QuestionView)
        view.stage = "answered"
        view.wait("Running it …")
        await until(pilot, lambda: "Running it … 1 s" in seen(host))
        view.say("Not stored yet.")
        await pilot.pause(1.2)
        assert "Not stored yet." in seen(host), "what came later is not told over"


@pytest.mark.slow
async def test_the_end_says_what_to_read_again(host: Host) -> None:
    quiz = host.course.quiz(22)
    assert quiz is not None
    async with host.run_test(size=SMALL) as pilot:
        screen = QuizScreen(quiz.questions, quiz.title)
        await show(pilot, screen)
        for position, asked in enumerate(quiz.questions, 1):
            assert f"{position} of {len(quiz.questions)}" in seen(host)
            await pilot.press("f3")
            # A thread computes two of the answers, which takes seconds on a busy machine.
            await until(pilot, lambda: screen.revealed)
            answer = host.record.activity.last_answer(asked.id)
            assert answer is not None
            assert answer.value is None
            await pilot.press("enter")
            await until(pilot, lambda: not screen.revealed)
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


async def on(pilot: Pilot[None], text: str) -> None:
    """Click where the screen shows `text`."""
    rows = seen(pilot.app).split("\n")
    row, line = next((row, line) for row, line in enumerate(rows) if text in line)
    await pilot.click(offset=(line.index(text) + 1, row))
    await pilot.pause()


@pytest.mark.slow
async def test_a_quiz_is_answered_with_the_mouse_alone(host: Host) -> None:
    pairs = question(
        "match",
        left={"a": "first", "b": "second"},
        right={"x": "dispatcher", "y": "roofline"},
        answer={"a": "x", "b": "y"},
    )
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((CHOICE, pairs), "Day 22"))
        await on(pilot, "▸ Submit")
        assert "Choose one first" in seen(host)
        await on(pilot, "the last")
        await on(pilot, "▸ Submit")
        await on(pilot, "5 certain")
        assert "✓ Right" in seen(host)
        assert host.record.activity.last_answer(CHOICE.id).confidence == 5
        await on(pilot, "▸ Next")
        await on(pilot, "second")
        await on(pilot, "roofline")
        await on(pilot, "first")
        await on(pilot, "dispatcher")
        await on(pilot, "▸ Submit")
        await on(pilot, "← back")
        await on(pilot, "▸ Submit")
        await on(pilot, "Enter skips")
        assert host.record.activity.last_answer(pairs.id).right is True
        assert "▸ Submit" not in seen(host)


@pytest.mark.slow
async def test_submit_has_one_key_in_every_field(host: Host) -> None:
    asked = (
        CHOICE,
        question("text", answer="x"),
        question("fill", code="tl.load(p, {1}=i < n)", answer=("mask",)),
        question("open", model="Because.", points=("one", "two")),
    )
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen(asked, "Day 22"))
        for each in asked:
            await until(pilot, lambda: "^s submit" in seen(host).split("\n")[-1])
            await pilot.press("ctrl+s")
            assert host.record.activity.last_answer(each.id) is None
            await pilot.press("c", "ctrl+s", "ctrl+s")  # the answer, and no confidence
            if each.kind == "open":
                await pilot.press("a", "f2")  # what the answer named
            await pilot.pause()
            assert host.record.activity.last_answer(each.id) is not None
            await pilot.press("enter")
            await pilot.pause()


async def test_a_choice_that_was_not_graded_says_why(host: Host) -> None:
    texts = {"a": "one", "b": "two"}
    asked = draw_variant(
        question("predict", as_kind="choice", options=texts, code="n = 2", answer_from="n")
    )
    async with host.run_test(size=SMALL) as pilot:
        view = QuestionView(asked, ask_confidence=False)
        await host.screen.mount(view)
        view.start()
        await pilot.press("a", "enter")
        await until(pilot, lambda: view.stage == "answered")
        view.reveal(grade(asked, view.value))
        await until(pilot, lambda: "Not graded" in seen(host))
        assert "This machine could not run the code" in seen(host)


@pytest.mark.slow
async def test_the_end_leads_on_and_asks_the_misses_again(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_NOW", "2026-11-23T12:00+01:00")
    quiz = host.course.quiz(1)
    assert quiz is not None
    asked = [q for q in quiz.questions if q.kind == "choice"][:2]
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen(tuple(asked), "Quiz · Day 1"))
        await until(pilot, lambda: bool(host.screen.query(QuestionView)))
        assert "Quiz · Day 1" in seen(host)
        for number in ("1 of 2", "2 of 2"):
            await until(pilot, lambda number=number: number in seen(host))  # type: ignore[misc]
            await pilot.press("f3")
            await until(pilot, lambda: "Noted" in seen(host))
            await pilot.press("enter")
            await pilot.pause()
        await until(pilot, lambda: "0 of 2 points" in seen(host))
        text = " ".join(seen(host).split())
        assert "They return in your reviews: 2 tomorrow." in text
        assert "a · 2 missed questions again" in text
        assert "Day 1, " in text, "the section that teaches it is named"
        assert " K exercises" in text
        before = host.record.statistics.day_progress()[1]
        await pilot.press("a")
        await until(pilot, lambda: "1 of 2" in seen(host))
        key = label_of(host, str(asked[0].answer))
        await pilot.press(key, "enter")
        await until(pilot, lambda: "✓ Right" in seen(host))  # without asking how sure one is
        assert host.record.statistics.day_progress()[1] == before
        last = host.record.activity.last_answer(asked[0].id)
        assert last is not None
        assert (last.right, last.origin) == (True, "retry")
        await pilot.press("enter")
        await until(pilot, lambda: "2 of 2" in seen(host))
        await pilot.press("f3")
        await until(pilot, lambda: "Noted" in seen(host))
        await pilot.press("enter")
        await until(pilot, lambda: "1 of 2 points" in seen(host))
        assert "the quiz keeps its points" in seen(host)


def test_points_have_at_most_one_digit_after_the_point() -> None:
    session = QuizSession((question("number", answer=4),) * 13)
    session.results = {"q": (False, 0.8667)}
    assert quiz_summary(session, "", "").plain.startswith("0.9 of 13 points")


async def test_one_missed_question_after_the_other_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    paths.ensure(tmp_path)
    course, record = open_course(), open_record(paths.record_file())
    quiz = course.quiz(1)
    assert quiz is not None
    missed = [q for q in quiz.questions if q.kind == "choice"][:2]
    app = TutorApp(course, record, NoJudge(course.root))
    async with app.run_test(size=SMALL) as pilot:
        screen = QuizScreen(tuple(missed), "Quiz · Day 1")
        await show(pilot, screen)
        await give_up(pilot, screen)
        await until(pilot, lambda: "0 of 2 points" in seen(app))
        before = screen.query_one(WrappedList).option_count - len(missed)  # days to read again
        for place, question in enumerate(screen.session.wrong):
            await pilot.press(*["down"] * (1 if place else before), "enter")
            await until(pilot, lambda: isinstance(app.screen, LessonScreen))
            _, _, title = page_of(course, question)
            await until(pilot, lambda title=title: title in seen(app))  # type: ignore[misc]
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
            assert "0 of 2 points" in seen(app)
    record.close()


MISSES = 12  # two rows for each are more than a small window has


@pytest.mark.slow
async def test_the_end_shows_each_miss_and_the_ways_on(host: Host) -> None:
    asked = tuple(
        replace(question("number", answer=4), id=f"test-{n}", prompt=f"How many in {n}?\n" * 2)
        for n in range(MISSES)
    )
    async with host.run_test(size=SMALL) as pilot:
        screen = QuizScreen(asked, "Day 22")
        await show(pilot, screen)
        await give_up(pilot, screen)
        await until(pilot, lambda: f"0 of {MISSES} points" in seen(host))
        await pilot.press(*["down"] * (screen.query_one(WrappedList).option_count - MISSES))
        for number in range(MISSES):
            await until(pilot, lambda: f"How many in {number}?" in seen(host))  # noqa: B023
            await pilot.press("down")
        await pilot.press("end")
        await until(pilot, lambda: f"{MISSES} missed questions again" in seen(host))
        await pilot.press("pageup")
        await until(pilot, lambda: f"{MISSES} missed questions again" not in seen(host))
        await pilot.press("home")
        await until(pilot, lambda: f"0 of {MISSES} points" in seen(host))


async def give_up(pilot: Pilot[None], screen: QuizScreen) -> None:
    """Answer every question with "I do not know"."""
    while screen.session.current:
        await pilot.press("f3")
        await until(pilot, lambda: screen.revealed)
        await pilot.press("enter")
        await until(pilot, lambda: not screen.revealed)


@pytest.mark.parametrize(
    "given",
    [
        question("number", answer=4),
        question("fill", code="tl.load(p, {1}=m)", answer=("mask",), accept=((),)),
        question("open", model="Because of masks.", points=("masks",)),
    ],
)
async def test_a_question_that_is_given_up_shows_no_empty_box(host: Host, given: Question) -> None:
    asked = tuple(replace(given, id=f"test-{given.kind}-{n}") for n in range(2))
    async with host.run_test(size=SMALL) as pilot:
        screen = QuizScreen(asked, "Day 22")
        await show(pilot, screen)
        await pilot.press("f3")
        await until(pilot, lambda: screen.revealed)
        boxes = screen.query("Input, TextArea")
        assert boxes
        assert not [box for box in boxes if box.region]
        await pilot.press("enter")
        await until(pilot, lambda: not screen.revealed)
        await pilot.press("7", "f3")
        await until(pilot, lambda: screen.revealed)
        assert [box for box in screen.query("Input, TextArea") if box.region], (
            "what was typed stays"
        )


async def test_a_question_missed_is_asked_again_with_other_numbers(host: Host) -> None:
    doubled = question("number", answer="2 * n", params={"n": (16, 64)})
    doubled = replace(doubled, prompt="How much is 2 × {n}?")
    async with host.run_test(size=SMALL) as pilot:
        screen = QuizScreen((doubled,), "Day 22")
        await show(pilot, screen)
        seen_first = {n for n in (16, 64) if f"2 × {n}?" in seen(host)}
        for _ in range(2):
            await give_up(pilot, screen)
            await pilot.press("a")
            await until(pilot, lambda: "How much" in seen(host))
            again = {n for n in (16, 64) if f"2 × {n}?" in seen(host)}
            assert len(again) == 1
            assert again != seen_first
            seen_first = again


async def test_the_end_names_a_miss_with_the_numbers_it_was_asked_with(host: Host) -> None:
    doubled = question("number", answer="2 * n", params={"n": (16, 64)})
    doubled = replace(doubled, prompt="How much is 2 × {n}?")
    asked = (doubled, replace(doubled, id="another", prompt="How much is 3 × {n}?"))
    async with host.run_test(size=SMALL) as pilot:
        first = QuizScreen(asked, "Day 22")
        await show(pilot, first)
        n = next(n for n in (16, 64) if f"2 × {n}?" in seen(host))
        await pilot.press("f3")
        await until(pilot, lambda: first.revealed)
        await pilot.press("escape")
        screen = QuizScreen(asked, "Day 22")
        await show(pilot, screen)
        await give_up(pilot, screen)
        await until(pilot, lambda: "0 of 2 points" in seen(host))
        assert f"How much is 2 × {n}?" in seen(host)


async def test_the_end_of_a_day_without_exercises_names_no_kernels(host: Host) -> None:
    quiz = host.course.quiz(14)
    assert quiz is not None
    async with host.run_test(size=SMALL) as pilot:
        screen = QuizScreen(quiz.questions[:1], "Quiz · Day 14")
        await show(pilot, screen)
        await give_up(pilot, screen)
        assert "of 1 points" in seen(host)
        assert "exercises" not in seen(host)


@pytest.mark.slow
async def test_the_footer_leads_to_an_answer_below_the_edge(host: Host) -> None:
    long = replace(CHOICE, code="\n".join(f"x = {n}" for n in range(30)))
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, QuizScreen((long,), "Quiz"))
        await until(pilot, lambda: "to the answer" in seen(host))
        assert "nobody" not in seen(host)
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: "nobody" in seen(host) and "to the answer" not in seen(host))


@pytest.mark.parametrize(
    ("done", "total", "squares"),
    [
        (0, 4, "□□□□"),
        (1, 13, "■" + "□" * 12),
        (13, 13, "■" * 13),
        (0, 0, ""),
        (1, 33, "□" * 17),
        (2, 33, "■" + "□" * 16),
        (32, 33, "■" * 16 + "□"),
        (33, 33, "■" * 17),
    ],
)
def test_the_strip_has_a_square_a_question_or_for_two(done: int, total: int, squares: str) -> None:
    filled, empty = count_squares(done, total)
    assert "■" * filled + "□" * empty == squares
