"""The end of a day: what counts as read, how the day went, and the ways on."""

import time

import pytest
from answering import keep_answer
from doing import seen, until
from reading_course import open_lesson

from tutor.memory.course_sync import enter_lesson
from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.lesson import page
from tutor.ui.lesson import screen as lesson_screen
from tutor.ui.lesson.day_end import DayEnd


@pytest.mark.slow
async def test_a_page_that_is_turned_at_once_is_not_read(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "SEEN_SECONDS", 4.0)  # a loaded machine turns pages slowly
    async with app.run_test(size=(200, 60)) as pilot:  # every section fits on the screen
        await open_lesson(pilot, day=1, section=1)
        await pilot.press("n", "p", "n")
        await until(pilot, lambda: "section 3 of 3" in seen(app))
        assert app.record.activity.read_sections(1) == set()
        await until(pilot, lambda: 2 in app.record.activity.read_sections(1))
        assert 1 not in app.record.activity.read_sections(1)


@pytest.mark.slow
async def test_a_page_is_read_once_its_last_line_is_seen(app: TutorApp) -> None:
    """The rows below it, empty ones and the ways on, need not be on the screen."""
    async with app.run_test(size=(80, 24)) as pilot:
        await open_lesson(pilot, section=2)
        while "get_device_name" not in seen(app):
            assert app.record.activity.read_sections(1) == set()
            await pilot.press("j")
        await until(pilot, lambda: 2 in app.record.activity.read_sections(1))
        assert "The end of Day 1" not in seen(app)


@pytest.mark.slow
async def test_a_page_that_fits_a_larger_window_is_read(app: TutorApp) -> None:
    async with app.run_test(size=(80, 12)) as pilot:
        await open_lesson(pilot)
        await pilot.pause(page.SEEN_SECONDS + 0.5)
        assert app.record.activity.read_sections(1) == set()
        await pilot.resize_terminal(80, 40)
        await until(pilot, lambda: 0 in app.record.activity.read_sections(1))


@pytest.mark.slow
async def test_a_page_that_was_long_open_is_read_as_soon_as_its_end_is_seen(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "SEEN_SECONDS", 4.0)
    async with app.run_test(size=(80, 12)) as pilot:
        screen = await open_lesson(pilot)
        screen.query_one(page.Page)._opened -= 60
        await pilot.press("G", "n")
        await until(pilot, lambda: 0 in app.record.activity.read_sections(1))
        assert "section 2 of 3" in seen(app)


@pytest.mark.slow
async def test_the_end_says_how_the_day_went_and_leads_on(app: TutorApp) -> None:
    keep_answer(app.record, "d01-how-many", 1, 43, True, 1.0, None, 20.0, "predict")
    async with app.run_test(size=(80, 40)) as pilot:
        screen = await open_lesson(pilot, section=2)
        await pilot.press("G", "n")
        await until(pilot, lambda: "The end of Day 1" in seen(app))
        await until(
            pilot, lambda: "1 of 3 sections to the last line; not yet: Counting bytes" in seen(app)
        )
        text = seen(app)
        assert "Predictions  1 of 1 right" in text
        assert "on this day" in text
        assert "] · the next day that is written, Day 3 · A second lesson" in text
        assert "To come      Day 2 is not written yet." in text
        keep_answer(app.record, "d01-how-many", 1, 4, False, 0.0, None, 20.0, "predict")
        for end in screen.query(DayEnd):
            end.show_again()
        await until(pilot, lambda: "Predictions  0 of 1 right" in seen(app))
        row, line = next(
            (i, line) for i, line in enumerate(seen(app).split("\n")) if "q · home" in line
        )
        await pilot.click(offset=(line.index("q ·"), row))
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


@pytest.mark.slow
async def test_the_end_counts_the_cards_that_enter_after_it_was_drawn(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def enter_late(*given: object) -> None:
        time.sleep(1)  # in a thread of its own, as it reads the whole course
        enter_lesson(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(lesson_screen, "enter_lesson", enter_late)
    for section in (0, 1):
        app.record.activity.section_read(1, section)
    async with app.run_test(size=(80, 40)) as pilot:
        await open_lesson(pilot, section=2)
        await pilot.press("G")
        await until(pilot, lambda: "to review" in seen(app))
