"""A missed question leads to the page that teaches it, which its source names."""

import pytest

from tutor.course.catalog.course import Course, open_course
from tutor.memory.course_sync import page_of

# Of these a guess by their words finds another page.
TAUGHT = {
    "d07-order-loop": "Measured on an H200",
    "d20-number-shared": "Counting and pruning",
    "d20-number-programs": "A model of the cost",
    "d21-number-traffic": "What it saves",
    "d24-number-registers": "What is left beside the products",
    "d30-order-builder": "Build a module in Python",
    "d32-te-today": "One expression, several schedules",
    "d33-fill-epilogue": "Where a tile is finished",
    "d33-number-share": "Loops become threads",
    "d33-number-shared": "Loops become threads",
    "d34-row-begins": "Where the memory begins",
    "d34-fill-copy": "Where the memory begins",
    "d36-limit": "A limit on the last factor",
    "d36-line-knob": "A template has holes",
    "d36-order-history": "Rules write the sketches",
    "d39-order-steps": "Codes on a line",
    "d39-match-dtypes": "From 32 bits back to eight",
    "d40-order-of-work": "An address, and not a storage",
    "d41-order-call": "What a call is checked for",
    "d41-match-who": "Where the bound is used",
    "d45-order-surgery": "Surgery by names",
}


@pytest.fixture(scope="module")
def course() -> Course:
    return open_course()


@pytest.mark.parametrize(("name", "title"), TAUGHT.items())
def test_a_missed_question_leads_to_the_page_that_teaches_it(
    course: Course, name: str, title: str
) -> None:
    question = course.question(name)
    assert question is not None
    assert page_of(course, question)[2] == title
    assert f"Day {question.day}, {title}" in question.source
