"""The identity of a judge's processes, by which a caller knows those that it would start itself: their
code, and what counts when torch is imported."""

import hashlib
import importlib.util
import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import tutor

# Variables that the loader, Python, numpy, torch and Triton read once, or that child processes of
# theirs read, by the beginnings of their names.
_READ_ONCE = (
    "LD_",
    "PYTHON",
    "OMP_",
    "GOMP_",
    "KMP_",
    "MKL_",
    "OPENBLAS_",
    "MALLOC_",
    "TORCH",
    "PYTORCH_",
    "TRITON_",
    "AMD_",
    "CUDA_",
    "NVIDIA_",
    "HIP_",
    "HSA_",
    "ROC",
    "SLURM_JOB_ID",
    "CC",
    "CXX",
)
_READ_LATE = ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUDA_CACHE_PATH")
_LIMITS = (
    "RLIMIT_AS",
    "RLIMIT_DATA",
    "RLIMIT_CPU",
    "RLIMIT_NPROC",
    "RLIMIT_NOFILE",
    "RLIMIT_FSIZE",
)


def version() -> str:
    """Return this program's version, with a digest of its files and of what it imports: a judge that
    runs while the program or torch is changed is not used again."""
    root = Path(tutor.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for name, stamp in sorted(_stamps(str(root))):
        digest.update(f"{name} {stamp}\n".encode("utf-8", "surrogateescape"))
    for package in ("torch", "triton", "numpy"):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin:
            digest.update(f"{spec.origin} {_stamp(spec.origin)}\n".encode())
    return f"{tutor.__version__} {digest.hexdigest()} {sys.executable}"


def _stamps(folder: str) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                about = entry.stat()
                yield entry.path, f"{about.st_mtime_ns} {about.st_size}"
            elif entry.name not in ("__pycache__", "ui", "_course") and entry.is_dir():
                yield from _stamps(entry.path)


def _stamp(path: str) -> str:
    try:
        about = os.stat(path)
    except OSError:
        return ""
    return f"{about.st_mtime_ns} {about.st_size}"


def imports(environment: dict[bytes, bytes]) -> str:
    """Return a digest of what counts when torch is imported: variables and limits (setrlimit(2))."""
    digest = hashlib.blake2b(digest_size=8)
    beginnings = tuple(name.encode() for name in _READ_ONCE)
    late = {name.encode() for name in _READ_LATE}
    for name, value in sorted(environment.items()):
        if name.startswith(beginnings) and name not in late:
            digest.update(name + b"=" + value + b"\0")
    for limit in _LIMITS:
        digest.update(str(resource.getrlimit(getattr(resource, limit))[0]).encode() + b"\0")
    return digest.hexdigest()
