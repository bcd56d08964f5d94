"""`tutor start`, `tutor check`, `tutor watch`: write a starter, judge a file once or at each save."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.commands.support import progress_line
from tutor.commands.support.completion import slugs
from tutor.commands.support.learner_file import read_text
from tutor.commands.support.open_record import opened_record
from tutor.course.catalog.course import open_course
from tutor.course.model import Exercise
from tutor.hardware.gpus import target as target_named
from tutor.judge import workspace
from tutor.judge.client import Judge, Progress, Submission
from tutor.judge.model.verdict import CaseResult, Timing, Verdict, to_json
from tutor.judge.reports.timing_text import in_one_line
from tutor.judge.reports.unwritten_answer import is_starter, stores_nothing, unwritten
from tutor.judge.reports.verdict_text import case_line, lines

if TYPE_CHECKING:
    from tutor.memory.record import Record

RUNNERS = ("local",)  # this machine


def _target(_: click.Context, __: click.Parameter, named: str | None) -> str:
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
    target = folder if folder is not None else paths.work_dir()
    existed = (target / f"{slug}.py").exists()
    click.echo(str(workspace.start(exercise, target)))
    if existed:
        click.echo("tutor: the file was there already and is as you left it", err=True)


@click.command("check")
@click.argument("slug", shell_complete=slugs)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option("--plain", is_flag=True, help="Words and numbers only: no picture of what is wrong.")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto")
@click.option("--no-timing", is_flag=True, help="Judge only whether it is right.")
@click.option("--profile", is_flag=True, help="The times of single kernels too, by CUPTI.")
@click.option("--runner", type=click.Choice(RUNNERS), default="local", help="Where it runs.")
@click.option(
    "--seed", type=click.IntRange(min=0), help="Judge with the inputs of an earlier verdict."
)
@click.option(
    "--target", callback=_target, help="Without that GPU, compile kernels for it: sm_90, gfx942, …"
)
@click.option(
    "--sanitize",
    is_flag=True,
    help="No verdict: NVIDIA's compute-sanitizer on the largest case (needs a GPU).",
)
def check_command(
    slug: str,
    file: Path | None,
    as_json: bool,
    plain: bool,
    device: str,
    no_timing: bool,
    profile: bool,
    runner: str,
    seed: int | None,
    target: str,
    sanitize: bool,
) -> int:
    """Judge FILE (default: your own file) as exercise SLUG. Status 0: right, 1: wrong."""
    if profile and no_timing:
        raise UsageError("--profile is part of the timing that --no-timing leaves out")
    exercise = open_course().exercise(slug)
    path = file or paths.work_dir() / f"{slug}.py"
    source = read_source(path, exercise)
    if sanitize:
        from tutor.commands.sanitize import sanitized

        return sanitized(exercise, source, path, seed, as_json)
    submission = Submission(
        slug, source, str(path), device, not no_timing, seed, target=target, profile=profile
    )
    # Open the record first: report a folder that cannot be written before the verdict.
    with opened_record() as record, Judge(paths.course_root()) as judge:
        starter = workspace.read(exercise.starter)
        verdict = _judge(judge, submission, starter, quiet=as_json, plain=plain)
        if profile and verdict.passed and verdict.timing is None:
            click.echo("tutor: nothing was timed here, so there are no kernel times", err=True)
        if as_json:
            click.echo(json.dumps(to_json(verdict), ensure_ascii=False))
        _keep(record, verdict, source)
    return 0 if verdict.passed else 1


@click.command("watch")
@click.argument("slug", shell_complete=slugs)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto")
@click.option("--no-timing", is_flag=True, help="Judge only whether it is right.")
@click.option(
    "--target", callback=_target, help="Without that GPU, compile kernels for it: sm_90, gfx942, …"
)
def watch_command(slug: str, file: Path | None, device: str, no_timing: bool, target: str) -> None:
    """A verdict on FILE (default: your own file) now and at each save; ctrl+c ends it."""
    exercise = open_course().exercise(slug)
    path = file or workspace.start(exercise, paths.work_dir())
    read_source(path, exercise)
    starter = workspace.read(exercise.starter)
    with opened_record() as record, Judge(paths.course_root()) as judge:
        for source in _versions(path, exercise):
            click.echo(f"\n{path}")
            submission = Submission(slug, source, str(path), device, not no_timing, target=target)
            verdict = _judge(judge, submission, starter)
            _keep(record, verdict, source)


def read_source(path: Path, exercise: Exercise) -> str:
    """Return the file as text. Raises `UsageError` with one sentence if it cannot be read."""
    return read_text(path, f"`tutor start {exercise.slug}` writes a starter file")


def _versions(path: Path, exercise: Exercise) -> Iterator[str]:
    """Yield the file's text now, and again after each change."""
    from watchfiles import watch

    last = read_source(path, exercise)
    yield last
    # The folder is watched, not the file: many editors save by replacing it.
    for _ in watch(path.parent, recursive=False, raise_interrupt=True, yield_on_timeout=False):
        try:
            text = read_source(path, exercise)
        except UsageError as error:  # an editor is in the middle of saving
            click.echo(f"tutor: {error}", err=True)
            continue
        if text != last:
            last = text
            yield text


def _judge(
    judge: Judge, submission: Submission, starter: str, quiet: bool = False, plain: bool = False
) -> Verdict:
    """Submit, print each event at once, and return the verdict.

    Cases wait until one of them shows that something is written: until then one sentence may do.
    """
    holds = "there is no verdict, and nothing was recorded"
    waiting: list[CaseResult] = []
    wait = True
    with progress_line.ProgressLine("judging", holds=holds, log=not quiet) as at:

        def show(*printed: str) -> None:
            if printed and not quiet:
                with at.paused():
                    click.echo("\n".join(printed))

        for event in judge.submit(submission):
            if isinstance(event, Progress):
                at.say(event.text)
            elif isinstance(event, Timing):
                at.refine(in_one_line(event))  # the times so far
            elif isinstance(event, CaseResult):
                waiting.append(event)
                wait = wait and (stores_nothing(event) or is_starter(submission.source, starter))
                if not wait:
                    show(*map(case_line, waiting))
                    waiting.clear()
            elif isinstance(event, Verdict):
                if sentence := wait and unwritten(submission.source, starter, event):
                    show(sentence)
                else:
                    show(*map(case_line, waiting), *lines(event, submission.source, plain))
                return event
    raise UsageError("the judge gave no verdict; please report this with judge.log")


def _keep(record: "Record", verdict: Verdict, source: str) -> None:
    """Store the attempt in the record, like an attempt in the lab."""
    record.activity.attempt(
        verdict.exercise, source, to_json(verdict), verdict.passed, verdict.device
    )
