"""A session of the application, from opening the learner's record to closing it."""

from contextlib import AbstractContextManager

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.memory.record import open_or_read
from tutor.ui.app import TutorApp
from tutor.ui.kit.core import gc_tuning, textual_fixes


def run(opening: AbstractContextManager[object]) -> None:
    """Open the course and the learner's record, both inside `opening`, and show home. A record that
    cannot be written is opened to read. Raises `UsageError` if one of them cannot be read."""
    with opening:
        course = open_course()
        record = open_or_read(paths.record_file())
    if (course.root / "lessons" / "images").is_dir():
        from tutor.ui.kit.widgets import pictures

        pictures.prepare()
    gc_tuning.start_tuning()
    textual_fixes.outlive_the_terminal()
    app = TutorApp(course, record)
    try:
        app.run()
    finally:
        app.close_judge()
        record.close()
    if app.failure:
        raise app.failure
