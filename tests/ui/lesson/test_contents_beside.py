"""From 140 columns on the contents stand beside the page: they are clicked, and the page is the same."""

import pytest
from doing import seen, until
from textual.geometry import Offset
from textual.pilot import Pilot

from tutor.ui.app import TutorApp
from tutor.ui.lesson.contents_list import ContentsList
from tutor.ui.lesson.page import Page
from tutor.ui.lesson.screen import LessonScreen


async def opened(pilot: Pilot[None], app: TutorApp) -> LessonScreen:
    app.record.activity.set_position(1, 0)  # not the first start
    app.open("lesson:1")
    await until(pilot, lambda: isinstance(app.screen, LessonScreen) and "section 1 of" in seen(app))
    assert isinstance(app.screen, LessonScreen)
    return app.screen


@pytest.mark.parametrize("size", [(140, 40), (200, 60)])
async def test_a_click_on_the_contents_turns_to_the_section(
    app: TutorApp, size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        beside, page = screen.query_one(ContentsList), screen.query_one(Page)
        await until(pilot, lambda: "Contents" in seen(app))
        assert beside.region.right <= page.sheet.region.x
        rows = [row[: beside.region.right] for row in seen(app).splitlines()]
        for section in screen.lesson.sections:
            assert any(section.title[:28] in row for row in rows), section.title
        title = screen.lesson.sections[1].title
        row = next(y for y, row in enumerate(rows) if title in row)
        await pilot.mouse_down(offset=Offset(rows[row].index(title), row))
        await until(pilot, lambda: "section 2 of" in seen(app))
        assert page.has_focus


async def test_the_contents_appear_when_the_terminal_is_widened_and_go(app: TutorApp) -> None:
    async with app.run_test(size=(139, 40)) as pilot:
        screen = await opened(pilot, app)
        beside = screen.query_one(ContentsList)
        assert not beside.display
        await pilot.resize_terminal(140, 40)
        await until(pilot, lambda: "Contents" in seen(app))
        assert screen.lesson.sections[1].title in seen(app)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: "Contents" not in seen(app))


async def test_a_bookmark_and_a_section_read_are_marked_there(app: TutorApp) -> None:
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: "Contents" in seen(app))
        await pilot.press("m")
        await until(pilot, lambda: "◆" in beside_text(screen))
        app.record.activity.section_read(1, 1)
        screen.show_bar()
        await until(pilot, lambda: "✓ A prediction" in beside_text(screen))


def beside_text(screen: LessonScreen) -> str:
    right = screen.query_one(ContentsList).region.right
    return "\n".join(row[:right] for row in seen(screen.app).splitlines())
