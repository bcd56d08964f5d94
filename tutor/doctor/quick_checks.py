"""Checks of this machine for the first run: the doctor's quick ones, then the slow ones."""

import os
import sys
from collections.abc import Callable, Iterator

from tutor.base import paths
from tutor.doctor import devices, environment, packages
from tutor.doctor.check_row import CheckRow
from tutor.doctor.probe_process import ProbeProcess, run_probe


def run_quick_checks(columns: int, rows: int) -> Iterator[CheckRow]:
    """Yield the rows that are known at once. The application draws on a terminal of this size."""
    encoding = sys.__stdout__.encoding if sys.__stdout__ else ""
    yield packages.check_installed()
    yield environment.check_drawing(os.environ, columns, rows, encoding)
    yield environment.check_folder("data folder", paths.data_dir(), needed=True)
    yield devices.check_cplusplus()
    if not devices.looks_like_nvidia():
        yield devices.report_no_gpu()


def run_slow_checks(stopped: Callable[[], bool]) -> Iterator[CheckRow]:
    """Yield the rows that need a process with torch, each as soon as it is known. Once `stopped()` is
    true no more come."""
    with ProbeProcess() as process:
        if devices.looks_like_nvidia():
            torch = process.find("torch", stopped=stopped)
            finding = process.find("gpu", stopped=stopped)
            if stopped():
                return
            yield devices.check_gpu(finding, torch)
            yield devices.check_counters()
        finding = run_probe("interpreter", stopped=stopped)
        if stopped():
            return
        yield devices.check_interpreter(finding)
        finding = process.find("offline", stopped=stopped)
        if stopped():
            return
        yield devices.check_compiler(finding)
