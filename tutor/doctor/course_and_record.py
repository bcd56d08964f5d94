"""The course, the learner's record, and the judge with both."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tutor.base import paths
from tutor.base.errors import CannotHere, UsageError
from tutor.base.number_text import plural
from tutor.base.runner_table import Runner
from tutor.course.catalog.course import Course, open_course
from tutor.doctor.check_row import FAIL, OK, WARN, CheckRow
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Verdict
from tutor.memory.store import backups
from tutor.memory.store.connection import find_fault
from tutor.memory.store.schema import VERSION, read_version, row_count

_JUDGED = "vector_add"


def check_course() -> tuple[CheckRow, Course | None]:
    """Check that the course can be read. Returns the row, and the course unless it cannot be
    opened."""
    try:
        opened = open_course()
        overview = opened.overview()
    except UsageError as error:
        return CheckRow("course", FAIL, str(error), "install tutor again"), None
    written = sum(day.written for day in overview.days)
    facts = f"{opened.root}: {written} of {len(overview.days)} days written, "
    facts += f"{len(overview.exercises)} exercises"
    if overview.faults:
        remedy = (
            "`tutor content check` lists every mistake; install tutor again if you changed none"
        )
        return CheckRow("course", WARN, f"{facts}; left out: {overview.faults[0]}", remedy), opened
    return CheckRow("course", OK, facts), opened


def check_record(path: Path) -> CheckRow:
    """Check that the record is whole and of a known version. The file is only read."""
    if not path.exists():
        return CheckRow("record", OK, f"none yet; it will be {path}")
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            fault = find_fault(connection)
            version = read_version(connection)
            rows = row_count(connection) if not fault and version else 0
    except sqlite3.OperationalError as error:
        remedy = "close other programs that use it; see the data folder above"
        return CheckRow("record", FAIL, f"{path} cannot be read ({error})", remedy)
    except sqlite3.DatabaseError as error:
        fault, version, rows = str(error), 0, 0
    if fault:
        newest = backups.newest_sound(path)
        remedy = "start tutor: it puts the file aside and "
        remedy += f"restores the backup of {newest[0]:%Y-%m-%d %H:%M}" if newest else "begins anew"
        return CheckRow("record", FAIL, f"{path} is damaged ({fault})", remedy)
    if version > VERSION:
        facts = f"{path} is of version {version}, this tutor knows up to {VERSION}"
        return CheckRow(
            "record", FAIL, facts, "install the newest tutor, or set TUTOR_HOME elsewhere"
        )
    copies = len(backups.list_backups(backups.folder_of(path)))
    entries, backed_up = plural(rows, "entry", "entries"), plural(copies, "backup")
    return CheckRow("record", OK, f"{path}: {entries}, whole; {backed_up}")


def check_judge(opened: Course, runner: Runner | None = None) -> CheckRow:
    """Submit a worked solution, as a learner would."""
    log = paths.judge_dir() / "judge.log"
    remedy = f"run {runner.there(*runner.tutor, 'doctor')}" if runner else f"see {log}"
    try:
        source = opened.exercise(_JUDGED).solution.read_text("utf-8")
        with Judge(opened.root, runner=runner) as started:
            verdict = None
            for event in started.submit(Submission(_JUDGED, source, "doctor.py", timing=False)):
                if isinstance(event, Verdict):
                    verdict = event
    except (CannotHere, UsageError, OSError) as error:
        return CheckRow("judge", FAIL, f"it judges nothing ({error})", remedy)
    if verdict is None or not verdict.passed:
        causes = verdict.diagnosis if verdict else ()
        said = causes[0].message if causes else "no verdict came"
        return CheckRow(
            "judge", FAIL, f"it does not call {_JUDGED}'s solution right: {said}", remedy
        )
    took = verdict.latency_ms.total if verdict.latency_ms else 0.0
    facts = f"{_JUDGED}: right on {len(verdict.cases)} cases in {took:.0f} ms ({verdict.device})"
    return CheckRow("judge", OK, facts)
