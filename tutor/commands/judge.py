"""`tutor start`, `tutor check`: write a starter, judge a file."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tutor.base import paths
from tutor.base.config import load_config
from tutor.base.errors import UsageError
from tutor.base.runner_table import Runner
from tutor.commands.support.cold_start import cold_option
from tutor.commands.support.completion import slugs
from tutor.commands.support.console import say
from tutor.commands.support.learner_file import make_folder, read_learner_text
from tutor.commands.support.open_record import use_record
from tutor.commands.support.runner_option import runner_option
from tutor.commands.support.verdict_output import Early, keep_attempt, submit_and_wait
from tutor.course.catalog.course import open_course
from tutor.course.model import Exercise
from tutor.hardware.gpus import target as target_named
from tutor.judge import workspace
from tutor.judge.client import Judge, Submission
from tutor.judge.model.caller_messages import LARGEST_SEED
from tutor.judge.model.verdict import (
    Verdict,
    hide_change,
    to_json,
)
from tutor.judge.reports.verdict_text import (
    gcc_lines,
)
from tutor.memory.first_pass import say_first_pass

if TYPE_CHECKING:
    from tutor.memory.record import Record


def parse_target(_: click.Context, __: click.Parameter, named: str | None) -> str:
    """Return the architecture that `--target` names; "" without the option."""
    return target_named(named).arch if named else ""


@click.command("start")
@click.argument("slug", shell_complete=slugs)
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), help="Where; default: your work folder."
)
def start_command(slug: str, folder: Path | None) -> None:
    """Write the starter of exercise SLUG, never over a file of yours, and print its path."""
    exercise = open_course().exercise(slug)
    target = make_folder(folder) if folder is not None else paths.work_dir()
    existed = (target / f"{slug}.py").exists()
    click.echo(str(workspace.start_learner_file(exercise, target)))
    if existed:
        click.echo("tutor: the file exists already and was not changed", err=True)


@click.command("check")
@click.argument("slug", shell_complete=slugs)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option("--plain", is_flag=True, help="Words and numbers only: no picture of what is wrong.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Every case, and the original text of an error."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "gcc"]),
    default="text",
    help="gcc: lines as file:line:column: error: …, for an editor.",
)
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto")
@click.option("--no-timing", is_flag=True, help="Judge only whether it is right.")
@click.option("--profile", is_flag=True, help="The times of single kernels too, by CUPTI.")
@runner_option
@click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    help="Judge with the inputs of an earlier verdict.",
)
@click.option(
    "--target",
    callback=parse_target,
    help="Without that GPU, compile kernels for it: sm_90, gfx942, …",
)
@click.option(
    "--sanitize",
    is_flag=True,
    help="No verdict: NVIDIA's compute-sanitizer on the largest case (needs a GPU).",
)
@click.option(
    "--counters",
    is_flag=True,
    help="No verdict: what NVIDIA's ncu counts, beside the access map (needs a GPU).",
)
@click.option(
    "--ask/--no-ask",
    default=None,
    help="Two questions about a right kernel; default: where there is a terminal.",
)
@cold_option
def check_command(
    slug: str,
    file: Path | None,
    as_json: bool,
    plain: bool,
    verbose: bool,
    form: str,
    device: str,
    no_timing: bool,
    profile: bool,
    runner: Runner | None,
    seed: int | None,
    target: str,
    sanitize: bool,
    counters: bool,
    ask: bool | None,
    cold: bool,
) -> int:
    """Judge FILE (default: your own file) as exercise SLUG. Status 0: right, 1: wrong, 3: not to be
    checked without a GPU."""
    if profile and no_timing:
        raise UsageError("--profile is part of the timing that --no-timing leaves out")
    if ask and (as_json or form == "gcc" or sanitize or counters):
        raise UsageError("--ask asks after a verdict in words; leave out the other option")
    exercise = open_course().exercise(slug)
    path = file or paths.work_dir() / f"{slug}.py"
    source = read_source(path, exercise)
    if sanitize:
        from tutor.commands.sanitize import run_sanitizers

        return run_sanitizers(exercise, source, path, seed, as_json)
    if counters:
        from tutor.commands.counters import run_counters

        return run_counters(exercise, source, path, seed, as_json)
    submission = Submission(
        slug,
        source,
        str(path),
        device,
        not no_timing,
        seed,
        target=target,
        profile=profile,
        explain=True,
    )
    with Judge(paths.course_root(), cold=cold, runner=runner) as judge, ExitStack() as stack:
        judge.warm()  # its processes start while the record is opened
        # Report a folder that cannot be written before the verdict.
        record = stack.enter_context(use_record())
        quiet = as_json or form == "gcc"
        early = Early(exercise, source, plain, verbose)
        verdict = submit_and_wait(judge, submission, quiet, None if quiet else early)
        # Before its reader may have gone (`| head -1`).
        keep_attempt(record, exercise, verdict, source)
        if profile and verdict.passed and verdict.timing is None:
            click.echo("tutor: nothing was timed here, so there are no kernel times", err=True)
        if as_json:
            click.echo(json.dumps(to_json(hide_change(verdict)), ensure_ascii=False))
        elif form == "gcc":
            starter = workspace.read_learner_file(exercise.starter)
            click.echo("\n".join(gcc_lines(verdict, source, str(path), starter)))
        else:
            say(*early.rest(verdict))
            if verdict.passed and (said := say_first_pass(record, slug)):
                say(f"  {said}")
            if not verdict.passed and not verbose:
                say(f"  Every case: tutor check {slug} [FILE] -v")
            if verdict.passed:
                ask_or_offer(judge, record, exercise, submission, path, ask)
        if early.lost:
            raise early.lost
    return exit_status(verdict)


def ask_or_offer(
    judge: Judge,
    record: "Record",
    exercise: Exercise,
    submission: Submission,
    path: Path,
    ask: bool | None,
) -> None:
    """Ask the questions about a right kernel that are open, or say how they are asked."""
    from tutor.commands.plain import program_questions as questions
    from tutor.commands.plain.question import be_lenient

    if not questions.are_open(record, exercise):
        return
    if ask or (ask is None and questions.may_ask()):
        be_lenient()
        target = submission.target or load_config().config.target
        questions.ask_about_program(judge, record, exercise, submission.source, path, target)
    elif ask is None:
        say(questions.say_how_asked(exercise, path))


def exit_status(verdict: Verdict) -> int:
    """Return 0 for a right answer, 1 for a wrong one, 3 for one that only a GPU can judge."""
    unknown = any(cause.code == "not-interpretable" for cause in verdict.diagnosis[:1])
    return 3 if unknown else int(not verdict.passed)


def read_source(path: Path, exercise: Exercise) -> str:
    """Return the file as text. Raises `UsageError` with one sentence if it cannot be read."""
    return read_learner_text(path, f"`tutor start {exercise.slug}` writes a starter file")
