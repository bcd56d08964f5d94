"""`tutor content check`: prove the course, and say file, line, field for every mistake."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tutor import paths
from tutor.course import Course, open_course
from tutor.course.check import faults as file_faults
from tutor.course.coverage import coverage
from tutor.course.faults import CourseFault
from tutor.errors import UsageError
from tutor.judge import prove
from tutor.judge.client import Judge
from tutor.judge.prove import Proof


@click.group("content")
def content_command() -> None:
    """Work on the course itself."""


@content_command.command("check")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option("--pack", type=click.Path(path_type=Path), help="Another course's folder.")
def check(as_json: bool, pack: Path | None) -> int:
    """Read every file, run every cell, pass every solution, reject every wrong answer."""
    root = pack if pack is not None else paths.course_root()
    if not (root / "lessons").is_dir():
        raise UsageError(f"{root} holds no lessons/ folder; is it a course?")
    started = time.perf_counter()
    wrong_files = file_faults(root)
    course = open_course(root)
    covered = coverage(course)
    faults = [str(fault) for fault in (*wrong_files, *covered.faults)]
    for fault in faults:
        click.echo(fault, err=True)
    proofs: list[Proof] = []
    for proof in _proofs(course):
        proofs.append(proof)
        _show(proof, len(proofs), quiet=as_json)
    report = _report(proofs, faults, time.perf_counter() - started)
    report["coverage"] = {
        "covered": covered.covered, "of": covered.of, "missing": list(covered.missing),
    }  # fmt: skip
    sound = bool(proofs) and not faults and not covered.missing and not any(p.fault for p in proofs)
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        _summary(report, sound)
    return 0 if sound else 1


def _proofs(course: Course) -> Iterator[Proof]:
    gpu = os.path.exists("/dev/nvidiactl")
    with Judge(course.root) as judge:
        # A file that cannot be read has said so already; the others are run all the same.
        for day in course.days:
            with contextlib.suppress(CourseFault):
                lesson = course.lesson(day.day)
                if lesson:
                    yield from prove.cells(judge, lesson, gpu)
            with contextlib.suppress(CourseFault):
                yield from prove.questions(judge, course, day.day)
        with contextlib.suppress(CourseFault):
            for exercise in course.exercises().values():
                yield from prove.exercise(judge, exercise)


def _report(proofs: list[Proof], faults: list[str], seconds: float) -> dict[str, Any]:
    def bad(kind: str) -> list[str]:
        return [f"{p.name}: {p.fault}" for p in proofs if p.kind == kind and p.fault]

    def count(kind: str) -> int:
        return sum(p.kind == kind for p in proofs)

    wrong = [p for p in proofs if p.kind == "wrong"]
    return {
        "files": {"faults": faults},
        "cells": {"run": count("cell"), "failed": bad("cell")},
        "questions": {"computed": count("question"), "failed": bad("question")},
        "solutions": {
            "passed": count("solution") - len(bad("solution")),
            "failed": bad("solution"),
        },
        "starters": {"rejected": count("starter") - len(bad("starter")), "passing": bad("starter")},
        "wrong": {
            "rejected": sum(p.fault != "passes" for p in wrong),
            "named": sum(p.named for p in wrong),
            "faults": bad("wrong"),
        },
        "seconds": round(seconds, 1),
    }


def _show(proof: Proof, number: int, quiet: bool) -> None:
    """Progress on stderr; in a terminal one line that is written over, else only what fails."""
    if proof.fault:
        click.echo(f"\r{proof.kind} {proof.name}: {proof.fault}", err=True)
    elif not quiet and sys.stderr.isatty():
        line = f"{number:4} {proof.kind} {proof.name}"[:78].ljust(78)
        click.echo(f"\r{line}", err=True, nl=False)


def _summary(report: dict[str, Any], sound: bool) -> None:
    click.echo(
        f"\ncells {report['cells']['run']} run, {len(report['cells']['failed'])} failed; "
        f"computed answers {report['questions']['computed']}, "
        f"{len(report['questions']['failed'])} failed\n"
        f"solutions {report['solutions']['passed']} passed, "
        f"{len(report['solutions']['failed'])} failed; "
        f"wrong answers {report['wrong']['rejected']} rejected, "
        f"{report['wrong']['named']} for their reason\n"
        f"coverage {report['coverage']['covered']} of {report['coverage']['of']}; "
        f"{report['seconds']} s"
    )
    click.echo("The course holds." if sound else "The course does not hold: see above.")
