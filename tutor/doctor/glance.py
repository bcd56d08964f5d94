"""What this machine can do, for the first run: the doctor's quick looks, then the slow ones."""

import os
import sys
from collections.abc import Callable, Iterator

from tutor import paths
from tutor.doctor import devices, packages, surroundings
from tutor.doctor.probing import probe
from tutor.doctor.row import Row


def quick(columns: int, rows: int) -> Iterator[Row]:
    """What is known at once, for an application that draws on a terminal of this size."""
    encoding = sys.__stdout__.encoding if sys.__stdout__ else ""
    yield packages.installed()
    yield surroundings.drawn_on(os.environ, columns, rows, encoding)
    yield surroundings.folder("data folder", paths.data_dir(), needed=True)
    yield devices.cplusplus()
    if not devices.looks_like_nvidia():
        yield devices.no_gpu()


def slow(stopped: Callable[[], bool]) -> Iterator[Row]:
    """What takes a process that imports torch, each row as soon as it is known. Once `stopped()` is
    true no more come."""
    if devices.looks_like_nvidia():
        torch = probe("torch", stopped=stopped)
        found = probe("gpu", stopped=stopped)
        if stopped():
            return
        yield devices.gpu(found, torch)
    for name, row in (("interpreter", devices.interpreter), ("offline", devices.offline)):
        found = probe(name, stopped=stopped)
        if stopped():
            return
        yield row(found)
