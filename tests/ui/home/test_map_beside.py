"""From 140 columns on home shows the map beside the next steps, with the sections of the day to read."""

from pathlib import Path

import pytest
from doing import seen, until
from monkey import NoJudge
from run_home import share_course
from textual.geometry import Offset
from textual.pilot import Pilot

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.lesson.screen import LessonScreen


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TutorApp:
    """The real course, of which Day 1 is read but for its last section."""
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    paths.ensure(tmp_path)
    course, record = open_course(), open_record(paths.record_file())
    day = course.overview().days[0]
    for section in range(len(day.sections) - 1):
        record.activity.section_read(1, section)
    record.activity.set_position(1, len(day.sections) - 1)
    return TutorApp(course, record, NoJudge(course.root))


def map_rows(app: TutorApp) -> list[str]:
    left = app.screen.query_one("#here").region.x
    return [row[left:].strip() for row in seen(app).splitlines()]


async def row_of(pilot: Pilot[None], app: TutorApp, text: str) -> Offset:
    await until(pilot, lambda: any(text in row for row in map_rows(app)))
    row = next(y for y, row in enumerate(map_rows(app)) if text in row)
    return Offset(seen(app).splitlines()[row].rindex(text), row)


@pytest.mark.parametrize("size", [(140, 40), (200, 60)])
async def test_the_map_stands_beside_home_and_is_clicked(
    learner: TutorApp, size: tuple[int, int]
) -> None:
    days = learner.course.overview().days
    async with learner.run_test(size=size) as pilot:
        await row_of(pilot, learner, "Phase I · Hardware")
        rows = map_rows(learner)
        assert f"✓ {days[0].sections[0]}" in rows
        assert days[0].sections[-1] in rows  # not read
        assert any(row.startswith("□   2  GPU Architecture") for row in rows)
        # on 40 rows the third phase is below the fold
        assert any(row.startswith("Phase III · ") for row in rows) == (size[1] > 40)
        assert not any("…" in row.rpartition("  ")[0] for row in rows), "a title is cut"
        place = await row_of(pilot, learner, "GPU Architecture")
        await pilot.mouse_down(offset=place)
        await until(pilot, lambda: isinstance(learner.screen, LessonScreen))
        await until(pilot, lambda: seen(learner).lstrip().startswith("Day 2"))


async def test_a_narrower_terminal_shows_the_sections_alone(learner: TutorApp) -> None:
    async with learner.run_test(size=(139, 40)) as pilot:
        title = learner.course.overview().days[0].sections[0]
        await row_of(pilot, learner, title)
        assert not any("Phase I ·" in row for row in map_rows(learner))
        await pilot.resize_terminal(140, 40)
        await row_of(pilot, learner, "Phase I · Hardware")
        await pilot.resize_terminal(130, 40)
        await until(pilot, lambda: not any("Phase I ·" in row for row in map_rows(learner)))


async def test_the_day_to_read_is_in_sight_however_far_down_the_map(learner: TutorApp) -> None:
    *days, last = [day for day in learner.course.overview().days if day.written]
    for day in days:
        for section in range(len(day.sections)):
            learner.record.activity.section_read(day.day, section)
    learner.record.activity.set_position(last.day, 0)
    async with learner.run_test(size=(140, 24)) as pilot:
        await row_of(pilot, learner, last.title)


@pytest.mark.parametrize("width", [120, 139, 140, 160])
async def test_the_titles_of_the_day_to_read_are_wrapped_and_not_cut(
    learner: TutorApp, width: int
) -> None:
    days = learner.course.overview().days
    longest = max((day for day in days if day.written), key=lambda day: max(map(len, day.sections)))
    for day in days[: longest.day - 1]:
        for section in range(len(day.sections)):
            learner.record.activity.section_read(day.day, section)
    async with learner.run_test(size=(width, 60)) as pilot:
        await row_of(pilot, learner, longest.sections[-1][:20])
        shown = " ".join(" ".join(map_rows(learner)).split())
        assert [title for title in longest.sections if title not in shown] == []
