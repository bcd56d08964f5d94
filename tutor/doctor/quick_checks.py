"""Checks of this machine for the first run: the doctor's quick ones, then the slow ones."""

import os
import sys
from collections.abc import Callable, Iterator

from tutor.base import paths
from tutor.doctor import devices, environment, packages
from tutor.doctor.check_row import CheckRow
from tutor.doctor.probe_process import probe


def quick(columns: int, rows: int) -> Iterator[CheckRow]:
    """Yield the rows that are known at once. The application draws on a terminal of this size."""
    encoding = sys.__stdout__.encoding if sys.__stdout__ else ""
    yield packages.installed()
    yield environment.drawn_on(os.environ, columns, rows, encoding)
    yield environment.folder("data folder", paths.data_dir(), needed=True)
    yield devices.cplusplus()
    if not devices.looks_like_nvidia():
        yield devices.no_gpu()


def slow(stopped: Callable[[], bool]) -> Iterator[CheckRow]:
    """Yield the rows that need a process with torch, each as soon as it is known. Once `stopped()` is
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
