"""A lesson with mistakes: its author sees each in its place, mends the file and reads on."""

import pytest
from doing import seen, until
from textual.pilot import Pilot

from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.dialogs.broken_lesson import FaultyScreen
from tutor.ui.lesson.screen import LessonScreen


async def open_faulty(pilot: Pilot[None], app: TutorApp) -> None:
    await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    app.open("lesson:1")
    await until(pilot, lambda: isinstance(app.screen, FaultyScreen) and "expected" in seen(app))


@pytest.mark.slow
async def test_each_mistake_is_shown_in_its_place_until_it_is_mended(app: TutorApp) -> None:
    file = app.course.root / "lessons" / "day-01-counting-bytes.md"
    right = file.read_text(encoding="utf-8")
    broken = right.replace("minutes = ", 'minutes = "[/bold] many" # ', 1)
    assert broken != right
    file.write_text(broken, encoding="utf-8")
    line = next(n for n, text in enumerate(broken.split("\n"), 1) if "many" in text)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_faulty(pilot, app)
        assert "1 mistake" in seen(app)
        assert "minutes: expected" in seen(app)
        assert f'>{line:5}  minutes = "[/bold] many"' in seen(app)
        await pilot.press("r")
        await until(pilot, lambda: "cannot be shown yet" in seen(app))
        assert isinstance(app.screen, FaultyScreen)
        file.write_text(right, encoding="utf-8")
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen))


@pytest.mark.slow
async def test_many_mistakes_are_bounded_and_escape_leads_home(app: TutorApp) -> None:
    file = app.course.root / "lessons" / "day-01-counting-bytes.md"
    cells = "\n".join("```python run nonsense\n1\n```\n" for _ in range(60))
    file.write_text(file.read_text(encoding="utf-8") + cells, encoding="utf-8")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_faulty(pilot, app)
        await pilot.press("G", "end")
        await until(pilot, lambda: "more" in seen(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
