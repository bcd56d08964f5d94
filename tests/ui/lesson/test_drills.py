"""Drills in a lesson: judged in place by the real judge, stored before shown, tried again, given up."""

from pathlib import Path
from typing import Any

import pytest
from doing import seen, until
from reading_course import LESSON, open_lesson
from small_course import DRILL
from textual.pilot import Pilot

from tutor.base.errors import StorageError
from tutor.course.catalog.course import open_course
from tutor.course.reading.variants import draw_variant
from tutor.course.reading.wrong_answers import without_hints, wrong_answer
from tutor.memory.activity import Activity
from tutor.memory.answers import GivenAnswer
from tutor.memory.store.rows import CardId
from tutor.ui.app import TutorApp
from tutor.ui.kit.widgets.press import Press
from tutor.ui.lesson.prediction_view import PredictionView
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.question.choice_fields import LineField
from tutor.ui.question.explanation import Explained
from tutor.ui.question.program_field import ProgramEditor
from tutor.ui.question.question_view import QuestionView

pytestmark = pytest.mark.slow

KERNELS = open_course().root / "kernels"
START = without_hints(
    wrong_answer(KERNELS / "tail", "no_mask").code, (KERNELS / "tail" / "starter.py").read_text()
).strip("\n")
RIGHT = (KERNELS / "tail" / "solution.py").read_text()
POINT = """\
```drill
id = "d01-point"
kind = "line"
prompt = "Which adds?"
code = "x = 1\\nx = x + 1\\n"
answer = 2
explanation = "The second does."
```
"""


COUNT = """\
```drill
id = "d01-count"
kind = "number"
prompt = "How many bytes do {n} numbers of 4 bytes have?"
answer = "4 * n"
explanation = "{n} x 4 = {4 * n}."
[params]
n = [10, 20, 30]
```
"""


@pytest.fixture
def lesson(app: TutorApp) -> TutorApp:
    """The small course with drills at the end of its first section."""
    root = Path(app.course.root)
    (root / "kernels" / "tail").symlink_to(KERNELS / "tail")
    file = next((root / "lessons").glob("day-01-*.md"))
    file.write_text(
        LESSON.replace("## A prediction", f"{DRILL}\n{POINT}\n{COUNT}\n## A prediction")
    )
    return app


def asked(app: TutorApp) -> QuestionView:
    return next(view for view in app.screen.query(QuestionView) if view.question.kind == "code")


async def write(pilot: Pilot[None], text: str) -> ProgramEditor:
    app = pilot.app
    assert isinstance(app, TutorApp)
    editor = asked(app).query_one(ProgramEditor)
    editor.focus()
    await pilot.pause()
    editor.replace_text(text)
    await pilot.pause()
    return editor


async def test_a_line_that_is_marked_is_there_again(lesson: TutorApp) -> None:
    def field() -> LineField:
        return lesson.screen.query_one(LineField)

    async with lesson.run_test(size=(80, 24)) as pilot:
        await open_lesson(pilot)
        field().focus()
        await pilot.press("2")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: not isinstance(lesson.screen, LessonScreen))
        lesson.open("lesson:1")
        await until(pilot, lambda: isinstance(lesson.screen, LessonScreen))
        await until(pilot, lambda: lesson.screen.query(LineField))
        assert field().value() == 2


async def test_a_program_is_judged_in_place_and_tried_again(lesson: TutorApp) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await open_lesson(pilot)
        wrong = "import time\n\ntime.sleep(2)\n" + START.replace("x + 10", "x + 11")
        await write(pilot, wrong)
        await pilot.press("ctrl+s")
        await until(
            pilot, lambda: "The judge checks it" in asked(app).query_one(".note").render().plain
        )
        assert app.record.activity.last_answer("d01-repair") is None
        await until(pilot, lambda: asked(app).query(Explained))
        stored = app.record.activity.last_answer("d01-repair")
        assert stored.right is False
        assert stored.origin == "predict"
        assert stored.value["code"] == wrong
        assert stored.value["cause"]
        said = "\n".join(str(each.render()) for each in asked(app).query_one(Explained).children)
        assert "✗" in said
        assert len(said.splitlines()) <= 4
        assert "Lanes past the end" not in seen(app)
        due = app.record.reviews.card(CardId("question", "d01-repair"))
        await write(pilot, RIGHT)
        await pilot.press("f2")
        await until(pilot, lambda: asked(app).stage == "revealed")
        stored = app.record.activity.last_answer("d01-repair")
        assert stored.right is True
        assert stored.origin == "retry"
        assert app.record.reviews.card(CardId("question", "d01-repair")) == due  # the first counts
        await until(pilot, lambda: "Lanes past the end touch nothing." in seen(app))


async def test_a_verdict_that_comes_late_leaves_the_reader_in_peace(lesson: TutorApp) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await open_lesson(pilot)
        await write(pilot, "import time\n\ntime.sleep(2)\n" + START.replace("x + 10", "x + 11"))
        await pilot.press("ctrl+s")
        await until(
            pilot, lambda: "The judge checks it" in asked(app).query_one(".note").render().plain
        )
        await pilot.press("home")
        top = app.screen.query_one("Page").scroll_y
        await until(pilot, lambda: asked(app).query(Explained))
        await until(pilot, lambda: "the verdict stands there" in seen(app))
        assert app.screen.query_one("Page").scroll_y == top
        assert not isinstance(app.focused, ProgramEditor), "letters stay keys"


async def test_nothing_is_shown_that_is_not_stored(
    lesson: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = lesson

    def full(*_: Any, **__: Any) -> int:
        raise StorageError("the disk is full")

    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        await open_lesson(pilot)
        monkeypatch.setattr(Activity, "answer", full)
        await write(pilot, RIGHT)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Your answer is not stored" in seen(app))
        assert not asked(app).query(Explained)
        monkeypatch.undo()
        await until(pilot, lambda: app.focused and asked(app) in app.focused.ancestors)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: asked(app).stage == "revealed")
        assert app.record.activity.last_answer("d01-repair").right is True


async def test_unchanged_it_is_not_judged_and_given_up_it_shows_the_answer(
    lesson: TutorApp,
) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(120, 60)) as pilot:
        await open_lesson(pilot)
        await until(pilot, lambda: asked(app).query_one(Press).region.width)
        await pilot.click(asked(app).query_one(Press))
        await until(pilot, lambda: "Nothing has changed yet" in seen(app))
        assert app.record.activity.last_answer("d01-repair") is None
        asked(app).start()
        await pilot.pause()
        await pilot.press("f3")
        await until(pilot, lambda: "Noted." in seen(app))
        assert "mask = offsets < n" in seen(app)
        stored = app.record.activity.last_answer("d01-repair")
        assert (stored.value, stored.right) == (None, False)


async def test_a_draft_is_kept_and_an_answer_is_shown_again(lesson: TutorApp) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(120, 60)) as pilot:
        await open_lesson(pilot)
        await write(pilot, START + "\n# not yet")
        await pilot.press("escape", "escape")  # the editor, the field
        assert isinstance(app.screen, LessonScreen)
        await app.screen.show_section(1)
        await app.screen.show_section(0)
        await until(pilot, lambda: app.screen.query(ProgramEditor))
        await until(pilot, lambda: "# not yet" in asked(app).query_one(ProgramEditor).text)
        await write(pilot, RIGHT)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: asked(app).stage == "revealed")
        await app.screen.show_section(1)
        await app.screen.show_section(0)
        await until(pilot, lambda: app.screen.query(Explained))
        assert asked(app).query_one(ProgramEditor).text.strip() == RIGHT.strip()
        assert asked(app).stage == "revealed"


async def test_a_wrong_program_on_record_says_how_to_hear_the_judge_again(
    lesson: TutorApp,
) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(120, 60)) as pilot:
        screen = await open_lesson(pilot)
        await write(pilot, START.replace("x + 10", "x + 11"))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: asked(app).query(Explained))
        await screen.show_section(1)
        await screen.show_section(0)
        await until(pilot, lambda: screen.query(QuestionView) and asked(app).query(Explained))
        said = "\n".join(str(each.render()) for each in asked(app).query_one(Explained).children)
        assert "Submit it again to read what the judge says of it." in said


async def test_a_wrong_number_is_said_once(lesson: TutorApp) -> None:
    app = lesson
    file = next((Path(app.course.root) / "lessons").glob("day-01-*.md"))
    number = POINT.replace("d01-point", "d01-many").replace('"line"', '"number"')
    number = number.replace('code = "x = 1\\nx = x + 1\\n"\n', "")
    file.write_text(file.read_text().replace(POINT, number))
    async with app.run_test(notifications=True, size=(120, 80)) as pilot:
        screen = await open_lesson(pilot)
        view = next(v for v in screen.query(QuestionView) if v.question.kind == "number")
        view.start()
        await pilot.pause()
        await pilot.press("7", "enter")
        await until(pilot, lambda: "The second does." in seen(app))
        await screen.show_section(1)
        await screen.show_section(0)
        await until(pilot, lambda: screen.query(PredictionView))
        await pilot.pause(0.2)
        await until(pilot, lambda: "The second does." in seen(app))
        assert seen(app).count("You said 7") == 1


async def test_escape_stops_the_judge_and_keeps_the_text(lesson: TutorApp) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot)
        await write(pilot, "while True:\n    pass\n" + RIGHT)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: screen.cells.running)
        await pilot.press("escape")
        await until(pilot, lambda: "Stopped: nothing was judged." in seen(app))
        assert app.record.activity.last_answer("d01-repair") is None
        assert asked(app).query_one(ProgramEditor).text.startswith("while True")


async def test_where_the_judge_cannot_run_a_sentence_says_so(
    lesson: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tutor.base.errors import CannotHere

    def refuse(*_: Any) -> Any:
        raise CannotHere("this needs Triton")

    app = lesson
    # Not on the class: a test of the lab has set it on this judge, which the tests share.
    monkeypatch.setattr(app.judge, "submit", refuse)
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        await open_lesson(pilot)
        await write(pilot, RIGHT)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Not judged: this needs Triton" in seen(app))
        assert app.record.activity.last_answer("d01-repair") is None


async def test_a_drill_of_another_kind_is_explained_at_once(lesson: TutorApp) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(120, 80)) as pilot:
        screen = await open_lesson(pilot)
        view = next(v for v in screen.query(QuestionView) if v.question.kind == "line")
        view.start()
        await pilot.pause()
        await pilot.press("2", "enter")
        await until(pilot, lambda: "The second does." in seen(app))
        assert app.record.activity.last_answer("d01-point").right is True
        await screen.show_section(1)
        await screen.show_section(0)
        await until(pilot, lambda: screen.query(PredictionView))
        await pilot.pause(0.2)
        assert "Your answer" in seen(app)
        assert "✓ Right." in seen(app)


async def test_an_answered_drill_is_tried_again_and_its_first_answer_stays(
    lesson: TutorApp,
) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await open_lesson(pilot)
        assert not screen.check_action("retry", ())
        view = next(v for v in screen.query(QuestionView) if v.question.kind == "line")
        for answer in ("2", "1"):
            view.start()
            await pilot.pause()
            await pilot.press(answer, "enter")
            await until(pilot, lambda view=view: view.stage == "revealed")
            await until(pilot, lambda: "R try again" in seen(app))
            await pilot.press("escape", "R")
            await until(pilot, lambda: screen.asked and screen.asked.question.kind == "line")
            view = screen.asked
        assert app.record.activity.last_answer("d01-point").origin == "retry"
        assert app.record.activity.last_answer("d01-point", prefer="predict").value == 2
        await screen.show_section(1)
        await screen.show_section(0)
        await until(pilot, lambda: screen.query(PredictionView))
        assert screen.query_one(PredictionView)._value == 2


async def test_the_keys_that_answer_go_to_the_drill_in_sight(lesson: TutorApp) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await open_lesson(pilot)
        assert "x run cell" in seen(app)
        await pilot.press("x")
        await until(pilot, lambda: screen.cells.visit.run_of(screen.lesson.cells[0]).state == "ok")
        await until(pilot, lambda: "x answer" in seen(app))
        for key in ("x", "enter"):
            await pilot.press("escape", "escape", "G") if screen.asked else None
            screen.set_focus(None)
            screen.query_one("Page").scroll_end(animate=False, immediate=True)
            await pilot.pause(0.2)
            await pilot.press(key)
            await until(pilot, lambda: screen.asked is not None)
            assert screen.asked.question.id != "d01-repair", "that is above the edge"
            screen.query_one("Page").focus()
            await pilot.pause()


async def test_where_no_cell_is_left_the_key_that_runs_goes_to_a_drill(lesson: TutorApp) -> None:
    app = lesson
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await open_lesson(pilot)
        await pilot.press("x")
        await until(pilot, lambda: screen.cells.visit.run_of(screen.lesson.cells[0]).state == "ok")
        screen.set_focus(None)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.focused, ProgramEditor))


@pytest.mark.parametrize("number", [0, 1, 2])
async def test_an_answered_drill_keeps_the_numbers_it_was_asked_with(
    lesson: TutorApp, number: int
) -> None:
    """In a review the same drill is asked with other numbers; the lesson shows those of the answer."""
    app = lesson
    asked = draw_variant(app.course.question("d01-count"), number)
    n = asked.numbers["n"]
    given = GivenAnswer(asked, 4 * n)
    app.record.activity.answer(given, given.grade(), "review", 1)
    async with app.run_test(size=(80, 60)) as pilot:
        await open_lesson(pilot)
        await until(pilot, lambda: "Your answer" in seen(app))
        shown = " ".join(seen(app).split())
        assert f"How many bytes do {n} numbers" in shown
        assert f"{n} x 4 = {4 * n}." in shown
        assert "✗" not in shown
