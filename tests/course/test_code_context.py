"""The lines that a card shows with a cell that stood in a lesson."""

from dataclasses import replace

from tutor.course.catalog.course import open_course
from tutor.course.code_context import context_of
from tutor.memory.question_choice import lesson_to_ask, self_contained

EARLIER = """\
import torch
n = 8
x = torch.ones(n)
other = 3
TWO = 2
v = 9

@wrapped
def double(v):
    return v * TWO

x = torch.zeros(n)
"""


def test_what_the_code_uses_and_what_that_uses() -> None:
    found = context_of("y = double(x)\nother = y", "What does `n` hold?", EARLIER)
    assert found == (
        "n = 8\nTWO = 2\n@wrapped\ndef double(v):\n    return v * TWO\nx = torch.zeros(n)"
    )
    assert context_of("other = 4\nprint(other)", "", EARLIER) == "", "the code defines it itself"
    assert context_of("1 +", "", "x = (") == "", "a cell that shows a mistake"
    many = "\n".join(f"x{i} = {i}" for i in range(40))
    assert context_of(many.replace(" = ", " + "), "", many) == ""


def test_a_card_outside_its_lesson_names_what_it_uses() -> None:
    course = open_course()
    lesson = course.lesson(1)
    assert lesson is not None
    chain = next(p.question for p in lesson.predictions if p.question.id == "d01-compilations")
    card = self_contained(course, chain)
    assert "def " in card.context
    assert card.shown_code.startswith(card.context)
    assert card.code not in card.context
    riddle = lesson.predictions[0].question
    asked = lesson_to_ask(lesson).predictions[0].question
    assert riddle.aside
    assert asked.prompt == f"{riddle.prompt} {riddle.aside}"
    assert self_contained(course, replace(riddle)).prompt == riddle.prompt
    assert "guess" not in riddle.prompt
