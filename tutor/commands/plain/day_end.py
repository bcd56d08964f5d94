"""The end of a day in plain lines: the unwritten days it names, its results, and what comes next."""

import click

from tutor.base.day_text import say_not_written
from tutor.commands.support.console import say
from tutor.course.catalog.course import Course
from tutor.course.catalog.day_exercises import projects_of
from tutor.course.catalog.overview import find_written_neighbour, list_unwritten_between
from tutor.course.catalog.plain_text import list_unwritten_days
from tutor.course.catalog.unwritten_days import explain_unwritten_day, find_absent_days
from tutor.course.model import Lesson, Quiz
from tutor.memory.day_summary import Score, day_summary, say_predictions
from tutor.memory.next_exercise import find_next_exercise
from tutor.memory.project_choice import exercises_to_do, find_project, is_chosen
from tutor.memory.record import Record


def say_day_end(lesson: Lesson, course: Course, record: Record) -> None:
    """Print the end of a day whose last section was read. Each way on is a command."""
    day, quiz = lesson.day, course.quiz(lesson.day)
    named = [explain_unwritten_day(course, other) for other in find_absent_days(course, lesson)]
    click.echo("\n".join(list_unwritten_days(named)))
    overview, slugs = course.overview(), exercises_to_do(course, record, day)
    asked = [predict.question for predict in lesson.predictions]
    summary = day_summary(record, day, asked, quiz.questions if quiz else (), slugs)
    click.echo(f"\nDay {day} done.")
    if summary.predictions.of or summary.left_open:
        click.echo(f"Predictions: {say_predictions(summary)}.")
    _say_score("Questions of the quiz", summary.questions)
    if slugs:
        passed = sum(kernel.passed for kernel in summary.kernels)
        click.echo(f"Exercises: {passed} of {len(slugs)} right.")
    click.echo("\nWhat comes next:")
    if (following := find_next_exercise(course, record, day)) in slugs:
        say(f"- the exercise {following}: tutor start {following}")
    if lesson.milestones:
        say(f"- the report of the project: tutor report {day}")
    if (project := find_project(overview, record, day)) and len(projects_of(overview, day)) > 1:
        counts = "is chosen" if is_chosen(overview, record, project) else "counts until you choose"
        say(f"- the project {project.name} {counts}: tutor project {day} lists them")
    if quiz:
        _say_quiz(quiz, again=bool(summary.questions.of))
    beside = find_written_neighbour(overview.days, day)
    if ends := day == overview.days[-1].day:
        say("- this is the last day of the course; reviews and open exercises go on: tutor review")
    after = 0 if ends else day
    if missing := list_unwritten_between(overview.days, after, beside.day if beside else None):
        say(f"- {say_not_written(missing)}")
    if beside:
        which = "the next day" if beside.day == day + 1 else "the next day that is written"
        say(f"- {which}, {beside.title}: tutor lesson {beside.day} --ask")
    if summary.tomorrow:
        cards = "1 card" if summary.tomorrow == 1 else f"{summary.tomorrow} cards"
        waiting = f" ({summary.waiting} new ones wait)" if summary.waiting else ""
        when = "today" if summary.begin else "tomorrow"
        say(f"- {when} {cards} to review{summary.begin}{waiting}: tutor review")


def _say_quiz(quiz: Quiz, *, again: bool) -> None:
    name = "the checkpoint" if quiz.is_checkpoint else "the quiz"
    count = len(quiz.questions)
    noun = "question" if count == 1 else "questions"
    say(f"- {name}{' again' if again else ''}, {count} {noun}: tutor quiz {quiz.day}")


def _say_score(name: str, score: Score) -> None:
    if score.of:
        click.echo(f"{name}: {score.right} of {score.of} right.")
