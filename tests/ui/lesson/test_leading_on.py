"""What leads a reader on in a small terminal: the header of a cell, the key that runs, short notes."""

from pathlib import Path

import pytest
from doing import seen, until
from reading_course import LESSON, open_lesson
from textual.widgets import Input

from tutor.course.catalog.course import open_course
from tutor.ui.app import TutorApp
from tutor.ui.cells.cell_view import CellView
from tutor.ui.lesson.page import Page
from tutor.ui.question.program_field import ProgramEditor

PREDICT = LESSON[LESSON.index("```predict") : LESSON.index("```python run\nprint")]
SMALL = (80, 24)


def write_lesson(app: TutorApp, text: str) -> None:
    next(Path(app.course.root, "lessons").glob("day-01-*.md")).write_text(text)


async def test_the_header_of_a_cell_begins_with_what_it_waits_for(app: TutorApp) -> None:
    write_lesson(app, LESSON.replace("```python run\nprint", "```python run access=fill\nprint"))
    async with app.run_test(size=SMALL) as pilot:
        await open_lesson(pilot, section=1)
        await until(
            pilot, lambda: "cell 2 of 6 · waits for your prediction · draws an" in seen(app)
        )


async def test_a_cell_names_the_section_of_the_prediction_it_waits_for(app: TutorApp) -> None:
    text = LESSON.replace('answer_from = "n + 1"', 'answer = 43\nreveal = "later"')
    write_lesson(app, text.replace("```python run\nprint", "## Later\n\n```python run\nprint"))
    async with app.run_test(notifications=True, size=SMALL) as pilot:
        await open_lesson(pilot, section=2)
        await until(pilot, lambda: "waits for your prediction in section 2" in seen(app))
        await pilot.press("x")
        await until(pilot, lambda: len(app._notifications))
        (note,) = app._notifications
        assert "section 2, A prediction. t lists the sections." in note.message


@pytest.mark.slow
async def test_the_key_that_runs_goes_on_after_a_cell_and_enter_runs_it_again(
    app: TutorApp,
) -> None:
    write_lesson(app, LESSON.replace("\n## A prediction\n", "\nAnd now.\n"))
    async with app.run_test(notifications=True, size=SMALL) as pilot:
        screen = await open_lesson(pilot)
        first = screen.query(CellView).first()
        await pilot.press("x")
        await until(pilot, lambda: screen.cells.visit.run_of(first.cell).state == "ok")
        first.focus()
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.focused, Input))
        before = screen.cells.visit.run_of(first.cell)
        first.focus()
        await pilot.press("enter")
        await until(pilot, lambda: screen.cells.visit.run_of(first.cell) is not before)
        await until(pilot, lambda: not screen.cells.running)


@pytest.mark.slow
async def test_a_cell_shows_that_others_run_before_it(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 60)) as pilot:
        screen = await open_lesson(pilot, section=2)
        last = list(screen.query(CellView))[2]
        screen.cells.run(last.cell)  # one of the cells before it sleeps

        def waiting() -> bool:
            last.scroll_visible(animate=False)  # what cell 3 prints pushes it down
            return "(running cells 1, 2, 3, 4 first" in seen(app)

        await until(pilot, waiting)
        await until(pilot, lambda: screen.cells.visit.run_of(screen.lesson.cells[3]).output.text())
        await pilot.press("escape")
        await until(pilot, lambda: not screen.cells.running)
        await until(pilot, lambda: "(running cells" not in seen(app), seconds=10)
        assert screen.cells.visit.run_of(last.cell).state == "ready"


@pytest.mark.slow
async def test_what_became_of_an_answer_stays_in_sight_above_a_tall_cell(app: TutorApp) -> None:
    riddle = PREDICT.replace('answer_from = "n + 1"', 'answer = 43\nreveal = "a-prediction"')
    tall = "# a line\n" * 30
    text = LESSON.replace("```python run\nn = 6", f"{riddle}\n```python run\n{tall}n = 6")
    write_lesson(app, text.replace(PREDICT, ""))
    async with app.run_test(size=SMALL) as pilot:
        await open_lesson(pilot)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("5", "enter")
        await until(pilot, lambda: isinstance(app.focused, CellView))
        await until(
            pilot, lambda: "Noted. The answer comes in “A prediction”." in seen(app), seconds=10
        )
        assert "cell 1 of 6" in seen(app)


@pytest.mark.slow
async def test_a_program_that_has_not_changed_is_told_so_in_sight(app: TutorApp) -> None:
    kernels = open_course().root / "kernels"
    Path(app.course.root, "kernels", "tail").symlink_to(kernels / "tail")
    drill = (
        '```drill\nid = "d01-repair"\nkind = "code"\nprompt = "Repair it."\nexercise = "tail"\n'
        'wrong = "no_mask"\nexplanation = "So."\n```\n'
    )
    write_lesson(app, LESSON.replace("## A prediction", f"{drill}\n## A prediction"))
    async with app.run_test(size=SMALL) as pilot:
        screen = await open_lesson(pilot)
        await until(pilot, lambda: screen.query(ProgramEditor))
        screen.query_one(ProgramEditor).focus()
        await pilot.pause(0.5)  # until the page has stopped moving
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Nothing has changed yet" in seen(app))


@pytest.mark.slow
@pytest.mark.parametrize("prepared", [True, False])
async def test_space_before_the_page_is_laid_out_turns_no_page(
    app: TutorApp, prepared: bool
) -> None:
    long = "\n\n".join(f"Paragraph {n} of the section." for n in range(60))
    write_lesson(app, LESSON.replace("## A prediction\n", f"## A prediction\n\n{long}\n"))
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot)
        page = screen.query_one(Page)
        await until(pilot, lambda: page.is_prepared((1, 1)))
        if not prepared:
            await screen.show_section(2)
            await until(pilot, lambda: page.complete)
        await screen.show_section(1)
        await screen.action_page(1)  # before a layout
        assert screen.section == 1
        await until(pilot, lambda: page.complete and page.scroll_y > 0)
        assert screen.section == 1
