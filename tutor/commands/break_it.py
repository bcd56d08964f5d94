"""`tutor break`: a learner's cases, played on an exercise's right and wrong answers."""

import json

import click
from msgspec import to_builtins

from tutor.base import paths
from tutor.base.errors import CannotHere, UsageError
from tutor.base.runner_table import Runner
from tutor.commands.support.cold_start import cold_option
from tutor.commands.support.completion import slugs
from tutor.commands.support.console import say
from tutor.commands.support.progress_line import ProgressLine
from tutor.commands.support.runner_option import runner_option
from tutor.course.catalog.course import open_course
from tutor.judge import workspace
from tutor.judge.breaking import kept_cases
from tutor.judge.client import Judge
from tutor.judge.model.case_table import CaseTable
from tutor.judge.model.events import Progress
from tutor.judge.reports.case_table_text import ADVICE, format_table, sentences


@click.command("break")
@click.argument("slug", shell_complete=slugs)
@click.option(
    "--case",
    "cases",
    metavar="CALL",
    multiple=True,
    help="A case, such as 'zeros(f32[4, 100])'; several times. Default: those kept of the lab.",
)
@click.option("--plain", is_flag=True, help="Sentences only, one for each mistake.")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@runner_option
@cold_option
def break_command(
    slug: str,
    cases: tuple[str, ...],
    plain: bool,
    as_json: bool,
    runner: Runner | None,
    cold: bool,
) -> int:
    """Play your cases on the right and wrong answers of exercise SLUG. Status 0: every right answer
    survives, and no mistake that a case can show does."""
    exercise = open_course().exercise(slug)
    texts = cases or kept_cases.read_cases(slug)
    if exercise.takes_cases and not texts:
        raise UsageError(
            f"no cases for {slug} yet; give one as --case {example_for(exercise.entry)!r}"
        )
    own = workspace.read_own_answer(exercise, paths.work_dir())
    with (
        Judge(paths.course_root(), cold=cold, runner=runner) as judge,
        ProgressLine("playing your cases") as line,
    ):
        table = play(judge, slug, texts, own, line)
    kept_cases.keep_holes(table)
    if as_json:
        click.echo(json.dumps(to_json(table), ensure_ascii=False))
    elif plain:
        say(*sentences(table))
    else:
        say(*format_table(table))
        if table.refused:
            say(ADVICE.format(entry=exercise.entry))
    return int(bool(table.living or table.refused))


def play(
    judge: Judge, slug: str, texts: tuple[str, ...], own: str, line: ProgressLine
) -> CaseTable:
    """Return the table; `line` shows how far it is."""
    for event in judge.play_cases(slug, texts, own):
        if isinstance(event, Progress):
            line.refine(event.text)
        else:
            return event
    raise CannotHere("the judge was closed before it had played the cases")


def to_json(table: CaseTable) -> dict[str, object]:
    """Return what `--json` prints."""
    return {
        **to_builtins(table),
        "refuses": len(table.killed),
        "of": len(table.killable),
        "valid": table.valid,
    }


def example_for(entry: str) -> str:
    """Return a call of the signature, with a tensor for each parameter."""
    name, _, parameters = entry.partition("(")
    count = len(parameters.rstrip(")").split(","))
    return f"{name}({', '.join(['f32[8, 100]'] * count)})"
