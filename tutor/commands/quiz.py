"""`tutor quiz`, `tutor grade`, `tutor due`: questions without the full-screen interface."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tutor.base import paths
from tutor.base.day_text import format_day, format_day_ranges
from tutor.base.errors import StorageError, UsageError
from tutor.base.number_text import plural
from tutor.commands.support.completion import days
from tutor.commands.support.open_record import use_record
from tutor.commands.support.progress_line import ProgressLine

if TYPE_CHECKING:  # `tutor due` needs neither the course nor the grading
    from tutor.course.model import Quiz
    from tutor.memory.schedule.due import Due
    from tutor.quiz import Grade


@click.command("quiz")
@click.argument("day", type=int, shell_complete=days)
@click.option("--plain", is_flag=True, help="Plain lines; this command has no other form.")
def quiz_command(day: int, plain: bool) -> int:
    """Ask the questions of DAY, one after the other. Each answer is kept at once."""
    from tutor.commands.plain.quiz import ask_quiz
    from tutor.course.catalog.course import open_course
    from tutor.judge.computed_answers import computing

    quiz = _quiz(day)
    with use_record() as record, computing(paths.course_root()) as find:
        return ask_quiz(quiz, open_course(), record, find)


@click.command("grade")
@click.argument("day", type=int, shell_complete=days)
@click.argument("answers", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
def grade_command(day: int, answers: Path, as_json: bool) -> int:
    """Grade a TOML file of answers (`id = value`) to the quiz of DAY. Status 1: some are wrong."""
    import json

    from tutor.course.reading.variants import draw_variant
    from tutor.judge.computed_answers import computing
    from tutor.quiz import grade

    quiz = _quiz(day)
    values = _read_answers(answers, quiz)
    doing = "grading; some answers are computed here"
    with computing(paths.course_root()) as find, ProgressLine(doing, holds="nothing was kept"):
        grades = {
            # only answered questions are computed
            q.id: grade(q, values.get(q.id), find(q, values[q.id]) if q.id in values else None)
            for q in map(draw_variant, quiz.questions)
        }
    result = _grades_as_json(quiz, grades)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    else:
        _show(result, set(values))
    return 1 if any(g.right is False for g in grades.values()) else 0


@click.command("due")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
def due_command(as_json: bool) -> None:
    """Print what is due for review today."""
    # without a Record: counting needs only the stored dates
    from tutor.memory.opening import open_database
    from tutor.memory.schedule.due import due as count_due
    from tutor.memory.store import settings, study_day

    with ProgressLine("opening the record"):
        try:
            connection, notice = open_database(paths.record_file(), study_day.now())
        except StorageError as trouble:  # it may be readable all the same
            from tutor.memory.record import open_for_reading

            record = open_for_reading(paths.record_file(), trouble)
            connection, notice = record.log.connection, record.notice
    try:
        due = count_due(connection, settings.study_day_of(connection, moment := study_day.now()))
        begin = settings.say_begin(connection, due.next, moment) if due.next else ""
    finally:
        connection.close()
    _tell(notice)
    if as_json:
        import json

        later = due.next.isoformat() if due.next else None
        counts = {"questions": due.questions, "kernels": due.kernels, "terms": due.terms}
        counts["waiting"] = due.waiting
        click.echo(json.dumps({"today": due.today.isoformat(), **counts, "next": later}))
    else:
        click.echo(_due_in_words(due, begin))


def _due_in_words(due: "Due", begin: str = "") -> str:
    """Say what is due. `begin`: what follows the next day's date."""
    counts = ((due.questions, "question"), (due.kernels, "exercise"), (due.terms, "term"))
    parts = [plural(n, noun) for n, noun in counts if n]
    today = format_day(due.today, due.today)
    text = f"Due on {today}: {', '.join(parts)}." if parts else "Nothing is due today."
    if due.waiting:
        verb = "waits" if due.waiting == 1 else "wait"
        text += f" {due.waiting} more {verb} for a later day."
    return f"{text} More on {format_day(due.next, due.today)}{begin}." if due.next else text


def _tell(notice: str) -> None:
    if notice:
        click.echo(f"tutor: {notice}", err=True)


def _quiz(day: int) -> "Quiz":
    from tutor.course.catalog.course import open_course

    course = open_course()
    quiz = course.quiz(day)
    if quiz is None:
        days = format_day_ranges(d.day for d in course.overview().days if d.questions) or "none yet"
        raise UsageError(f"day {day} has no quiz; days with one: {days}")
    return quiz


def _read_answers(path: Path, quiz: "Quiz") -> dict[str, Any]:
    """Return the values of a file by question. Raises `UsageError` with the file and the line."""
    import tomli

    from tutor.base.toml_positions import key_lines
    from tutor.course.reading.faults import read_course_file

    if not path.exists():
        form = "a file of answers has a line `question-id = answer` for each"
        raise UsageError(f"{path} does not exist: {form}")
    if path.is_dir():
        raise UsageError(f"{path} is a folder, and no file of answers")
    text = read_course_file(path)
    try:
        values = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise UsageError(f"{path}:{error.lineno}: {error.msg.lower()}") from None
    except RecursionError:
        raise UsageError(f"{path}:1: the values are nested too deep") from None
    known = {question.id for question in quiz.questions}
    for name in values:
        if name not in known:
            line = key_lines(text).get((name,), 1)
            raise UsageError(
                f"{path}:{line}: the quiz of day {quiz.day} has no question {name[:60]!r}"
            )
    return values


def _grades_as_json(quiz: "Quiz", grades: "dict[str, Grade]") -> dict[str, Any]:
    """The JSON of docs/contract.md."""
    from tutor.quiz import band
    from tutor.quiz.numbers import points

    score = sum(grade.credit for grade in grades.values())
    reached = band(quiz, score, len(grades))
    return {
        "day": quiz.day,
        "score": points(score),
        "out_of": len(grades),
        "band": reached
        and {"name": reached.name, "advice": reached.advice, "revisit": list(reached.revisit)},
        "answers": [
            {
                "id": question,
                "right": grade.right,
                "credit": points(grade.credit),
                "explanation": _explanation(grade),
            }
            for question, grade in grades.items()
        ],
    }


def _explanation(grade: "Grade") -> str:
    """Return the feedback on a wrong choice, then the explanation of the answer."""
    texts = ["" if grade.right else grade.feedback, grade.explanation or grade.answer]
    return "\n\n".join(text.strip() for text in texts if text)


def _show(result: dict[str, Any], answered: set[str]) -> None:
    """Print the grades. `answered`: the questions of which the file has an answer."""
    from tutor.commands.support.console import prose, say
    from tutor.quiz.numbers import show_points

    words = {True: "right", False: "wrong", None: "not graded"}
    for answer in result["answers"]:
        partly = f" ({show_points(answer['credit'], 1)})" if 0 < answer["credit"] < 1 else ""
        word = words[answer["right"]] if answer["id"] in answered else "not answered"
        click.echo(f"{word}{partly}: {answer['id']}")
        if not answer["right"]:
            say(*(f"    {line}".rstrip() for line in prose(answer["explanation"])))
    click.echo(f"\n{show_points(result['score'], result['out_of'])} points")
    if band := result["band"]:
        say(f"{band['name']}: {band['advice']}")
