"""The form of an edit, and the same one in an exercise that is solved."""

import pytest

from tutor.course.catalog.course import open_course
from tutor.judge.repair.same_edit import find_same_edit, form_of

BOUND = "     offsets = 1\n-    here = at <= count\n+    here = at < count"


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("x = tl.load(p, mask=m & (a <= n))", "x = tl.load(p, mask=m & (a < n))", True),
        ("x = tl.load(p)", "x = tl.load(p, mask=m)", False),
        ("x = a < n", "x = a <= n", False),  # the other way round
    ],
)
def test_two_edits_are_the_same_whatever_the_names_are(before, after, same):
    assert (form_of(["if i <= rows:"], ["if i < rows:"]) == form_of([before], [after])) is same


@pytest.mark.parametrize(
    ("before", "after"), [("x = a + 1", "x = b + 1"), ("f(", "f(x)"), ("", "")]
)
def test_names_alone_and_half_a_program_have_no_form(before, after):
    assert form_of([before], [after]) == ()


def test_only_exercises_that_are_solved_are_shown():
    course = open_course()
    assert find_same_edit(BOUND, course, set()) is None
    found = find_same_edit(BOUND, course, {"tail", "no_such_exercise"})
    assert found is not None
    assert found.title == course.exercise("tail").title
    assert (found.wrong, found.right) == (
        ("    mask = offsets <= n",),
        ("    mask = offsets < n",),
    )
