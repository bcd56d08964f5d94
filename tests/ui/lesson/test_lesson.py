"""The lesson: pages, live cells through the real judge, predictions stored before they are shown."""

import os
import signal
import sys
from pathlib import Path

import pytest
from answering import keep_answer
from doing import seen, until
from reading_course import open_lesson
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from tutor.ui.app import TutorApp
from tutor.ui.cells.cell_view import CellView
from tutor.ui.home.home import HomeScreen
from tutor.ui.lesson.page import Page, Sheet
from tutor.ui.lesson.prediction_view import PredictionView
from tutor.ui.lesson.reader_tools import read_row
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.question.question_view import QuestionView


def state(app: TutorApp, index: int) -> str:
    lesson = app.screen.lesson  # type: ignore[attr-defined]
    return app.screen.cells.visit.run_of(lesson.cells[index - 1]).state  # type: ignore[attr-defined,no-any-return]


@pytest.mark.slow
async def test_pages_turn_and_the_place_is_kept(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await open_lesson(pilot)
        text = seen(app)
        assert "Square [brackets] and <T> stay" in text
        assert "Count [bytes] before you run" in text
        assert "section 1 of 3" in text
        await until(pilot, lambda: 0 in app.record.activity.read_sections(1))
        await pilot.press("n")
        await until(pilot, lambda: "section 2 of 3" in seen(app))
        assert app.record.activity.position(1) == 1
        await pilot.press("left")
        await until(pilot, lambda: "section 1 of 3" in seen(app))
        await pilot.press("t")
        await until(pilot, lambda: "Three that misbehave" in seen(app))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: "section 3 of 3" in seen(app))
        await pilot.press("G")
        await until(pilot, lambda: 2 in app.record.activity.read_sections(1))
        assert "The end of Day 1" in seen(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


@pytest.mark.slow
async def test_space_goes_down_then_on(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await open_lesson(pilot, section=2)
        page = screen.query_one(Page)
        await pilot.press("space")
        await until(pilot, lambda: page.scroll_y > 0)
        row = page.scroll_y
        await until(pilot, lambda: read_row(1, 2)[0] == row)  # kept while it is read
        await pilot.press("escape")
        screen = await open_lesson(pilot, section=2)
        page = screen.query_one(Page)
        await until(pilot, lambda: page.scroll_y == row)
        await pilot.press("b", "b")
        await until(pilot, lambda: "section 2 of 3" in seen(app))


@pytest.mark.slow
async def test_brackets_go_to_the_day_beside(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await open_lesson(pilot)
        await pilot.press("right_square_bracket")  # Day 2 is not written
        await until(pilot, lambda: "A second lesson" in seen(app))
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "no day 4" in seen(app).lower() or "Day 4" in seen(app))
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: "Counting bytes" in seen(app))


async def test_a_citation_says_what_it_cites(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await open_lesson(pilot)
        row = next(i for i, line in enumerate(seen(app).split("\n")) if "cites [1]" in line)
        column = seen(app).split("\n")[row].index("[1]")
        await pilot.click(offset=(column + 1, row))
        await until(pilot, lambda: "https://example.org/p" in seen(app))


@pytest.mark.slow
async def test_a_cell_runs_and_its_output_is_only_text(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await open_lesson(pilot)
        await pilot.press("x")
        await until(pilot, lambda: state(app, 1) == "ok")
        await until(pilot, lambda: "n is 42 [/b]" in seen(app))
        assert "\x1b" not in seen(app)


@pytest.mark.slow
async def test_a_cell_waits_for_its_prediction_and_then_grades_it(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot, section=1)
        assert state(app, 2) == "waiting"
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.focused, Input))
        assert state(app, 2) == "waiting"
        await until(
            pilot, lambda: "First predict: type a number, e.g. 1.5e12 · Enter: submit" in seen(app)
        )
        await pilot.press("4", "escape")
        await until(pilot, lambda: not isinstance(app.focused, Input))
        await pilot.press("enter")  # which the line below the field names: back to it
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("3", "enter")
        await until(pilot, lambda: app.record.activity.last_answer("d01-how-many") is not None)
        kept = app.record.activity.last_answer("d01-how-many")
        assert (kept.value, kept.right, kept.origin) == (43, None, "predict")
        await until(pilot, lambda: isinstance(app.focused, CellView))
        await pilot.press("enter")
        await until(pilot, lambda: state(app, 2) == "ok")
        await until(pilot, lambda: app.record.activity.last_answer("d01-how-many").right is True)
        await until(pilot, lambda: "✓ Right" in seen(app))
        text = seen(app)
        assert "now 43" in text
        assert "ran cell 1 first" in text
        assert screen.query_one(QuestionView).stage == "revealed"
        await pilot.press("p")
        await until(pilot, lambda: "section 1 of 3" in seen(app))
        assert state(app, 1) == "ok"
        await pilot.press("n")
        await until(pilot, lambda: bool(screen.query(PredictionView)))
        await until(pilot, lambda: "You said 43" in seen(app) and "now 43" in seen(app))
        await pilot.press("q")
        await until(pilot, lambda: app.screen is not screen)
        await open_lesson(pilot, section=1)
        await until(pilot, lambda: state(app, 2) == "kept")
        await until(pilot, lambda: "now 43" in seen(app) and "One more than n." in seen(app))
        assert "✓ Right" in seen(app)
        assert "runs it again" in seen(app)


@pytest.mark.slow
async def test_where_the_verdict_is_out_of_sight_the_cell_tells_it(app: TutorApp) -> None:
    file = next((Path(app.course.root) / "lessons").glob("day-01-*.md"))
    tall = "# a line\n" * 40 + 'print("now", n + 1)'
    file.write_text(file.read_text().replace('print("now", n + 1)', tall))
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await open_lesson(pilot, section=1)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("4", "2", "enter")
        await until(pilot, lambda: isinstance(app.focused, CellView))
        await pilot.press("x")
        await until(pilot, lambda: "✗ You predicted 42; it is 43." in seen(app))
        assert "now 43" in seen(app)
        assert "✗ Wrong" not in seen(app)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "is_said"),
    [('print("RECORDED, not run here: a program")\nn = 42', True), ("n = 42", False)],
)
async def test_of_recordings_only_the_code_around_them_ran(
    app: TutorApp, code: str, is_said: bool
) -> None:
    file = next((Path(app.course.root) / "lessons").glob("day-01-*.md"))
    file.write_text(file.read_text().replace("n = 6 * 7\n", f"{code}\n"))
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        await open_lesson(pilot, section=1)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("4", "3", "enter", "enter")
        await until(pilot, lambda: state(app, 2) == "ok")
        told = " ".join(seen(app).replace("█", "").split())
        assert "(ran cell 1 first: this cell may use variables from there" in told
        assert ("what is marked as recorded ran elsewhere)" in told) is is_said


@pytest.mark.slow
async def test_a_prediction_is_asked_once(app: TutorApp) -> None:
    keep_answer(app.record, "d01-how-many", 1, 5, False, 0.0, None, 1.0, "predict")
    keep_answer(app.record, "d01-how-many", 1, None, False, 0.0, None, 1.0, "review")
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        await open_lesson(pilot, section=1)
        await until(pilot, lambda: "You said 5" in seen(app))
        assert "✗ Wrong" in seen(app)
        assert state(app, 2) == "ready"
        before = app.record.activity.last_answer("d01-how-many").id
        await pilot.press("x")
        await until(pilot, lambda: state(app, 2) == "ok")
        await until(pilot, lambda: "✗ You predicted 5; it is 43." in seen(app))
        assert "One more than n." in seen(app)
        assert app.record.activity.last_answer("d01-how-many").id == before


@pytest.mark.slow
async def test_output_is_bounded_errors_are_shown_and_escape_stops(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot, section=2)
        views = {view.cell.index: view for view in screen.query(CellView)}
        screen.cells.run(views[3].cell)
        await until(pilot, lambda: state(app, 3) == "ok")
        output = screen.cells.visit.run_of(views[3].cell).output.text().split("\n")
        assert output[199] == "line 199"
        assert "800 more lines" in output[200]
        assert len(output) == 201

        screen.cells.run(views[4].cell)
        await until(pilot, lambda: state(app, 4) == "running")
        await until(
            pilot, lambda: "before" in screen.cells.visit.run_of(views[4].cell).output.text()
        )
        await pilot.press("escape")
        await until(pilot, lambda: state(app, 4) == "failed", seconds=8)
        assert app.screen is screen

        screen.cells.run(views[5].cell)
        await until(pilot, lambda: state(app, 5) in ("failed", "ok") or not screen.cells.running)
        assert "ZeroDivisionError" in screen.cells.visit.run_of(views[5].cell).error


@pytest.mark.slow
async def test_a_judge_that_cannot_start_ends_the_cell(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot)
        app.judge.close()  # it was started with the application
        with monkeypatch.context() as broken:
            broken.setattr(sys, "executable", "/no/such/python")
            await pilot.press("x")
            await until(pilot, lambda: state(app, 1) == "failed")
        assert "/no/such/python" in screen.cells.visit.run_of(screen.lesson.cells[0]).error
        assert not screen.cells.running
        await pilot.press("x")
        await until(pilot, lambda: state(app, 1) == "ok")


@pytest.mark.slow
async def test_a_judge_that_is_killed_ends_the_cell(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot, section=2)
        endless = screen.lesson.cells[3]
        screen.cells.run(endless)
        await until(pilot, lambda: "before" in screen.cells.visit.run_of(endless).output.text())
        os.kill(app.judge.server, signal.SIGKILL)
        await until(pilot, lambda: state(app, 4) == "failed")
        assert "ended unexpectedly" in screen.cells.visit.run_of(endless).error
        assert not screen.cells.running


async def test_the_next_page_is_laid_out_and_drawn_below_the_screen(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: set[Widget] = set()
    draw = Widget.render_lines

    def noted(widget: Widget, crop: Region) -> list[Strip]:
        drawn.add(widget)
        return draw(widget, crop)

    monkeypatch.setattr(Widget, "render_lines", noted)
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await open_lesson(pilot)
        page = screen.query_one(Page)
        await until(pilot, lambda: page.is_prepared((1, 1)))
        below = next(sheet for sheet in page.query(Sheet) if sheet.below)
        await until(pilot, lambda: below.region.height)
        size = below.size
        assert below.region.y >= app.size.height
        await until(pilot, lambda: drawn >= {below, *below.query(CellView)})
        assert page.virtual_size.height == max(page.size.height, page.sheet.size.height + 2)
        inside = {w for w in below.walk_children(Widget) if w.focusable}
        assert inside
        assert not inside & set(screen.focus_chain)
        await pilot.press("n")
        await until(pilot, lambda: page.sheet is below and below.region.y == page.region.y + 1)
        assert below.size == size
        assert inside & set(screen.focus_chain)
        await until(pilot, lambda: all(s is below or s.below for s in page.query(Sheet)))


@pytest.mark.slow
async def test_a_section_turned_back_from_comes_back_as_it_was(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await open_lesson(pilot, section=2)
        page = screen.query_one(Page)
        await until(pilot, lambda: page.complete)
        left = page.sheet
        first = next(iter(left.query(CellView)))
        await pilot.press("space")
        await until(pilot, lambda: page.scroll_y > 0)
        await pilot.press("left")
        await until(pilot, lambda: "section 2 of 3" in seen(app))
        assert left.below
        assert page.is_prepared((1, 2))
        assert "misbehave" not in seen(app)
        assert page.virtual_size.height == max(page.size.height, page.sheet.size.height + 2)
        screen.cells.run(
            first.cell
        )  # by another way than its page: it is told below the screen too
        await until(
            pilot, lambda: screen.cells.visit.run_of(first.cell).state not in ("ready", "running")
        )
        await pilot.press("n")
        await until(pilot, lambda: page.sheet is left and "misbehave" in seen(app))
        assert page.scroll_y == 0
        assert first.size.height > 0
        await until(pilot, lambda: list(page.query(Sheet)) == [left])


async def test_a_section_turned_back_from_stays_off_the_page_that_is_scrolled(
    app: TutorApp,
) -> None:
    async with app.run_test(notifications=True, size=(60, 12)) as pilot:
        screen = await open_lesson(pilot, section=2)
        page = screen.query_one(Page)
        await until(pilot, lambda: page.complete)
        left = page.sheet
        await pilot.press("left")
        await until(pilot, lambda: page.sheet is not left and page.complete)
        assert left.below
        await until(pilot, lambda: page.max_scroll_y > 0)
        while page.scroll_y < page.max_scroll_y:
            page.scroll_relative(y=1, animate=False, immediate=True)
            await pilot.pause()
            assert left.region.y >= page.region.bottom
            assert "misbehave" not in seen(app)


@pytest.mark.slow
async def test_a_cell_that_runs_first_tells_no_open_prediction(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot, section=2)
        screen.cells.run(screen.lesson.cells[2])
        await until(pilot, lambda: state(app, 3) == "ok")
        await pilot.press("g")
        why = "what cell 2 printed waits for your prediction"
        await until(pilot, lambda: why in " ".join(seen(app).replace("█", " ").split()))
        await pilot.press("p")
        await until(pilot, lambda: "How many?" in seen(app))
        assert state(app, 2) == "waiting"
        assert "now 43" not in seen(app)


async def test_keys_are_known_before_the_first_page_is_there(app: TutorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        app.push_screen(LessonScreen(1, "twice"))
        assert not app.screen.query(Page)
        assert {"n", "t"} <= set(app.screen.active_bindings)
        await until(pilot, lambda: bool(app.screen.query(Page)))


async def test_keys_that_turn_pages_wait_for_the_page_without_work(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that is not laid out is asked for nothing meanwhile: asking at each refresh kept the
    application busy for ever, and deaf to every key and signal."""
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lesson(pilot)
        page = screen.query_one(Page)
        await until(pilot, lambda: page.complete)
        asked: list[int] = []
        turn = LessonScreen.action_page

        async def count(self: LessonScreen, step: int) -> None:
            asked.append(step)
            await turn(self, step)

        monkeypatch.setattr(LessonScreen, "action_page", count)
        page.complete = False
        await pilot.press("space", "space")
        await pilot.pause(0.3)
        assert asked == [1, 1]
        page.complete = True
        page.post_message(Page.LaidOut())
        await until(pilot, lambda: screen.section > 0 or page.scroll_y > 0)
        assert len(asked) >= 4
