"""`tutor check --sanitize`: NVIDIA's compute-sanitizer on a learner's function, in words or as JSON."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from tutor.commands.support.console import say
from tutor.commands.support.gpu_call import make_gpu_call
from tutor.commands.support.progress_line import ProgressLine
from tutor.course.model import Exercise
from tutor.judge.client import environment
from tutor.judge.device_tools import compute_sanitizer
from tutor.judge.device_tools.compute_sanitizer import Checked


def run_sanitizers(
    exercise: Exercise, source: str, path: Path, seed: int | None, as_json: bool
) -> int:
    """Run every tool and print its findings. Status 0 if there are none, else 1.

    Raises `CannotHere` without a GPU or without the tool, `UsageError` for an exercise without a kernel.
    """
    otherwise = "`tutor check` watches every load and store in the interpreter"
    call = make_gpu_call(exercise, source, path, seed, "compute-sanitizer", otherwise)
    where = compute_sanitizer.find_sanitizer()
    checks = []
    with ProgressLine("starting", holds="nothing was recorded", log=not as_json) as progress:
        for tool in compute_sanitizer.TOOLS:
            progress.say(tool)
            checks.append(compute_sanitizer.run_sanitizer(tool, where, call, environment()))
            if not as_json:
                with progress.pause():
                    say(*format_check(checks[-1]))
    if as_json:
        report = {
            "exercise": exercise.slug,
            "sanitizer": str(where),
            "checks": [asdict(check) for check in checks],
        }
        click.echo(json.dumps(report, ensure_ascii=False))
    return 1 if any(check.errors or check.trouble for check in checks) else 0


def format_check(checked: Checked) -> list[str]:
    """Return a line for the tool, then a line for each finding with its source line and program."""
    summary = checked.trouble or (f"{checked.errors} found" if checked.errors else "nothing found")
    lines = []
    for finding in checked.findings:
        line = f"line {finding.line}: " if finding.line else ""
        program = f" First in program {finding.program_id}." if finding.program_id else ""
        lines.append(f"  {line}{finding.message}{program}")
    return [f"{checked.tool}: {summary}", *lines]
