"""No fact of home is cut, however wide the terminal, on the last of the course's seventy days.

Of the days that are not written yet the outline's titles are taken, and that all is known.
"""

from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
from answering import keep_answer
from doing import seen, until
from monkey import NoJudge
from remembering import Clock
from run_home import share_course

from tutor.base import paths
from tutor.base.config_edit import change
from tutor.course.catalog.course import open_course
from tutor.course.catalog.overview import DayOverview
from tutor.memory.placement import read_standing
from tutor.memory.record import Record, open_record
from tutor.memory.store.rows import JudgedProgram
from tutor.ui.app import TutorApp
from tutor.ui.home import home
from tutor.ui.home.step_button import Step

SIZES = [*product((80, 90, 100, 110, 119, 120, 160), (24, 40)), (60, 20), (200, 60)]
PAGES = 10
SLUG, CASE = "eager_or_compiled", "one more row than tiles hold, and transposed"


def whole(day: DayOverview) -> DayOverview:
    return day._replace(
        written=True,
        minutes=84,
        sections=("A page, and its long title " * 3,) * PAGES,
        sitting_ends=(PAGES - 1,),
        sitting_minutes=(84,),
        section_minutes=(8.0,) * PAGES,
    )


def learn(record: Record, clock: Clock, days: list[DayOverview], left: DayOverview) -> None:
    """An evening a day, of long answers; all is read but the last page of the day that is `left`."""
    today = clock.now
    for back, day in zip(reversed(range(len(days))), days, strict=True):
        clock.now = today - timedelta(days=back)
        for page in range(PAGES - (day is left)):
            record.activity.section_read(day.day, page)
        for _ in range(20 if back < 7 else 1):
            clock.now += timedelta(minutes=10)
            keep_answer(record, "gone-since", day.day, "a", True, 1.0, 5, 590.0, "quiz")
    record.activity.set_position(left.day, PAGES - 1)
    clock.now += timedelta(seconds=1)
    verdict = {"passed": False, "cases": [{"name": CASE, "passed": False}]}
    record.activity.attempt(JudgedProgram(SLUG, "", verdict, False, "cpu"))
    record.settings.set_focus("arithmetic-intensity")
    change("minutes_a_day", 240)


@pytest.mark.slow
async def test_no_fact_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    paths.ensure(tmp_path)
    course, clock = open_course(), Clock()
    record, judge = open_record(paths.record_file(), clock), NoJudge(course.root)
    overview = course.overview()
    days = [whole(day) for day in overview.days]
    left = max(days, key=lambda day: len(day.title))
    learn(record, clock, days, left)
    monkeypatch.setenv("TUTOR_NOW", clock.now.isoformat())
    known = dict.fromkeys((day.day for day in days), 1.0)
    monkeypatch.setattr(course, "overview", lambda: overview._replace(days=tuple(days)))
    monkeypatch.setattr(
        home, "read_standing", lambda record: read_standing(record)._replace(known=known)
    )
    facts = [
        f"Day {left.day}",
        "8 of 84 min left",
        SLUG,
        "h 20 on 7 days",
        "today 200 of 240 min · 70 days in a row",
    ]
    facts += ["Focus: arithmetic intensity"]
    wide = ["70 days in all"]
    widest = [f"{left.title}, section {PAGES} of {PAGES}", f"last verdict: wrong on {CASE} ("]
    for phase, name in overview.phases.items():
        of = [day for day in days if day.phase == phase]
        facts += [name, f"{len(of) - (left in of)}/{len(of)} 100%"]

    app = TutorApp(course, record, judge)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Next up" in seen(app))
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            assert app.screen.size.width == width
            left_side = app.screen.query_one("#home")
            assert left_side.max_scroll_y == 0
            rows = [row[: left_side.region.right] for row in seen(app).splitlines()[:-1]]
            shown = "\n".join(rows)
            assert "…" not in shown, shown
            words = " ".join(shown.split())
            here = facts + (wide if width >= 80 else []) + (widest if width >= 200 else [])
            assert [fact for fact in here if fact not in words] == [], shown
            assert {step.region.height for step in app.screen.query(Step)} == {1}, shown
            assert all(step.query_one(".words").region.x >= 16 for step in app.screen.query(Step))
            beside = app.screen.query_one("#here").display
            assert beside == (width >= 120)
        assert "A page, and its long title" in seen(app)
    record.close()


async def test_a_narrow_map_has_one_row_for_each_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    paths.ensure(tmp_path)
    course, record = open_course(), open_record(paths.record_file())
    for page in range(2):
        record.activity.section_read(1, page)
    app = TutorApp(course, record, NoJudge(course.root))
    async with app.run_test(size=(80, 30)) as pilot:
        app.open("map")
        await until(pilot, lambda: "GPU Architecture" in seen(app))
        await pilot.resize_terminal(60, 30)
        await until(pilot, lambda: app.screen.size.width == 60)
        rows = [row.strip() for row in seen(app).splitlines()]
        assert [row for row in rows if row in ("min", "come", "read")] == []
        assert any(
            row.startswith("▣  1  Why ML Needs Compilers") and "2 of 12 read" in row for row in rows
        )
    record.close()
