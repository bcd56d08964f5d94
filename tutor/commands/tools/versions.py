"""Versions and places for a bug report; nothing heavy is imported."""

import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from tutor import __version__
from tutor.base import paths

PACKAGES = ("torch", "triton", "numpy", "textual", "pygments", "click", "fsrs")
_DRIVER = Path("/proc/driver/nvidia/version")


def version_lines() -> Iterator[str]:
    """Yield the lines of `tutor --version`."""
    yield f"tutor {__version__}"
    yield f"Python {platform.python_version()}, {platform.platform()}"
    yield ", ".join(f"{name} {package_version(name)}" for name in PACKAGES)
    yield f"NVIDIA driver: {_driver()}"
    terminal = (os.environ.get(name, "") for name in ("TERM", "COLORTERM", "TERM_PROGRAM"))
    yield f"terminal: {' '.join(t for t in terminal if t) or 'none'}"
    yield f"course: {paths.course_root()}"
    yield f"data: {paths.data_dir()}"


def package_version(name: str, missing: str = "not installed") -> str:
    """Return a package's version without importing the package."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return missing


def _driver() -> str:
    try:
        first = _DRIVER.read_text(encoding="utf-8").splitlines()[0]
    except (OSError, IndexError):
        return "none"
    return first.removeprefix("NVRM version:").strip()
