"""Proofs that were made before and still hold, one file each in the cache folder.

The file's name is a digest of all that the proof depends on: files of the course, the program's own
sources, versions of packages, the machine. Only successes are kept, but of a long experiment all
that came out of it. A proof that is not used for `KEPT_DAYS` is forgotten.
"""

import hashlib
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tutor.base import paths
from tutor.hardware import presence

KEPT_DAYS = 30
# What runs when a proof is made.
_PACKAGES = ("authoring", "base", "course", "hardware", "judge", "quiz", "xray")
_LIBRARIES = ("torch", "triton", "numpy", "llvmlite", "apache-tvm")
_DRIVER = Path("/proc/driver/nvidia/version")


def compute_key(root: Path, name: str, files: Iterable[Path], seed: int) -> str:
    """The key of a proof of `name` on inputs of `seed`, which reads `files` of the course in `root`."""
    digest = hashlib.sha256(f"{hash_surroundings()}\n{name}\n{seed}\n".encode())
    for path in sorted(set(files)):
        _add(digest, str(path.relative_to(root)), path)
    return digest.hexdigest()


@cache
def hash_surroundings() -> str:
    """A digest of the program's sources, the libraries' versions and this machine's devices."""
    tutor = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((tutor / package).rglob("*")):
            if path.suffix in (".py", ".toml"):  # its tables too
                _add(digest, str(path.relative_to(tutor)), path)
    facts = [sys.version, platform.machine(), str(presence.has_nvidia()), str(shutil.which("g++"))]
    facts += [f"{name} {_find_version(name)}" for name in _LIBRARIES]
    if presence.has_nvidia():
        facts.append(os.environ.get("CUDA_VISIBLE_DEVICES", ""))
        facts.append(_DRIVER.read_text("utf-8") if _DRIVER.exists() else "")
        facts += sorted(gpu.name for gpu in Path("/proc/driver/nvidia/gpus").glob("*"))
    digest.update("\n".join(facts).encode())
    return digest.hexdigest()


def is_proved(key: str) -> bool:
    """Return True if the proof was made before; it is kept for longer then."""
    try:
        os.utime(_find_folder() / key)
    except OSError:
        return False
    return True


def keep_proof(key: str) -> None:
    """Keep a proof that holds. A cache that cannot be written keeps nothing."""
    try:
        folder = paths.ensure(_find_folder())
        (folder / key).touch()
    except OSError:
        return


def keep_outcomes(key: str, outcomes: list[tuple[str, str, str]]) -> None:
    """Keep what came out of an experiment: kind, name and fault of each of its proofs."""
    try:
        folder = paths.ensure(_find_folder())
        written = folder / f"{key}.{os.getpid()}"
        written.write_text(json.dumps(outcomes), encoding="utf-8")
        written.replace(folder / key)
    except OSError:
        return


def read_outcomes(key: str) -> list[tuple[str, str, str]] | None:
    """Return what is kept of an experiment, None if it was not made or cannot be read."""
    if not is_proved(key):
        return None
    try:
        rows = json.loads((_find_folder() / key).read_text(encoding="utf-8"))
        return [(str(kind), str(name), str(fault)) for kind, name, fault in rows]
    except (OSError, ValueError, TypeError):
        return None


def forget_old_proofs() -> None:
    """Remove the proofs that nothing used for `KEPT_DAYS`."""
    oldest = time.time() - KEPT_DAYS * 86400
    for path in _find_folder().glob("*"):
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except OSError:
            continue


def _find_folder() -> Path:
    return paths.cache_dir() / "proofs"


def _find_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _add(digest: Any, name: str, path: Path) -> None:
    data = path.read_bytes()
    digest.update(f"{name} {len(data)}\n".encode())
    digest.update(data)
