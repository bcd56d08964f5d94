"""The end of a day in plain lines: the unwritten days it names, its results, and what comes next."""

import click

from tutor.commands.support.console import say
from tutor.course.catalog.course import Course
from tutor.course.catalog.overview import written_beside
from tutor.course.catalog.plain_text import named_lines
from tutor.course.catalog.unwritten_days import absent, meanwhile
from tutor.course.model import Lesson, Quiz
from tutor.memory.day_summary import Score, day_summary
from tutor.memory.record import Record


def say_day_end(lesson: Lesson, course: Course, record: Record) -> None:
    """Print the end of a day whose last section was read. Each way on is a command."""
    day, quiz = lesson.day, course.quiz(lesson.day)
    named = [meanwhile(course, other) for other in absent(course, lesson)]
    click.echo("\n".join(named_lines(named)))
    overview = course.overview()
    own = next((each.exercises for each in overview.days if each.day == day), ())
    slugs = tuple(dict.fromkeys((*(each.exercise for each in lesson.milestones), *own)))
    asked = [predict.question for predict in lesson.predictions]
    found = day_summary(record, day, asked, quiz.questions if quiz else (), slugs)
    click.echo(f"\nDay {day} done.")
    _say_score("Predictions", found.predictions)
    _say_score("Questions of the quiz", found.questions)
    if slugs:
        passed = sum(kernel.passed for kernel in found.kernels)
        click.echo(f"Exercises: {passed} of {len(slugs)} right.")
    click.echo("\nWhat comes next:")
    if following := next((kernel.slug for kernel in found.kernels if not kernel.passed), ""):
        say(f"- the exercise {following}: tutor start {following}")
    if lesson.milestones:
        say(f"- the report of the project: tutor report {day}")
    if quiz:
        _say_quiz(quiz, again=bool(found.questions.of))
    if beside := written_beside(overview.days, day):
        which = "the next day" if beside.day == day + 1 else "the next day that is written"
        say(f"- {which}, {beside.title}: tutor lesson {beside.day} --ask")
    if found.tomorrow:
        cards = "1 card" if found.tomorrow == 1 else f"{found.tomorrow} cards"
        say(f"- tomorrow {cards} to review: tutor review")


def _say_quiz(quiz: Quiz, *, again: bool) -> None:
    name = "the checkpoint" if quiz.is_checkpoint else "the quiz"
    count = len(quiz.questions)
    noun = "question" if count == 1 else "questions"
    say(f"- {name}{' again' if again else ''}, {count} {noun}: tutor quiz {quiz.day}")


def _say_score(name: str, score: Score) -> None:
    if score.of:
        click.echo(f"{name}: {score.right} of {score.of} right.")
