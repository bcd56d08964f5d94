"""Checks of what runs and compiles kernels: the interpreter, Triton's compiler, g++, a GPU."""

import os
import shutil
import subprocess

from tutor.base.errors import CannotHere
from tutor.doctor.check_row import FAIL, OK, WARN, CheckRow
from tutor.doctor.probe_process import Found
from tutor.hardware import presence

_DRIVER_SETTINGS = "/proc/driver/nvidia/params"


def check_interpreter(finding: Found) -> CheckRow:
    """Check what the probe `interpreter` found: a kernel ran in Triton's interpreter, or why not."""
    if "error" in finding:
        said = f"a kernel does not run in it ({finding['error']})"
        return CheckRow(
            "interpreter", FAIL, said, "fix torch, triton and numpy above, in this order"
        )
    return CheckRow(
        "interpreter", OK, f"ran a kernel with a loop and a mask in {finding['ms']:.0f} ms"
    )


def check_compiler(finding: Found) -> CheckRow:
    """Check what the probe `offline` found: a kernel compiles without a GPU, or why not."""
    if "error" in finding:
        return CheckRow(
            "compiler",
            WARN,
            f"no kernel compiles for sm_90 ({finding['error']}): `run compile` cells that show PTX fail",
            "reinstall triton; its wheel carries the assembler it needs",
        )
    said = f"compiled a kernel for sm_90 without a GPU in {finding['ms']:.0f} ms"
    return CheckRow("compiler", OK, f"{said} ({finding['ptx']} bytes of PTX)")


def check_cplusplus() -> CheckRow:
    """Inductor writes C++ for the CPU; it takes `$CXX`, else g++ or clang++ from the path."""
    command = (os.environ.get("CXX") or "g++").split()[0]
    path = shutil.which(command) or shutil.which("clang++")
    if path is None:
        return CheckRow(
            "g++",
            WARN,
            f"no {command} or clang++ on the path: torch.compile cannot make code for the CPU",
            "install it (Debian, Ubuntu: apt install g++)",
        )
    return CheckRow("g++", OK, f"{_first_line([path, '--version'])} ({path})")


def looks_like_nvidia() -> bool:
    """Return True if this machine has an NVIDIA driver or its tools, even where no GPU works."""
    return presence.has_nvidia() or shutil.which("nvidia-smi") is not None


def report_no_gpu() -> CheckRow:
    """Make the row of a machine that is meant to have no GPU."""
    return CheckRow("GPU", OK, "none; kernels run in Triton's interpreter and are not timed")


def check_gpu(finding: Found, torch_finding: Found) -> CheckRow:
    """For a machine that has NVIDIA's driver."""
    driver = _driver()
    if "error" not in finding:
        cards = ", ".join(
            f"{g['name']} ({g['capability']}, {g['memory_gib']:.0f} GiB)" for g in finding["gpus"]
        )
        return CheckRow("GPU", OK, f"{cards}; driver {driver}; its context opens")
    said = f"driver {driver}, but torch cannot use the GPU ({finding['error']})"
    if "error" not in torch_finding and not torch_finding["cuda"]:
        remedy = "this torch is built for the CPU: install the CUDA build from pytorch.org"
    elif not os.access(presence.NVIDIA_CONTROL, os.R_OK | os.W_OK):
        remedy = (
            f"{presence.NVIDIA_CONTROL} cannot be opened: in a container, start it with --gpus all"
        )
    else:
        remedy = (
            "run nvidia-smi: the driver may be older than torch's CUDA version, or the GPU busy"
        )
    return CheckRow("GPU", WARN, f"{said}; kernels run in Triton's interpreter", remedy)


def check_counters() -> CheckRow:
    """Check whether `tutor check --counters` can read the GPU's counters: ncu, and the driver's leave.

    The driver says in /proc/driver/nvidia/params whether it lets others than administrators.
    """
    from tutor.judge.device_tools.nsight_compute import find_ncu

    try:
        where = find_ncu()
    except CannotHere as error:
        return CheckRow("counters", WARN, f"`tutor check --counters`: {error}", "install it")
    try:
        with open(_DRIVER_SETTINGS, encoding="utf-8", errors="replace") as file:
            restricted = "RmProfilingAdminOnly: 1" in file.read()
    except OSError:
        restricted = False
    if restricted and os.geteuid() != 0:
        return CheckRow(
            "counters",
            WARN,
            f"{where}, but the driver lets only an administrator read counters",
            "let it: NVreg_RestrictProfilingToAdminUsers=0 (NVIDIA, ERR_NVGPUCTRPERM)",
        )
    return CheckRow("counters", OK, f"{where}")


def _driver() -> str:
    if path := shutil.which("nvidia-smi"):
        said = _first_line([path, "--query-gpu=driver_version", "--format=csv,noheader"])
        if said[:1].isdigit():
            return said
    return "of unknown version"


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not answer: {error}"[:200]
    return (done.stdout.strip().splitlines() or ["says nothing"])[0][:200]
