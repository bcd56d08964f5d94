"""Measured speed of this machine's devices. `tutor doctor --measure` measures it once and keeps it
in a file. Limits of times are computed from it. No torch in here.
"""

import json
import math
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tutor.base import atomic_files, paths
from tutor.base.errors import UsageError

BANDWIDTH = "bandwidth"
KINDS = (BANDWIDTH, "fp32", "tf32", "fp16", "bf16")


@dataclass(frozen=True)
class Figure:
    """A median with its 95 % interval: bytes a second for the bandwidth, else FLOP a second."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class MeasuredPeaks:
    """A device's figures by kind, of `KINDS`; the day (ISO 8601) and torch they were taken with."""

    device: str
    figures: Mapping[str, Figure]
    day: str
    torch: str


def peaks_file() -> Path:
    """Return the path of the file in which `tutor doctor --measure` keeps the speeds."""
    return paths.data_dir() / "ceilings.json"


def processor() -> str:
    """Return the name of this machine's processor, with the cores that this process may use."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0))
    return f"{names[0] if names else platform.machine()}, {cores} core{'s' * (cores != 1)}"


def read_peaks() -> dict[str, MeasuredPeaks]:
    """By device, as the driver or the processor names it; empty where nothing was measured yet.

    A damaged file counts as missing; the next measurement replaces it.
    """
    import msgspec  # here, so that the program's start does not wait for it

    try:
        kept = json.loads(peaks_file().read_text(encoding="utf-8"))["devices"]
        peaks_by_device = {
            n: msgspec.convert({"device": n, **p}, MeasuredPeaks) for n, p in kept.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    figures = [figure for peaks in peaks_by_device.values() for figure in peaks.figures.values()]
    sound = all(0 < f.low <= f.median <= f.high < math.inf for f in figures)
    return peaks_by_device if sound else {}


def keep_peaks(new: MeasuredPeaks) -> None:
    """Add it to the figures of other devices. Raises `UsageError` where the file cannot be written."""
    kept = read_peaks() | {new.device: new}
    try:
        paths.ensure(peaks_file().parent)
        devices = {name: asdict(peaks) for name, peaks in kept.items()}
        text = json.dumps({"devices": devices}, indent=1)
        atomic_files.write(peaks_file(), text + "\n")
    except OSError as error:
        raise UsageError(f"cannot write {peaks_file()}: {error}") from None
