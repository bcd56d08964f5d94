"""Checks of this machine for the first run: the doctor's quick ones, then the slow ones."""

import os
import sys
from collections.abc import Callable, Iterator

from tutor.base import paths
from tutor.doctor import devices, environment, packages
from tutor.doctor.check_row import CheckRow
from tutor.doctor.probe_process import ProbeProcess, probe


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
    with ProbeProcess() as process:
        if devices.looks_like_nvidia():
            torch = process.find("torch", stopped=stopped)
            found = process.find("gpu", stopped=stopped)
            if stopped():
                return
            yield devices.gpu(found, torch)
        found = probe("interpreter", stopped=stopped)
        if stopped():
            return
        yield devices.interpreter(found)
        found = process.find("offline", stopped=stopped)
        if stopped():
            return
        yield devices.offline(found)
