"""What ties the days together: that each is there, and the map of Phase I."""

import re

import pytest

from tutor.course.catalog.course import Course, open_course
from tutor.course.model import Prose


@pytest.fixture(scope="module")
def course() -> Course:
    return open_course()


def test_each_day_of_the_outline_is_written(course: Course) -> None:
    assert [day.day for day in course.overview().days if not day.written] == []
    assert not course.pointers(), "a pointer serves a day without a lesson"


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
