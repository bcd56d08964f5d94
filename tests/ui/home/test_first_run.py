"""The introduction, the placement, and what home and the map then say."""

import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from answering import keep_answer
from doing import seen, until
from run_home import share_course
from textual.pilot import Pilot
from textual.widgets import Static

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.doctor import quick_checks
from tutor.judge.client import Judge
from tutor.memory.course_sync import sync
from tutor.memory.placement import read_open_placement, read_standing
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.home.course_map import MapScreen
from tutor.ui.home.home import HomeScreen, course_line
from tutor.ui.home.placement import DaysField, PlacementScreen
from tutor.ui.home.week_bars import draw_week
from tutor.ui.home.welcome import WelcomeScreen
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.question.field import Field
from tutor.ui.question.question_view import QuestionView

slow_checks = quick_checks.run_slow_checks  # before a fixture replaces it


@pytest.fixture
def new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge) -> Iterator[TutorApp]:
    """The shipped course and an empty record."""
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path / "home")))
    record = open_record(paths.record_file())
    yield TutorApp(open_course(), record, judge)
    record.close()


@pytest.mark.slow
async def test_the_first_run_says_what_this_machine_can_do(
    new: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_checks, "run_slow_checks", slow_checks)
    async with new.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(new.screen, WelcomeScreen))
        await until(pilot, lambda: "torch 2." in seen(new) and "add_ten" in seen(new))
        text = seen(new)
        for words in ("Day 1", "Placement", "Exercise", "add_ten", "esc home"):
            assert words in text, words
        await pilot.press("f5")
        await until(pilot, lambda: "f5 arrived" in seen(new))
        await until(pilot, lambda: "✓ compiler     compiled a kernel for sm_90" in seen(new), 120)
        text = seen(new)
        assert "✓ interpreter  ran a kernel" in text
        assert "looking" not in text
        machine = text[text.index("This machine") : text.index("Placement")]
        assert len(machine.strip().splitlines()) - 2 <= 10
        compiler = next(row for row in machine.splitlines() if "✓ compiler" in row)
        assert "…" not in compiler, "it is not cut"


@pytest.mark.slow
async def test_the_introduction_comes_once_and_at_a_key(
    new: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read, read = threading.Event(), new.course.overview
    monkeypatch.setattr(new.course, "overview", lambda: may_read.wait(60) and read())
    async with new.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: "Exercise" in seen(new))
        assert "a day at a time" in seen(new), "it is drawn before the course is read"
        may_read.set()
        await until(pilot, lambda: "add_ten" in seen(new))
        assert course_line(new.course.overview()) in " ".join(seen(new).split())
        await pilot.press("escape")
        await until(pilot, lambda: "Begin" in seen(new))
        await pilot.press("i", "K")
        await until(pilot, lambda: isinstance(new.screen, LabScreen))
        new.pop_screen()
        await pilot.press("i", "d")
        await until(pilot, lambda: isinstance(new.screen, LessonScreen))
        await until(pilot, lambda: not new.record.is_empty())
    again = TutorApp(new.course, new.record, new.judge)
    async with again.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(again.screen, HomeScreen))


def asked_of(app: TutorApp) -> int:
    """The day of the question on the screen."""
    assert isinstance(app.screen, PlacementScreen)
    asking = app.screen.session.current
    shown = [view.question.id for view in app.screen.query(QuestionView)]
    return asking[0].day if asking and shown == [asking[1]] else 0


async def answer(pilot: Pilot[None], app: TutorApp) -> None:
    """The right answer to the question of the placement, by its field's own keys."""
    from tutor.ui.question.choice_fields import LineField, MatchField, OptionsField

    assert isinstance(app.screen, PlacementScreen)
    before = len(app.screen.session.right)
    view = app.screen.query_one(QuestionView)
    field, question = view.field, view.question
    if isinstance(field, OptionsField):
        wanted = [question.answer] if isinstance(question.answer, str) else question.answer
        keys = [letter for letter, key in field.keys.items() if key in wanted]
    elif isinstance(field, LineField):
        keys = [str(question.answer)]
    elif isinstance(field, MatchField):
        letters = {key: letter for letter, key in field.keys.items()}
        keys = [letters[question.answer[left]] for left in question.left]
    else:
        keys = list(str(question.answer)) if question.answer else list("mem2reg")
    await pilot.press(*["full_stop" if key == "." else key for key in keys], "enter")
    await until(pilot, lambda: len(app.screen.session.right) > before or app.screen.ended)


def first_days(app: TutorApp) -> list[int]:
    """The day of each topic's first strand, in the order of the topics."""
    first: dict[str, int] = {}
    for strand in app.course.placement().strands:
        first.setdefault(strand.topic, strand.day)
    return list(first.values())


@pytest.mark.slow
async def test_a_day_that_is_known_is_skipped_until_it_is_opened(  # noqa: PLR0915 (one evening)
    new: TutorApp,
) -> None:
    async with new.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(new.screen, WelcomeScreen))
        await pilot.press("p")
        await until(pilot, lambda: isinstance(new.screen, PlacementScreen))
        placement = new.screen
        assert isinstance(placement, PlacementScreen)
        days = first_days(new)
        await until(pilot, lambda: f"topic 1 of {len(days)} · question 1" in seen(new))
        text = " ".join(seen(new).split())
        assert "One wrong answer, or F3 for “I do not know”, ends a topic" in text
        most = sum(len(strand.questions) for strand in new.course.placement().strands)
        assert str(most) not in text, "as many come only where each answer is right"
        prompt = placement.query_one("QuestionView > .paragraph")
        assert placement.query_one(Field).region.y == prompt.region.bottom + 1, "no blank line"
        await pilot.click(offset=(20, 21))  # on nothing: the question keeps the keyboard
        for _ in range(4):
            await answer(pilot, new)
        assert placement.session.known == (1,)
        assert days[:4] == [1, 6, 8, 12]
        for day in (2, *days[1:]):
            if day > 2:
                await pilot.press("f3")
            await until(pilot, lambda day=day: day == asked_of(new))  # type: ignore[misc]
            if day == 6:
                assert f"topic 2 of {len(days)} · question 6" in seen(new)
            if day == 12:  # its second question has numbers
                await answer(pilot, new)
        await pilot.press("f3")
        await until(pilot, lambda: bool(new.screen.query(DaysField)))
        assert f"5 of {5 + len(days)} questions right" in seen(new)  # a topic ends with a wrong one
        await until(pilot, lambda: "esc skip none" in seen(new))
        rows = "\n".join(
            str(part.content) for part in placement.query(".paragraph").results(Static)
        )
        assert "on 3 rows" in rows, "the numbers are those that were asked"
        assert "✓ Day 1" in seen(new)  # which were right
        assert "■ 1" in seen(new)
        assert read_standing(new.record).placed == set(), "nothing is skipped before it is accepted"
        await pilot.press("minus")
        assert "□ 1" in seen(new)
        await pilot.press("plus", "enter")
        await until(pilot, lambda: isinstance(new.screen, HomeScreen))
        course = open_course()
        following = next(d.day for d in course.days if d.day > 1 and course.lesson(d.day))
        await until(pilot, lambda: f"Continue  Day {following}" in seen(new))
        text = seen(new)
        assert "I   Hardware & Compute Foundations  ◇" in text
        assert "0/14" in text, "placed is not read"
        assert new.record.reviews.due(new.record.today()).questions == 0
        await pilot.press("m")
        await until(pilot, lambda: isinstance(new.screen, MapScreen))
        await until(pilot, lambda: "placed" in seen(new))
        listed = new.screen.query_one("#days")
        listed.highlighted = 2  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(new.screen, LessonScreen))
        assert read_standing(new.record).placed == set()


@pytest.mark.slow
async def test_a_placement_that_was_killed_goes_on(new: TutorApp) -> None:
    async with new.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(new.screen, WelcomeScreen))
        await pilot.press("p")
        await until(pilot, lambda: asked_of(new) == 1)
        await pilot.press("f3")
        await until(pilot, lambda: asked_of(new) == 6)
    again = TutorApp(new.course, new.record, new.judge)
    async with again.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: "Placement goes on after 1 answer" in seen(again))
        await pilot.press("p")
        await until(pilot, lambda: asked_of(again) == 6)
        assert "It goes on where you stopped, after 1 answer." in seen(again)
        await pilot.press("escape", "enter")
        await until(pilot, lambda: isinstance(again.screen, HomeScreen))
        assert "Placement" not in seen(again)
    assert read_open_placement(new.record) == {}, "the next one begins anew"


@pytest.mark.slow
async def test_what_is_not_known_costs_nothing(new: TutorApp) -> None:
    async with new.run_test(notifications=True, size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(new.screen, WelcomeScreen))
        await pilot.press("p")
        await until(pilot, lambda: isinstance(new.screen, PlacementScreen))
        for day in first_days(new)[1:]:
            await pilot.press("f3")
            await until(pilot, lambda day=day: day == asked_of(new))  # type: ignore[misc]
        await pilot.press("f3")
        await until(pilot, lambda: "Nothing to skip" in seen(new))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(new.screen, HomeScreen))
        await until(pilot, lambda: "Begin" in seen(new))
        assert new.record.statistics.compute(new.record.today()).cards["question"] == 0
        await pilot.press("p", "escape")  # nothing asked yet: home at once
        await until(pilot, lambda: isinstance(new.screen, HomeScreen))


@pytest.mark.slow
async def test_a_placement_with_nothing_left_says_so(new: TutorApp) -> None:
    from tutor.memory.placement import skip_days

    skip_days(new.record, [strand.day for strand in new.course.placement().strands])
    async with new.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(new.screen, HomeScreen))
        await pilot.press("p")
        await until(pilot, lambda: "nothing to ask" in seen(new))


async def test_a_course_without_a_placement_says_so(
    new: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new.course, "placement", lambda: None)
    async with new.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: "How would you like to begin?" in seen(new))
        await pilot.press("p")
        await until(pilot, lambda: "This course has no placement" in seen(new))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_home_fits_with_everything_on_it(new: TutorApp, size: tuple[int, int]) -> None:
    record = new.record
    for i in range(len(new.course.overview().days[0].sections)):
        record.activity.section_read(1, i)
    keep_answer(record, "d01-ptx-when", 1, "a", False, 0.0, 5, 30.0, "quiz")
    record.settings.set_focus("fusion")
    sync(record, new.course)
    async with new.run_test(notifications=True, size=size) as pilot:
        await until(pilot, lambda: "Next up" in seen(new))
        text = seen(new)
        assert "■" in text.split("Hardware")[1], "read; nothing was recalled on a later day"
        row = next(line for line in text.split("\n") if "m  I " in line)
        assert "1/14" in row
        assert "%" not in row
        assert "on 1 day · 1 day in all" in text
        assert "Focus: fusion" in text
        home = new.screen.query_one("#home")
        assert home.max_scroll_y == 0, "nothing has to be scrolled for"


def test_a_week_is_bars_and_no_reproach() -> None:
    today = date(2026, 11, 22)
    learnt = [date(2026, 11, 1), date(2026, 11, 20), today]
    line = draw_week([0, 0, 0, 0, 30, 0, 60.4], today, learnt).plain
    assert line == "Mo· Tu· We· Th· Fr▄ Sa· Su█  1 h 30 on 2 days · 3 days in all"
    tall = draw_week([0, 0, 0, 0, 30, 0, 60], today, learnt, rows=4).plain.split("\n")
    assert len(tall) == 5
    assert [row[24] for row in tall[:4]] == ["█"] * 4
    assert [row[16] for row in tall[:4]] == [" ", " ", "█", "█"]
    assert draw_week([0.0] * 7, today, [], rows=1).plain.endswith("0 min on 0 days · 0 days in all")
    aimed = draw_week([0.0] * 6 + [10.0], today, [date(2026, 11, 21), today], aim=20).plain
    assert aimed.endswith("■■■■■□□□□□  today 10 of 20 min · 2 days in a row")
    nearly = draw_week([0.0] * 6 + [7.6], today, [today], aim=20).plain
    assert nearly.endswith("■■■■□□□□□□  today 8 of 20 min"), "as many as the rounded number"
    moment = draw_week([0.0] * 6 + [0.02], today, learnt).plain
    assert "Su▁  0 min on" in moment, "no bar of full height for no minute"
