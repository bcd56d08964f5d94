"""Recorded output of what may not run here: programs that are not installed, and cells for a GPU.

`lessons/recorded/day-NN.json` has the first:

    {"made_with": "llvmlite 0.50.0, LLVM 22.1", "said": {"NAME": "text", …}}

A live cell shows such a text, and says that it is recorded, where an optional package is missing. Tests
make every text again with the package and compare (`tests/content/test_corrections_day15.py`).

`lessons/recorded/gpu-day-NN.json` has the second, by the digest of a cell's code, so that a cell that
was changed has none: `GpuRecording`. `tests/content/record_gpu_cells.py` makes it.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from tutor.base.errors import UsageError
from tutor.base.paths import course_root
from tutor.course.model import Cell, Lesson
from tutor.course.plot import CellPlot, plot_of


@dataclass(frozen=True)
class Transcript:
    """`made_with`: program and versions. `said`: what it printed or returned, by name."""

    made_with: str
    said: dict[str, Any]


def transcript_file(day: int) -> Path:
    """Return the path of the texts recorded for a day of the course; it may be missing."""
    return course_root() / "lessons" / "recorded" / f"day-{day:02d}.json"


def recorded(day: int) -> Transcript:
    """The transcript of a day. Raises `UsageError` where there is none."""
    path = transcript_file(day)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: nothing is recorded for day {day}") from None
    return Transcript(str(data["made_with"]), dict(data["said"]))


class RecordedCell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The output of a cell on a GPU, and the values that its plot needs."""

    printed: str
    values: dict[str, Any] = {}


class GpuRecording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The GPU cells of a lesson as they ran on `device`. `cells`: by `code_key`."""

    device: str
    date: date
    versions: str
    cells: dict[str, RecordedCell]

    def describe_origin(self) -> str:
        """Say where and when it was recorded."""
        day = f"{self.date.day} {self.date:%B %Y}"
        return f"recorded on one {self.device} ({self.versions}), {day}"


def gpu_recording_file(lesson: Lesson) -> Path:
    """Return the path of what a lesson's GPU cells printed where they were recorded; it may be
    missing."""
    return lesson.path.parent / "recorded" / f"gpu-day-{lesson.day:02d}.json"


def gpu_recording(lesson: Lesson) -> GpuRecording | None:
    """The recording of a lesson's GPU cells; None without one. Raises `UsageError` for a file that is
    no recording."""
    path = gpu_recording_file(lesson)
    try:
        return msgspec.json.decode(path.read_bytes(), type=GpuRecording)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: no recording of GPU cells: {error}") from None


def code_key(cell: Cell) -> str:
    """The name of a cell's code in a recording."""
    return hashlib.sha256(cell.code.encode()).hexdigest()[:16]


def prints_recording(printed: str) -> bool:
    """Return True if what a cell printed has the mark of a recording: the word in capitals, or at the
    beginning of a line."""
    return re.search(r"\bRECORDED\b|^\(?recorded\b", printed, re.MULTILINE) is not None


@dataclass(frozen=True)
class RecordedRun:
    """A recorded run of a cell, for a page: the mark, the output, and the plot or a sentence for it."""

    marked: str
    printed: str
    plot: CellPlot | str


def find_recorded_runs(lesson: Lesson) -> dict[int, RecordedRun]:
    """The recorded runs of a lesson's GPU cells by the cells' index. A cell without one is not there."""
    try:
        recording = gpu_recording(lesson)
    except UsageError:
        recording = None  # `tutor content check` reports it
    runs: dict[int, RecordedRun] = {}
    for cell in lesson.cells if recording else ():
        known = recording.cells.get(code_key(cell)) if recording and cell.needs_gpu else None
        if recording and known:
            plot = _read_plot(cell, known)
            runs[cell.index] = RecordedRun(recording.describe_origin(), known.printed, plot)
    return runs


def _read_plot(cell: Cell, known: RecordedCell) -> CellPlot | str:
    """The plot of a recorded cell; a sentence where it cannot be drawn, "" for a cell without one."""
    try:
        return plot_of(cell.plot, known.values) if cell.plot else ""
    except UsageError as error:
        return str(error)
