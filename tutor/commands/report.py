"""`tutor report`: a project's report, written from the record."""

import json
from pathlib import Path

import click

from tutor.base import atomic_files
from tutor.commands.support.learner_file import check_new_file
from tutor.commands.support.open_record import use_record


@click.command("report")
@click.argument("day", type=int)
@click.option("--to", "path", type=click.Path(path_type=Path), help="Write it to this new file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
def report_command(day: int, path: Path | None, as_json: bool) -> None:
    """Print the report of the project of DAY as Markdown: milestones, tables, and what you wrote.

    It is computed from the record, so it can be printed again at any time, and `tutor export` carries
    everything that it says.
    """
    from tutor.course.catalog.course import open_course
    from tutor.judge.reports.project_report import project_lesson, project_report
    from tutor.judge.reports.project_text import write_markdown

    check_new_file(path)
    course = open_course()
    lesson = project_lesson(course, day)
    with use_record(to_read=True) as record:
        report = project_report(course, record, lesson)
    text = "\n".join(write_markdown(report)) + "\n"
    if path is not None:
        atomic_files.write(path, text)
    if as_json:
        click.echo(json.dumps(report.to_json(), ensure_ascii=False))
    elif path is not None:
        click.echo(f"{path}: the report of Day {day}")
    else:
        click.echo(text, nl=False)
