"""What the plain prompts print of the whole course."""

import pytest

from tutor.base.paths import course_root
from tutor.commands.plain.question import format_question
from tutor.commands.support.console import prose
from tutor.course.catalog.course import open_course
from tutor.course.model import Question
from tutor.course.reading.variants import draw_variant


def every_question() -> list[Question]:
    course = open_course(course_root())
    asked = [q for day in course.days if (quiz := course.quiz(day.day)) for q in quiz.questions]
    told = [q for lesson in course.sound_lessons() for q in lesson.questions]
    return [*asked, *told]


@pytest.mark.slow
def test_no_question_prints_a_character_that_stands_for_a_lost_one():
    questions = every_question()
    assert len(questions) > 500
    for each in questions:
        question = draw_variant(each)
        printed = "\n".join([*format_question(question), *prose(question.explanation)])
        assert not set(printed) & {"\x00", "\ufffd", "\ue000"}, question.id


def test_blanks_of_code_are_blanks():
    assert prose("The body is `x = y + 1`.") == ["The body is `x = y + 1`."]
