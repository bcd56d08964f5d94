"""`tutor content check`: prove the course, and report file, line and field of every mistake."""

import contextlib
import itertools
import json
import os
import queue
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tutor.authoring.answer_check import answer_warnings
from tutor.authoring.check import faults as file_faults
from tutor.authoring.coverage import coverage
from tutor.authoring.day_check import day_warnings
from tutor.authoring.day_minutes import minutes_warnings
from tutor.authoring.deep_proof import (
    ACCEPTED,
    ELSEWHERE,
    FOUND,
    LEAST_REPAIRED,
    NOT_FOUND,
    NOT_SOUGHT,
    OTHER_WAY,
)
from tutor.authoring.exercise_check import exercise_warnings
from tutor.authoring.gpu_recordings import recording_warnings
from tutor.authoring.pieces import Piece, list_deep_pieces, list_pieces
from tutor.authoring.proof import CourseProof
from tutor.authoring.proof_cache import (
    forget_old_proofs,
    is_proved,
    keep_outcomes,
    keep_proof,
    read_outcomes,
)
from tutor.authoring.term_links import fix_links as write_links
from tutor.base import paths
from tutor.base.errors import CannotHere, UsageError
from tutor.base.extras import say_missing
from tutor.commands.support.cold_start import cold_option
from tutor.commands.support.progress_line import ProgressLine
from tutor.course.catalog.course import Course, open_course
from tutor.course.reading.faults import CourseFault, Fault
from tutor.course.reading.locations import exercise_folders
from tutor.judge.breaking.kept_cases import read_holes
from tutor.judge.client import Judge
from tutor.judge.model.caller_messages import LARGEST_SEED

_WATCH_MS = 200  # for a save; the first look of the watch takes as long
_MOST_LONGEST = 12  # pieces whose seconds are told
_MOST_JOBS = 4  # each holds up to three warm processes with torch, about 1.5 GiB


@click.group("content")
def content_command() -> None:
    """Work on the course itself."""


@content_command.command("check")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option(
    "--course", "folder", type=click.Path(path_type=Path), help="Another course's folder."
)
@click.option(
    "--only", metavar="DAY|SLUG", multiple=True, help="Run only these; files are all read."
)
@click.option(
    "--all", "prove_all", is_flag=True, help="Also what was proved before and is unchanged."
)
@click.option("--jobs", type=click.IntRange(1, 16), help="Judges at work side by side.")
@click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    default=0,
    show_default=True,
    help="Of the exercises' inputs; a learner's are fresh each time.",
)
@click.option(
    "--watch", is_flag=True, help="Again at each save, what was saved only; ctrl+c ends it."
)
@click.option(
    "--deep",
    is_flag=True,
    help="Instead: how far the judge's repairs of the exercises can be believed. What was tried before "
    "and is unchanged is told again.",
)
@click.option(
    "--minutes",
    type=click.IntRange(1),
    help="With --deep: begin no exercise later; the same command goes on another time.",
)
@cold_option
@click.option(
    "--fix-links", is_flag=True, help="Only link each term at its first use on a page, and show it."
)
def check(
    as_json: bool,
    folder: Path | None,
    only: tuple[str, ...],
    prove_all: bool,
    jobs: int | None,
    seed: int,
    watch: bool,
    deep: bool,
    minutes: int | None,
    fix_links: bool,
    cold: bool,
) -> int:
    """Read every file, run every cell, pass every solution, reject every wrong answer.

    What was proved before is not run again until something changes that its proof depends on.
    """
    # The judge's processes have another working directory.
    root = folder.resolve() if folder is not None else paths.course_root()
    if not (root / "lessons").is_dir():
        raise UsageError(f"{root} holds no lessons/ folder; is it a course?")
    if watch and as_json:
        raise UsageError("--json prints one value, and --watch goes on: choose one")
    course = open_course(root)
    if fix_links:
        return _fix_links(course)
    if deep:
        again = _Deeply(prove_all, minutes, jobs, cold)
        return 0 if _check_deeply(course, only, seed, again, as_json) else 1
    if minutes is not None:
        raise UsageError("--minutes goes with --deep")
    forget_old_proofs()
    saves = _watch_pieces(root) if watch else ()
    chosen = _choose_pieces(course, only, seed)
    sound = _check(course, chosen, prove_all, jobs, as_json, cold)
    for saved in saves:
        click.echo(f"\n{', '.join(saved)}")
        course = open_course(root)
        known = list_pieces(course, seed)
        todo = [known[name] for name in saved if name in known]
        _check(course, todo, prove_all, jobs, False, cold)
    return 0 if sound else 1


def _fix_links(course: Course) -> int:
    """Write the links that lessons lack to the glossary, and print the lines before and after."""
    lessons = [lesson for day in course.days if (lesson := course.lesson(day.day))]
    changes = list(write_links(lessons, course.glossary()))
    for line in changes or ["Each page links its terms already."]:
        click.echo(line)
    return 0


def _check(
    course: Course,
    chosen: list[Piece],
    prove_all: bool,
    jobs: int | None,
    as_json: bool,
    cold: bool,
) -> bool:
    """Read all files, prove what is `chosen` and not proved yet, and print the findings."""
    started = time.perf_counter()
    proofs: list[CourseProof] = []
    holds = "the rest is not proven"
    todo = [piece for piece in chosen if prove_all or not is_proved(piece.key)]
    jobs = min(jobs or min(_MOST_JOBS, os.cpu_count() or 1), len(todo))
    with ProgressLine("reading every file", holds=holds) as progress:
        provers = _Provers(course.root, todo, jobs, cold)
        wrong_files = file_faults(course.root)
        covered = coverage(course)
        faults = [str(fault) for fault in (*wrong_files, *covered.faults)]
        with progress.pause():
            for fault in faults:
                click.echo(fault, err=True)
        doubts = (*answer_warnings(course), *minutes_warnings(course), *day_warnings(course))
        doubts += (*_exercise_warnings(course),)
        warnings = [*map(str, doubts), *recording_warnings(course), *_holes(course)]
        with progress.pause():
            for warning in warnings:
                click.echo(f"warning: {warning}", err=True)
        for proof in provers.proofs():
            proofs.append(proof)
            done = f"{len(provers.proved)} of {len(todo)} proved"
            progress.refine(f"{done}, {len(proofs)} tried, {proof.kind} {proof.name}")
            if proof.fault:
                with progress.pause():
                    click.echo(f"{proof.kind} {proof.name}: {proof.fault}", err=True)
    report = _report(proofs, faults, time.perf_counter() - started)
    report["files"]["warnings"] = warnings
    report["coverage"] = {
        "covered": covered.covered,
        "of": covered.of,
        "missing": list(covered.missing),
        "tags": list(covered.tags),
    }
    report["drills"]["days"] = {lesson.day: len(lesson.drills) for lesson in course.sound_lessons()}
    report["twists"] |= _count_twists(course)
    report["proved"], report["unchanged"] = len(provers.proved), len(chosen) - len(todo)
    longest = sorted(provers.seconds.items(), key=lambda pair: -pair[1])[:_MOST_LONGEST]
    report["longest"] = {name: round(seconds, 1) for name, seconds in longest}
    found_any = proofs or report["unchanged"]
    sound = (
        bool(found_any) and not faults and not covered.missing and not any(p.fault for p in proofs)
    )
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        _summary(report, sound)
    return sound


@dataclass(frozen=True)
class _Deeply:
    """How the experiments are run: `again` also those whose outcomes are kept, until no exercise begins
    after so many `minutes`."""

    again: bool
    minutes: int | None
    jobs: int | None
    cold: bool


def _check_deeply(
    course: Course, only: tuple[str, ...], seed: int, how: _Deeply, as_json: bool
) -> bool:
    """Run the experiments of `deep_proof`, and print what became of each program."""
    started = time.perf_counter()
    known = list_deep_pieces(course, seed)
    if unknown := [name for name in only if name not in known]:
        raise UsageError(f"{unknown[0]} is no exercise of this course")
    chosen = [piece for name, piece in known.items() if not only or name in only]
    forget_old_proofs()
    kept = {p.name: None if how.again else read_outcomes(p.key) for p in chosen}
    todo = [piece for piece in chosen if kept[piece.name] is None]
    proofs = [CourseProof(*row) for rows in kept.values() for row in rows or ()]
    jobs = min(how.jobs or min(_MOST_JOBS, os.cpu_count() or 1), len(todo))
    with ProgressLine("judging repairs", holds="the rest is not proven") as progress:
        for proof in proofs if not as_json else ():
            _tell(progress, proof)
        until = None if how.minutes is None else time.monotonic() + 60 * how.minutes
        provers = _Provers(course.root, todo, jobs, how.cold, _keep_outcomes, until)
        for proof in provers.proofs():
            proofs.append(proof)
            progress.refine(f"{len(proofs)} tried, {proof.kind} {proof.name}")
            if not as_json:
                _tell(progress, proof)
    report, sound = _report_deeply(proofs, time.perf_counter() - started)
    report["exercises"] = {"tried": len(provers.proved), "kept": len(chosen) - len(todo)}
    report["exercises"]["left"] = len(todo) - len(provers.proved)
    click.echo(json.dumps(report, ensure_ascii=False) if as_json else _words(report, sound))
    return sound


def _tell(progress: ProgressLine, proof: CourseProof) -> None:
    if proof.fault:
        with progress.pause():
            click.echo(f"{proof.kind} {proof.name}: {proof.fault}")


def _keep_outcomes(piece: Piece, proofs: list[CourseProof]) -> bool:
    keep_outcomes(piece.key, [(p.kind, p.name, p.fault) for p in proofs])
    return True


def _keep_if_sound(piece: Piece, proofs: list[CourseProof]) -> bool:
    sound = not any(proof.fault for proof in proofs)
    if sound:
        keep_proof(piece.key)
    return sound


def _report_deeply(proofs: list[CourseProof], seconds: float) -> tuple[dict[str, Any], bool]:
    def named(kind: str, *outcomes: str) -> list[str]:
        return [proof.name for proof in proofs if proof.kind == kind and proof.fault in outcomes]

    renamed = [proof for proof in proofs if proof.kind == "renamed"]
    failed = [f"{proof.name}: {proof.fault}" for proof in renamed if proof.fault]
    report: dict[str, Any] = {
        "renamed": {"accepted": len(renamed) - len(failed), "failed": failed},
        "seconds": round(seconds, 1),
    }
    for kind in ("repaired", "slip"):
        report[kind] = {
            "found": len(named(kind, FOUND)),
            "elsewhere": named(kind, ELSEWHERE),
            "another_way": named(kind, OTHER_WAY),
            "not_found": named(kind, NOT_FOUND),
            "not_sought": named(kind, NOT_SOUGHT),
            "accepted": named(kind, ACCEPTED),
        }
    listed = [proof for proof in proofs if proof.kind == "listed"]
    changed = [f"{proof.name}: {proof.fault}" for proof in listed if proof.fault]
    report["listed"] = {"accepted": len(listed) - len(changed), "failed": changed}
    wrong = report["repaired"]
    other = len(wrong["elsewhere"]) + len(wrong["another_way"])
    sought = wrong["found"] + other + len(wrong["not_found"])
    known = not changed and not report["slip"]["accepted"] and not wrong["elsewhere"]
    return report, not failed and known and wrong["found"] >= LEAST_REPAIRED * sought


def _words(report: dict[str, Any], sound: bool) -> str:
    lines = [
        f"\nright answers in other names {report['renamed']['accepted']} accepted, "
        f"{len(report['renamed']['failed'])} failed"
    ]
    for kind, noun in (("repaired", "wrong answers"), ("slip", "slips in right answers")):
        of = report[kind]
        lines.append(
            f"{noun} {of['found']} repaired where they differ, {len(of['elsewhere'])} elsewhere, "
            f"{len(of['another_way'])} by another way of a list, "
            f"{len(of['not_found'])} not found, {len(of['not_sought'])} out of reach, "
            f"{len(of['accepted'])} accepted"
        )
    of = report["listed"]
    lines.append(f"slips of lists {of['accepted']} accepted, {len(of['failed'])} not")
    of = report["exercises"]
    lines.append(
        f"exercises {of['tried']} tried, {of['kept']} kept from before, {of['left']} left; "
        f"{report['seconds']} s"
    )
    lines.append("The repairs hold." if sound else "The repairs do not hold: see above.")
    return "\n".join(lines)


def _holes(course: Course) -> Iterator[str]:
    """Yield the cases of learners that refuse what our own cases accept (`tutor break`)."""
    slugs = [folder.name for folder in exercise_folders(course.root)]
    for slug, hole in read_holes(slugs):
        yield (
            f"kernels/{slug}: the case {hole.case} refuses {hole.answer}, which our own cases accept"
        )


def _exercise_warnings(course: Course) -> Iterator[Fault]:
    for folder in exercise_folders(course.root):
        with contextlib.suppress(CourseFault, SyntaxError):
            exercise = course.exercise(folder.name)
            yield from exercise_warnings(exercise)
            if missing := say_missing(exercise.needs):
                place = folder / "exercise.toml"
                yield Fault(place, 1, "needs", "a machine that can prove it", missing)


def _watch_pieces(root: Path) -> Iterator[list[str]]:
    """Watch the course from now on. Each item names the days and exercises whose files were saved since
    the item before, as `--only` takes them."""
    from watchfiles import watch

    folders = [root / name for name in ("lessons", "quizzes", "kernels") if (root / name).is_dir()]
    saves = watch(*folders, yield_on_timeout=True, rust_timeout=_WATCH_MS)
    first = next(saves)  # it has begun
    return _saved_pieces(root, itertools.chain([first], saves))


def _saved_pieces(
    root: Path, saves: Iterable[Collection[tuple[object, str]]]
) -> Iterator[list[str]]:
    for changes in saves:
        names = {_piece_of(Path(path).relative_to(root)) for _, path in changes}
        if pieces := sorted(name for name in names if name):
            yield pieces


def _piece_of(path: Path) -> str:
    """Return the day or exercise that a file of the course belongs to; "" for other files."""
    if path.parts[0] == "kernels":
        return path.parts[1] if len(path.parts) > 1 else ""
    number = re.match(r"day-(\d+)", path.name)
    return str(int(number[1])) if number else ""


def _choose_pieces(course: Course, only: tuple[str, ...], seed: int) -> list[Piece]:
    """Return the pieces that `only` names, or all pieces."""
    known = list_pieces(course, seed)
    if unknown := [name for name in only if name not in known]:
        with contextlib.suppress(UsageError, CourseFault):
            if missing := say_missing(course.exercise(unknown[0]).needs):
                raise CannotHere(f"{unknown[0]} cannot be proved here. {missing}")
        raise UsageError(f"{unknown[0]} is neither a day nor an exercise of this course")
    return [piece for name, piece in known.items() if not only or name in only]


class _Provers:
    """Parallel judges that run the pieces, from the moment this object is made.

    `keep` gets each piece with its proofs, keeps what is to be kept in the cache, and says whether it
    counts as proved: `proved` names those. After `until`, by the monotonic clock, no piece begins.
    """

    def __init__(
        self,
        root: Path,
        todo: list[Piece],
        jobs: int,
        cold: bool,
        keep: Callable[[Piece, list[CourseProof]], bool] = _keep_if_sound,
        until: float | None = None,
    ) -> None:
        self.proved: list[str] = []
        self.seconds: dict[str, float] = {}  # that each piece took
        self._keep, self._until = keep, until
        self._root, self._cold = root, cold
        # Its `next` is atomic, so that no two threads get the same piece.
        self._waiting = iter(todo)
        self._results: queue.Queue[CourseProof | BaseException | None] = queue.Queue()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(jobs)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        try:
            with Judge(self._root, cold=self._cold) as judge:
                while not self._is_over() and (piece := next(self._waiting, None)):
                    proofs = []
                    began = time.perf_counter()
                    for proof in piece.prove(judge):
                        proofs.append(proof)
                        self._results.put(proof)
                    self.seconds[piece.name] = time.perf_counter() - began
                    if self._keep(piece, proofs):
                        self.proved.append(piece.name)
            self._results.put(None)
        except BaseException as error:
            self._results.put(error)

    def _is_over(self) -> bool:
        late = self._until is not None and time.monotonic() > self._until
        return late or self._stop.is_set()

    def proofs(self) -> Iterator[CourseProof]:
        """Yield every proof of every piece as soon as there is one."""
        try:
            for _ in self._threads:
                while (proof := self._results.get()) is not None:
                    if isinstance(proof, BaseException):
                        raise proof
                    yield proof
        except (KeyboardInterrupt, GeneratorExit):
            self._threads.clear()  # they and the judges' servers end with this process
            raise
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()


def _report(proofs: list[CourseProof], faults: list[str], seconds: float) -> dict[str, Any]:
    def bad(kind: str) -> list[str]:
        return [f"{p.name}: {p.fault}" for p in proofs if p.kind == kind and p.fault]

    def count(kind: str) -> int:
        return sum(p.kind == kind for p in proofs)

    wrong = [p for p in proofs if p.kind == "wrong"]
    return {
        "files": {"faults": faults},
        "cells": {"run": count("cell"), "failed": bad("cell")},
        "questions": {"computed": count("question"), "failed": bad("question")},
        "drills": {"proved": count("drill") - len(bad("drill")), "failed": bad("drill")},
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
        "promises": {
            "kept": count("promise") - len(bad("promise")),
            "failed": bad("promise"),
        },
        "references": {
            "sound": count("reference") - len(bad("reference")),
            "failed": bad("reference"),
        },
        "right": {"accepted": count("right") - len(bad("right")), "failed": bad("right")},
        "twists": {
            "accepted": count("twist") - len(bad("twist")),
            "failed": bad("twist") + bad("twist promise"),
        },
        "seconds": round(seconds, 1),
    }


def _count_twists(course: Course) -> dict[str, int]:
    """Return how many twists of the course have promises, and of how many the learner is asked."""
    exercises = []
    for folder in exercise_folders(course.root):
        with contextlib.suppress(CourseFault):
            exercises.append(course.exercise(folder.name))
    judged = sum(len(exercise.judged_twists) for exercise in exercises)
    return {"judged": judged, "asked": sum(len(e.twists) for e in exercises) - judged}


def _summary(report: dict[str, Any], sound: bool) -> None:
    drills = report["drills"]
    longest = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in report["longest"].items())
    days = ", ".join(f"day {day}: {count}" for day, count in drills["days"].items())
    click.echo(
        f"\ncells {report['cells']['run']} run, {len(report['cells']['failed'])} failed; "
        f"computed answers {report['questions']['computed']}, "
        f"{len(report['questions']['failed'])} failed\n"
        f"drills by the judge {drills['proved']} proved, {len(drills['failed'])} failed; "
        f"of any kind: {days or 'none'}\n"
        f"solutions {report['solutions']['passed']} passed, "
        f"{len(report['solutions']['failed'])} failed; "
        f"wrong answers {report['wrong']['rejected']} rejected, "
        f"{report['wrong']['named']} for their reason; "
        f"promises {report['promises']['kept']} judged, "
        f"{len(report['promises']['failed'])} failed\n"
        f"right answers of other styles {report['right']['accepted']} accepted, "
        f"{len(report['right']['failed'])} failed; "
        f"answers to twists {report['twists']['accepted']} accepted, "
        f"{len(report['twists']['failed'])} failed; "
        f"twists {report['twists']['judged']} judged, {report['twists']['asked']} asked\n"
        f"warnings {len(report['files']['warnings'])}; "
        f"coverage {report['coverage']['covered']} of {report['coverage']['of']}, "
        f"{len(report['coverage']['tags'])} by a section without a quote; "
        f"{report['seconds']} s\n"
        + (f"longest: {longest}\n" if report["proved"] > 1 else "")
        + f"{report['proved']} proved, {report['unchanged']} unchanged"
    )
    click.echo("The course holds." if sound else "The course does not hold: see above.")
