"""What ties the days together: pointers for those not written, and the map of Phase I."""

import re

import pytest

from tutor.course.catalog.course import Course, open_course
from tutor.course.catalog.unwritten_days import explain_unwritten_day, find_absent_days
from tutor.course.model import Prose

# Days 1, 14, 15, 25 and 28 speak of these; some of them are written.
SPOKEN_OF = (*range(2, 14), *range(16, 22), 23, 24, 26, 27, *range(29, 50))


@pytest.fixture(scope="module")
def course() -> Course:
    return open_course()


@pytest.mark.slow
def test_each_day_spoken_of_is_written_or_something_serves_meanwhile(course: Course) -> None:
    for day in SPOKEN_OF:
        said = explain_unwritten_day(course, day)
        assert course.lesson(day) is not None or "Meanwhile: " in said, day
        assert not said or " See " in said, day


def test_a_lesson_never_names_a_day_without_a_word_on_it(course: Course) -> None:
    for day in course.days:
        lesson = course.lesson(day.day)
        for named in find_absent_days(course, lesson) if lesson else ():
            assert "Meanwhile: " in explain_unwritten_day(course, named), (day.day, named)


def test_the_map_of_phase_1_is_one_piece(course: Course) -> None:
    chart = course.concept_map(1)
    assert chart is not None
    assert len(chart.nodes) >= 17
    reached = {"why"}
    while more := {to for id_ in reached for to in chart.node(id_).to} - reached:
        reached |= more
    assert reached == {node.id for node in chart.nodes}
    # what the two branches meet in, and what follows it
    assert {node.id for node in chart.nodes if "fusion" in node.to} >= {"roofline", "capture"}
    assert chart.node("fusion").to == ("profiling",)
    for node in chart.nodes:  # a box shows two lines of eight columns where the screen has 80
        assert all(len(word) <= 8 for word in node.title.split()), node.title


def test_a_term_that_a_page_of_phase_3_links_to_says_where_it_is_taught(course: Course) -> None:
    """Its explanation leads to that day, and search names it."""
    linked = {
        name
        for day in course.days
        if day.phase == 3 and (lesson := course.lesson(day.day))
        for section in lesson.sections
        for block in section.blocks
        if isinstance(block, Prose)
        for name in re.findall(r"\]\(term:([\w-]+)\)", block.text)
    }
    assert len(linked) > 50
    assert [term.id for term in course.glossary() if term.id in linked and not term.days] == []
