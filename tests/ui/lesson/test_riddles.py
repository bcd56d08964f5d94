"""Predictions in words: compared after their cell, and riddles that a later section solves."""

from pathlib import Path

import pytest
from answering import keep_answer
from doing import seen, until
from reading_course import LESSON, open_lesson
from textual.pilot import Pilot

from tutor.course.catalog.course import open_course
from tutor.course.model import Prose
from tutor.memory.question_choice import answering_cell, lesson_to_ask
from tutor.ui.app import TutorApp
from tutor.ui.cells.cell_runs import gates
from tutor.ui.lesson.model_answer import ModelAnswer, RevealView
from tutor.ui.lesson.section_builder import told_by_text
from tutor.ui.question.choice_fields import PointsField
from tutor.ui.question.question_view import QuestionView

RIDDLE = """\
```predict
id = "d01-riddle"
kind = "open"
prompt = "Why?"
model = "Because of the bytes."
points = ["the bytes", "the time"]
reveal = "a-prediction"
```
"""
WORDS = """\
```predict
id = "d01-words"
kind = "open"
prompt = "How?"
model = "By multiplying."
points = ["it multiplies"]
explanation = "Six by seven."
```
"""


def course_with(app: TutorApp, prediction: str) -> None:
    """Put a prediction before the first cell of the small course."""
    file = next(Path(app.course.root, "lessons").glob("day-01-*.md"))
    file.write_text(LESSON.replace("```python run\nn = 6", f"{prediction}\n```python run\nn = 6"))


def predicted(app: TutorApp) -> None:
    """Let the prediction of the solving section be answered before."""
    keep_answer(app.record, "d01-how-many", 1, 43, True, 1.0, None, 5.0, "predict")


async def answer(app: TutorApp, pilot: Pilot[None], text: str) -> None:
    app.screen.query_one(QuestionView).start()
    await pilot.pause()
    await pilot.press(*text, "f2")


@pytest.mark.slow
async def test_a_riddle_is_noted_and_solved_in_its_section(app: TutorApp) -> None:
    course_with(app, RIDDLE)
    predicted(app)
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        await open_lesson(pilot)
        await answer(app, pilot, "bytes")
        await until(pilot, lambda: "Noted. The answer comes in “A prediction”." in seen(app))
        assert "Because of the bytes" not in seen(app)
        assert app.record.activity.last_answer("d01-riddle").value == "bytes"
        await pilot.press("enter")  # its cell is free to run, and tells nothing
        await until(pilot, lambda: "n is 42" in seen(app))
        assert "Because of the bytes" not in seen(app)

        await pilot.press("escape", "n")
        await until(pilot, lambda: "section 2 of 3" in seen(app))
        await until(pilot, lambda: "You said bytes" in seen(app))
        assert "Because of the bytes." in seen(app)
        await until(pilot, lambda: bool(app.screen.query("RevealView PointsField")))
        await pilot.press("enter")  # to what is open on this page
        await until(pilot, lambda: isinstance(app.focused, PointsField))
        await pilot.press("1", "enter")
        await until(pilot, lambda: app.record.activity.last_answer("d01-riddle").credit == 0.5)
        kept = app.record.activity.last_answer("d01-riddle")
        assert kept.value == {"text": "bytes", "points": [1]}
        assert kept.origin == "predict"

        await pilot.press("escape", "p")
        await until(pilot, lambda: "section 1 of 3" in seen(app))
        await until(pilot, lambda: "Noted. The answer comes in “A prediction”." in seen(app))
        assert "Because of the bytes" not in seen(app)


@pytest.mark.slow
async def test_a_riddle_nobody_answered_is_solved_all_the_same(app: TutorApp) -> None:
    course_with(app, RIDDLE)
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot, section=1)
        await until(pilot, lambda: "once the predictions of this page are made" in seen(app))
        assert "Because of the bytes." not in seen(app)
        screen.query_one(QuestionView).give_up()
        await until(pilot, lambda: "Because of the bytes." in seen(app))
        assert "You had not answered it yet." in seen(app)
        assert not screen.query_one(RevealView).query(PointsField)


@pytest.mark.slow
async def test_words_are_compared_below_the_cell_once_it_has_run(app: TutorApp) -> None:
    course_with(app, WORDS)
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot)
        await answer(app, pilot, "so")
        await until(pilot, lambda: "Run cell 1 to find out" in seen(app))
        assert "By multiplying" not in seen(app)
        await pilot.press("enter")
        await until(pilot, lambda: "n is 42" in seen(app))
        await until(pilot, lambda: "By multiplying." in seen(app))
        assert seen(app).index("n is 42") < seen(app).index("By multiplying.")
        assert app.record.activity.last_answer("d01-words").value == "so"
        assert "Six by seven." not in seen(app)

        await pilot.press("escape", "n")
        await until(pilot, lambda: "section 2 of 3" in seen(app))
        await pilot.press("p")  # the page is made again, and the answer still waits
        await until(pilot, lambda: bool(screen.query(ModelAnswer)) and "You said so" in seen(app))
        screen.query_one(ModelAnswer).query_one(PointsField).focus()
        await pilot.press("1", "enter")
        await until(pilot, lambda: app.record.activity.last_answer("d01-words").credit == 1.0)
        await until(pilot, lambda: "Six by seven." in seen(app))


async def test_where_no_cell_is_left_the_key_that_runs_goes_to_a_question(app: TutorApp) -> None:
    file = next(Path(app.course.root, "lessons").glob("day-01-*.md"))
    first = LESSON[: LESSON.index("```python run")]
    file.write_text(f"{first}{RIDDLE}\n## A prediction\n\nThe end.\n")
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot)
        view = screen.query_one(QuestionView)
        assert not view.has_focus_within
        await pilot.press("x")
        await until(pilot, lambda: view.has_focus_within)


PAIRS = """\
```predict
id = "d01-pairs"
kind = "match"
prompt = "Which is which?"
answer_from = "{'a': 'y', 'b': 'x'}"
explanation = "Each is one."
[left]
a = "one"
b = "two"
[right]
x = "1 + 1"
y = "1 + 0"
```

"""


@pytest.mark.slow
@pytest.mark.parametrize("key", ["f3", "enter"])
async def test_pairs_that_a_cell_computes_are_revealed(app: TutorApp, key: str) -> None:
    file = next(Path(app.course.root, "lessons").glob("day-01-*.md"))
    file.write_text(LESSON.replace("```python run\nn = 6", f"{PAIRS}```python run\nn = 6"))
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot)
        view = screen.query_one(QuestionView)
        await pilot.press("x")
        await until(pilot, lambda: view.has_focus_within)
        await pilot.press("x", "y", key)
        await until(pilot, lambda: "Run cell 1 to find out" in seen(app))
        await pilot.press("x")
        await until(pilot, lambda: "Each is one." in seen(app))
        assert "one → 1 + 0" in seen(app)


TELLING = """\
```predict
id = "d01-product"
kind = "number"
prompt = "What is n?"
answer_from = "n"
explanation = "Six times seven."
```

"""


@pytest.mark.slow
async def test_text_that_tells_a_result_opens_with_the_prediction(app: TutorApp) -> None:
    file = next(Path(app.course.root, "lessons").glob("day-01-*.md"))
    told = LESSON.replace("```python run\nn = 6", f"{TELLING}```python run\nn = 6")
    told = told.replace("\n## A prediction", "\nSo it is **forty-two**.\n\n## A prediction")
    file.write_text(told)
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        await open_lesson(pilot)
        await until(pilot, lambda: "It opens once you have answered" in seen(app))
        assert "The first section cites" in seen(app)  # what stands before is read
        assert "forty-two" not in seen(app)
        await answer(app, pilot, "41")
        await until(pilot, lambda: "So it is forty-two." in seen(app))
        assert "It opens once" not in seen(app)
        await pilot.press("escape", "n")  # and it stays open when the reader comes back
        await until(pilot, lambda: "section 2 of 3" in seen(app))
        await pilot.press("p")
        await until(pilot, lambda: "So it is forty-two." in seen(app))


def test_a_text_waits_for_the_predictions_of_its_own_section() -> None:
    course = open_course()
    lesson = course.lesson(14)
    assert lesson is not None
    lesson = lesson_to_ask(lesson)
    told = told_by_text(lesson, gates(lesson))
    by_section = {
        section.slug: [
            [question.id for question in told[block.line]]
            for block in section.blocks
            if isinstance(block, Prose)
        ]
        for section in lesson.sections
    }
    first, *rest = by_section["what-may-become-one-kernel"]
    assert first == []
    assert rest == [["d14-questions-of-fusion"]]
    assert all(asked == [] for asked in by_section["stop-reflect-1"])  # a riddle folds nothing
    assert by_section["which-blocks-have-to-wait"][-1] == []


FIXED = """\
```predict
id = "d01-fixed"
kind = "number"
prompt = "How many days has a week?"
answer = 7
explanation = "Six and one more."
```

"""


@pytest.mark.slow
async def test_a_fixed_answer_after_the_last_cell_of_its_section_is_told_at_once(
    app: TutorApp,
) -> None:
    file = next(Path(app.course.root, "lessons").glob("day-01-*.md"))
    file.write_text(LESSON.replace("## A prediction", f"{FIXED}## A prediction"))
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        await open_lesson(pilot)
        await answer(app, pilot, "8")
        await until(pilot, lambda: "Six and one more." in seen(app))


def test_no_cell_of_another_section_waits_for_a_fixed_answer() -> None:
    lesson = open_course().lesson(28)
    assert lesson is not None
    question = next(p.question for p in lesson.predictions if p.question.id == "d28-where-to-act")
    assert answering_cell(lesson, question) is None
    assert [q.id for q in gates(lesson_to_ask(lesson))[0]] == [question.id]
