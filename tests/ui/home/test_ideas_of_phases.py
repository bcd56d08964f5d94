"""The ideas of all phases of the course, walked by keys and by clicks, each page of theirs opened."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from monkey import NoJudge
from run_home import share_course
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from tutor.base import paths
from tutor.course.catalog.concept_map import ConceptMap, Node
from tutor.course.catalog.course import Course, open_course
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.home.concept_layout import EAST, NORTH, SOUTH, WEST, neighbour
from tutor.ui.home.concept_map import ConceptMapScreen, Drawing
from tutor.ui.home.course_map import MapScreen
from tutor.ui.home.welcome import WelcomeScreen

WAYS = {"up": NORTH, "right": EAST, "down": SOUTH, "left": WEST}


class Walker(Host):
    """`opened`: the targets that were asked for, and not opened."""

    opened: tuple[str, ...] = ()

    def open(self, target: str, *details: Any, replace: bool = False) -> None:
        self.opened += (target,)


@pytest.fixture
def walker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Walker]:
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    paths.ensure(tmp_path)
    course, record = open_course(), open_record(paths.record_file())
    yield Walker(course, record, NoJudge(course.root))
    record.close()


def maps_of(course: Course) -> dict[int, ConceptMap]:
    return {phase: concepts for phase in course.phases if (concepts := course.concept_map(phase))}


def is_whole(screen: ConceptMapScreen) -> bool:
    """Return whether the selected box and the whole of its text are on the screen."""
    box = screen.chart.boxes[screen.here]
    view = screen.query_one("#chart", VerticalScroll)
    top, room = box.y - view.scroll_offset.y, view.content_region
    about = screen.query_one("#about", Static)
    lines = about.visual.get_height(about.styles, about.content_size.width)
    return (
        0 <= top <= room.height - box.height
        and box.x + box.width <= room.width
        and not any("…" in line for line in box.lines)
        and lines <= about.content_size.height
    )


async def walk_all(pilot: Pilot[None], walker: Walker, screen: ConceptMapScreen) -> set[str]:
    """Press arrow keys until each box that they reach was selected, and open each one's page."""
    chart, seen_ids = screen.chart, set()
    while True:
        if screen.here not in seen_ids:
            seen_ids.add(screen.here)
            await until(pilot, lambda: is_whole(screen))
            await pilot.press("enter")
            assert walker.opened[-1] == screen.concepts.node(screen.here).page
        keys = _keys_to_next(chart, screen.here, seen_ids)
        if not keys:
            return seen_ids
        await pilot.press(*keys)
        await pilot.pause()


def _keys_to_next(chart: Any, here: str, seen_ids: set[str]) -> list[str]:
    """Return the fewest keys to a box not in `seen_ids`; none if the keys reach no such box."""
    keys: dict[str, list[str]] = {here: []}
    waiting = [here]
    for id_ in waiting:
        if id_ not in seen_ids:
            return keys[id_]
        for key, way in WAYS.items():
            there = neighbour(chart, id_, way)
            if there not in keys:
                keys[there] = [*keys[id_], key]
                waiting.append(there)
    return []


def test_each_phase_has_a_map(walker: Walker) -> None:
    assert list(maps_of(walker.course)) == list(walker.course.phases)


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_the_arrow_keys_reach_each_idea_of_each_phase(
    walker: Walker, size: tuple[int, int]
) -> None:
    async with walker.run_test(size=size) as pilot:
        for phase, concepts in maps_of(walker.course).items():
            screen = ConceptMapScreen(concepts)
            await show(pilot, screen)
            reached = await walk_all(pilot, walker, screen)
            assert reached == {node.id for node in concepts.nodes}, phase


async def test_the_brackets_lead_through_the_phases(walker: Walker) -> None:
    maps = maps_of(walker.course)
    async with walker.run_test(size=SMALL) as pilot:
        await show(pilot, ConceptMapScreen(maps[1]))
        for phase in (2, 3, 4, 5):
            await pilot.press("]")
            await until(pilot, lambda phase=phase: maps[phase].title in seen(walker))


@pytest.mark.slow
async def test_the_map_of_days_leads_to_the_ideas_of_each_phase(walker: Walker) -> None:
    app = TutorApp(walker.course, walker.record, walker.judge)
    maps = maps_of(walker.course)
    first = {day.phase: day.day for day in reversed(walker.course.days)}
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.press("escape", "m")
        await until(pilot, lambda: isinstance(app.screen, MapScreen))
        for phase, concepts in maps.items():
            listed = app.screen.query_one(OptionList)
            days = [str(option.prompt) for option in listed.options]
            listed.highlighted = next(
                n for n, words in enumerate(days) if re.match(rf"\W*{first[phase]}\b", words)
            )
            await pilot.press("c")
            await until(pilot, lambda title=concepts.title: title in seen(app))  # type: ignore[misc]
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, MapScreen))


async def test_24_rows_are_read_on_a_small_screen(walker: Walker) -> None:
    text = "A sentence of some length that is read below the map while the box is marked. " * 3
    nodes = tuple(Node(f"n{row}", f"Row {row}", text, (1,), (), row, 1) for row in range(1, 25))
    async with walker.run_test(size=SMALL) as pilot:
        screen = ConceptMapScreen(ConceptMap(4, "Map", nodes))
        await show(pilot, screen)
        assert await walk_all(pilot, walker, screen) == {node.id for node in nodes}
        assert screen.here == "n24"
        await pilot.press(*["up"] * 23)
        await pilot.pause()
        assert screen.here == "n1"
        await until(pilot, lambda: is_whole(screen))


async def test_a_click_selects_an_idea_and_a_second_click_opens_it(walker: Walker) -> None:
    concepts = maps_of(walker.course)[4]
    async with walker.run_test(size=SMALL) as pilot:
        screen = ConceptMapScreen(concepts)
        await show(pilot, screen)
        await pilot.press("down", "down")  # the drawing has moved up
        await pilot.pause()
        box = screen.chart.boxes[screen.here]
        other = next(
            there for there in screen.chart.boxes.values() if there.y == box.y and there.x != box.x
        )
        drawing = screen.query_one(Drawing)
        at = (other.x + 1 - drawing.scroll_offset.x, other.y + 1)
        await pilot.click(Drawing, offset=at)
        await until(pilot, lambda: screen.here == other.node.id)
        assert not walker.opened
        assert other.node.title in seen(walker)
        await pilot.click(Drawing, offset=at)
        await until(pilot, lambda: walker.opened == (other.node.page,))
        await pilot.click(Drawing, offset=(0, other.y + 1))  # beside all boxes
        assert screen.here == other.node.id
        assert len(walker.opened) == 1


def test_each_page_of_an_idea_is_there_and_each_arrow_has_a_beginning(walker: Walker) -> None:
    """`read` names sections of the idea's own days, and no box stands alone."""
    for phase, concepts in maps_of(walker.course).items():
        led_to = {to for node in concepts.nodes for to in node.to}
        for node in concepts.nodes:
            assert node.to or node.id in led_to, (phase, node.id)
            for target in node.read:
                day, _, slug = target.removeprefix("lesson:").partition("/")
                lesson = walker.course.lesson(int(day))
                assert lesson is not None, (phase, node.id)
                assert slug in [section.slug for section in lesson.sections], (phase, node.id)
                assert int(day) in node.days, (phase, node.id)
