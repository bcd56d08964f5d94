"""Opens a subject by its name, and so imports what its programs need."""

import importlib

from tutor.judge.worker.subjects.fx import Fx
from tutor.judge.worker.subjects.subject import Subject


def open_subject(name: str, *, only_read: bool = False, shapes: bool = False) -> Subject:
    """Return the subject of that name; the options are FX's."""
    if name == "fx":
        return Fx(only_read=only_read, shapes=shapes)
    module = importlib.import_module(f"tutor.judge.worker.subjects.{name}")
    made: Subject = module.SUBJECT()
    return made
