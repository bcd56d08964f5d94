"""Days that a lesson names and that are not written: a link says what serves meanwhile."""

from pathlib import Path

import pytest
from doing import seen, until
from reading_course import open_lesson

from tutor.ui.app import TutorApp
from tutor.ui.kit.dialogs.sources import SourcesScreen

POINTERS = """\
[[pointer]]
day = 2
serves = "read Day 1 twice."
to = ["lesson:1/a-prediction", "https://example.org/two"]
"""


def name_days(lessons: Path) -> None:
    (lessons / "pointers.toml").write_text(POINTERS, encoding="utf-8")
    first = lessons / "day-01-counting-bytes.md"
    text = first.read_text(encoding="utf-8")
    first.write_text(text.replace("The first section", "After [Day 2] comes [Day 3]. It", 1))


@pytest.mark.slow
async def test_a_link_to_a_day_opens_it_or_says_what_serves(app: TutorApp) -> None:
    name_days(app.course.root / "lessons")
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await open_lesson(pilot)
        row = next(i for i, line in enumerate(seen(app).split("\n")) if "After Day 2" in line)
        line = seen(app).split("\n")[row]
        await pilot.click(offset=(line.index("Day 2") + 2, row))
        await until(pilot, lambda: "Meanwhile: read Day 1" in seen(app))
        assert "example.org" not in seen(app)  # a corner has no room for places
        await pilot.click(offset=(line.index("Day 3") + 2, row))
        await until(pilot, lambda: "A second lesson" in seen(app))


@pytest.mark.slow
async def test_the_sources_list_names_the_days_too(app: TutorApp) -> None:
    name_days(app.course.root / "lessons")
    async with app.run_test(notifications=True, size=(120, 40)) as pilot:
        await open_lesson(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SourcesScreen))
        text = " ".join(seen(app).replace("│", " ").split())
        assert 'See Day 1, "A prediction"; https://example.org/two.' in text
