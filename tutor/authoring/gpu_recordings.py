"""Warnings about the recordings of GPU cells, which a machine without a GPU cannot make again."""

from collections.abc import Iterator

from tutor.base.errors import UsageError
from tutor.course.catalog.course import Course
from tutor.course.model import Lesson
from tutor.course.recordings import code_key, gpu_recording, gpu_recording_file


def recording_warnings(course: Course) -> Iterator[str]:
    """Say which GPU cells have no recording, and which recorded cells their lesson no longer has."""
    for lesson in course.sound_lessons():
        yield from _warnings(lesson)


def _warnings(lesson: Lesson) -> Iterator[str]:
    try:
        recording = gpu_recording(lesson)
    except UsageError as error:
        yield str(error)
        return
    cells = {code_key(cell): cell for cell in lesson.cells if cell.needs_gpu}
    known = recording.cells if recording else {}
    for key, cell in cells.items():
        if key not in known:
            yield f"{lesson.path}:{cell.line}: this GPU cell has no recording"
    if stale := len(set(known) - set(cells)):
        yield f"{gpu_recording_file(lesson)}: {stale} of its cells are not in the lesson"
