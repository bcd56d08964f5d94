"""`tutor check --sanitize`: NVIDIA's compute-sanitizer on a learner's function, in words or as JSON."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from tutor.base.errors import CannotHere, UsageError
from tutor.commands.support.console import say
from tutor.commands.support.progress_line import ProgressLine
from tutor.course.model import Exercise
from tutor.hardware import presence
from tutor.judge.client import environment
from tutor.judge.sanitizer import compute_sanitizer
from tutor.judge.sanitizer.compute_sanitizer import Checked


def sanitized(exercise: Exercise, source: str, path: Path, seed: int | None, as_json: bool) -> int:
    """Run every tool and print its findings. Status 0 if there are none, else 1.

    Raises `CannotHere` without a GPU or without the tool, `UsageError` for an exercise without a kernel.
    """
    if exercise.kind != "kernel":
        raise UsageError(f"{exercise.slug} is no kernel: there is nothing to sanitize")
    if not presence.nvidia():
        raise CannotHere(
            "compute-sanitizer needs an NVIDIA GPU, and this machine shows none; without one "
            "`tutor check` watches every load and store in the interpreter"
        )
    where = compute_sanitizer.find()
    call = compute_sanitizer.SanitizedCall(
        source, str(path), exercise.entry, str(exercise.reference), seed or 0
    )
    checks = []
    with ProgressLine("starting", holds="nothing was recorded", log=not as_json) as progress:
        for tool in compute_sanitizer.TOOLS:
            progress.say(tool)
            checks.append(compute_sanitizer.check(tool, where, call, environment()))
            if not as_json:
                with progress.paused():
                    say(*words(checks[-1]))
    if as_json:
        found = {
            "exercise": exercise.slug,
            "sanitizer": str(where),
            "checks": [asdict(each) for each in checks],
        }
        click.echo(json.dumps(found, ensure_ascii=False))
    return 1 if any(each.errors or each.trouble for each in checks) else 0


def words(checked: Checked) -> list[str]:
    """Return a line for the tool, then a line for each finding with its source line and program."""
    summary = checked.trouble or (f"{checked.errors} found" if checked.errors else "nothing found")
    found = []
    for each in checked.findings:
        line = f"line {each.line}: " if each.line else ""
        program = f" First in program {each.program_id}." if each.program_id else ""
        found.append(f"  {line}{each.message}{program}")
    return [f"{checked.tool}: {summary}", *found]
