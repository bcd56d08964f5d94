"""Run every GPU cell of the course on this machine's GPU, and write what it printed.

    python tests/content/record_gpu_cells.py [--to lessons/recorded] [DAY …]

writes `gpu-day-NN.json` for each day that has such cells. The lessons show these files, marked with
device, date and versions, on machines without a GPU. A cell that fails, or prints what its lesson does
not expect, ends the program with status 1, and its day is not written.
"""

import argparse
import json
import os
import sys
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from tutor.authoring.proof import has_expected, run_cell
from tutor.base import paths
from tutor.course.catalog.course import Course, open_course
from tutor.course.model import Cell, Lesson
from tutor.course.recordings import GpuRecording, RecordedCell, code_key, gpu_recording_file
from tutor.judge.client import CellDone, Judge

_DEVICE = (
    "import torch, triton\n"
    "device = torch.cuda.get_device_name() if torch.cuda.is_available() else 'a CPU'\n"
    "versions = f'torch {torch.__version__}, triton {triton.__version__}'"
)


class Unrecorded(Exception):
    """A cell has no run to record; the text says why."""


def record_day(judge: Judge, lesson: Lesson) -> GpuRecording:
    """Run the lesson's cells in order, those for a GPU with them, and keep what these leave behind."""
    session = f"record-{lesson.day}"
    cells = {
        code_key(c): _run(judge, session, lesson, c) for c in lesson.cells if _is_needed(lesson, c)
    }
    known = {code_key(cell) for cell in lesson.cells if cell.needs_gpu}
    machine = _values(judge, session, _DEVICE, ("device", "versions"))
    judge.end_session(session)
    kept = {key: cell for key, cell in cells.items() if key in known}
    return GpuRecording(machine["device"], date.today(), machine["versions"], kept)


def _is_needed(lesson: Lesson, cell: Cell) -> bool:
    """True for a GPU cell, and for a cell that defines names for a later one."""
    later = [c for c in lesson.cells if c.needs_gpu and c.mode == cell.mode]
    return any(cell.index <= other.index for other in later)


def _run(judge: Judge, session: str, lesson: Lesson, cell: Cell) -> RecordedCell:
    where = f"{lesson.path.name}:{cell.line}"
    wanted = (cell.plot.x, *cell.plot.ys) if cell.plot else ()
    before = [c.code for c in lesson.cells if c.index < cell.index and c.mode == cell.mode]
    printed, done, no_figure = run_cell(judge, session, cell, before, wanted)
    if not done.ok:
        raise Unrecorded(f"{where}: {done.error}")
    missed = [text for text in cell.expect if not has_expected(text, printed)]
    if missed and cell.needs_gpu:
        raise Unrecorded(f"{where}: expected {missed[0]!r}, got {printed[-500:]!r}")
    if no_figure:
        raise Unrecorded(f"{where}: {no_figure}")
    return RecordedCell(printed, {name: done.values[name] for name in wanted})


def _values(judge: Judge, session: str, code: str, names: tuple[str, ...]) -> dict[str, Any]:
    for event in judge.run_cell(session, code, evaluate=names, seconds=60):
        if isinstance(event, CellDone):
            if not event.ok:
                raise Unrecorded(event.error)
            return event.values
    raise Unrecorded("no answer")


def write(recording: GpuRecording, path: Path) -> None:
    text = json.dumps(msgspec.to_builtins(recording), ensure_ascii=False, indent=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def lessons_with_gpu_cells(course: Course) -> list[Lesson]:
    found_ones = (course.lesson(day.day) for day in course.days)
    return [one for one in found_ones if one and any(c.needs_gpu for c in one.cells)]


def main() -> int:
    os.environ["PYTHONWARNINGS"] = "ignore"  # a warning names a path of this machine
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--to", type=Path, help="a folder; default: the lessons' own")
    parser.add_argument("days", type=int, nargs="*")
    chosen = parser.parse_args()
    course = open_course(paths.course_root())
    failed = 0
    with Judge(course.root) as judge:
        for lesson in lessons_with_gpu_cells(course):
            if chosen.days and lesson.day not in chosen.days:
                continue
            own = gpu_recording_file(lesson)
            path = chosen.to / own.name if chosen.to else own
            try:
                recording = record_day(judge, lesson)
            except Unrecorded as trouble:
                print(f"Day {lesson.day} is not written. {trouble}", file=sys.stderr)
                failed = 1
                continue
            write(recording, path)
            print(f"{path}: {len(recording.cells)} cells, {recording.describe_origin()}")
            for each in recording.cells.values():
                print(each.printed.rstrip())
    return failed


if __name__ == "__main__":
    sys.exit(main())
