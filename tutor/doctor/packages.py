"""Python and the packages, and whether they fit each other."""

import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata

from tutor.doctor.check_row import FAIL, OK, WARN, CheckRow
from tutor.doctor.probe_process import Found
from tutor.doctor.tried_versions import describe_trial, tried_pairs
from tutor.xray.model.compiler import COMPILERS

OLDEST_PYTHON = (3, 10)
OLDEST, TOO_NEW = (2, 11), (2, 16)  # of torch: what pyproject.toml asks for
# Each torch release for Linux requires one Triton release (the Requires-Dist of its wheels).
PAIRS = {"2.11": "3.6", "2.12": "3.7", "2.13": "3.7", "2.14": "3.8", "2.15": "3.9"}
_INSTALL = f"{sys.executable} -m pip install"


def check_python() -> CheckRow:
    """Check that this Python is new enough."""
    facts = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info < OLDEST_PYTHON:
        return CheckRow("Python", FAIL, facts, "install Python 3.10 or newer, and tutor in it")
    return CheckRow("Python", OK, facts)


def check_installed() -> CheckRow:
    """Return the versions of Python and of the packages that kernels need. Nothing is imported."""
    names, lacking = [f"Python {platform.python_version()}"], []
    for name in ("torch", "triton", "numpy"):
        try:
            names.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lacking.append(name)
    facts = ", ".join(names)
    if lacking:
        remedy = f"{_INSTALL} {' '.join(lacking)}"
        said = f"{facts}; {', '.join(lacking)} not installed: exercises and live cells do not run"
        return CheckRow("Python", FAIL, said, remedy)
    return CheckRow("Python", OK, facts)


def check_system() -> CheckRow:
    """The judge needs Linux: memory files, fork, and a parent process that sees every child end."""
    facts = f"{platform.system()} {platform.release()} on {platform.machine()}"
    if platform.system() != "Linux":
        remedy = (
            "lessons and quizzes work here; for exercises use Linux, WSL 2 or a Linux container"
        )
        return CheckRow("system", FAIL, f"{facts}: the judge runs on Linux only", remedy)
    return CheckRow("system", OK, facts)


def check_torch(finding: Found) -> CheckRow:
    """Check what the probe `torch` found: that torch is there and of a version that the program was
    made for."""
    if "error" in finding:
        return _missing_row("torch", finding, "torch>=2.11,<2.16")
    version, cuda = str(finding["version"]), finding["cuda"]
    built = f"{version}, built for CUDA {cuda}" if cuda else f"{version}, built for the CPU"
    if not OLDEST <= _numbers(version) < TOO_NEW:
        remedy = f"{_INSTALL} 'torch>=2.11,<2.16'"
        return CheckRow("torch", WARN, f"{built}; tutor was made for 2.11 to 2.15", remedy)
    return CheckRow("torch", OK, built)


def check_triton(finding: Found, torch_finding: Found) -> CheckRow:
    """Check what the probe `triton` found: that triton is there and belongs to the torch beside it."""
    if "error" in finding:
        return _missing_row("triton", finding, "triton")
    version = str(finding["version"])
    if "error" in torch_finding:
        return CheckRow("triton", OK, version)
    torch_version = str(torch_finding["version"])
    wanted = PAIRS.get(_release(torch_version))
    if wanted is None:
        return CheckRow("triton", OK, f"{version}, beside torch {torch_version}")
    if _release(version) != wanted:
        return CheckRow(
            "triton",
            WARN,
            f"{version}, but torch {torch_version} was made with triton {wanted}: "
            "torch.compile may fail for a GPU",
            f"{_INSTALL} 'triton=={wanted}.*'",
        )
    trial = describe_trial(torch_version, version, tried_pairs())
    return CheckRow("triton", OK, f"{version}, which fits torch {torch_version}; {trial}")


def check_numpy(finding: Found) -> CheckRow:
    """Triton's interpreter computes with NumPy."""
    if "error" in finding:
        return _missing_row("numpy", finding, "numpy>=2.0")
    return CheckRow("numpy", OK, str(finding["version"]))


def _missing_row(package: str, finding: Found, requirement: str) -> CheckRow:
    said = f"cannot be imported ({finding['error']}): exercises and live cells do not run"
    return CheckRow(package, FAIL, said, f"{_INSTALL} '{requirement}'")


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _numbers(version: str) -> tuple[int, int]:
    """`2.13.0+cpu` -> (2, 13); (0, 0) if it cannot be read."""
    parts = version.split(".")
    try:
        return int(parts[0]), int(parts[1])
    except (ValueError, IndexError):
        return (0, 0)


def check_compilers() -> Iterator[CheckRow]:
    """Yield a row for each compiler beside Inductor: its version, or the line that installs it. None is
    imported; what is missing is no fault."""
    for compiler in COMPILERS.values():
        if not compiler.extra.packages:  # PyTorch's own
            continue
        if compiler.is_here():
            yield CheckRow(
                compiler.name, OK, f"{compiler.title}: {_versions(compiler.extra.packages)}"
            )
        else:
            yield CheckRow(compiler.name, OK, f"optional. {compiler.say_missing()}")


def _versions(packages: tuple[str, ...]) -> str:
    """Return `apache-tvm 0.27.0, apache-tvm-ffi 0.1.14` for requirements of these packages."""
    names = [re.split(r"[<>=!~;\[ ]", package)[0] for package in packages]
    return ", ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "of an unknown version"
