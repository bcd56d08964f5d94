"""The sandbox in which the judge's processes run for a course pack, whose programs are others' code.

bubblewrap makes it: no network, the home and data folders hidden, every other file read-only, no other
process in sight. Without bubblewrap, or where the system lets no user make one, there is none.
"""

import glob
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import tutor
from tutor.base import paths

_ALONE = ("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent")
_DEVICES = ("/dev/nvidia*", "/dev/kfd", "/dev/dri")
# The variables that its processes get, by their beginnings: others may hold secrets.
_KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_",
    "TZ",
    "TUTOR_",
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
    "CUDA_",
    "NVIDIA_",
    "HIP_",
    "HSA_",
    "ROC",
    "CC",
    "CXX",
)


def is_pack(course_root: Path) -> bool:
    """Return True if the course is a pack."""
    return (course_root / "pack.toml").exists()


@cache
def is_available() -> bool:
    """Return True if bubblewrap is here and may make a sandbox."""
    if shutil.which("bwrap") is None:
        return False
    probe = ["bwrap", *_ALONE, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def find_cache_folder(course_root: Path) -> Path:
    """Return the folder of the pack's own caches: it must not write what other courses load."""
    return paths.cache_dir() / "packs" / (paths.pack_name() or course_root.name)


def wrap_command(course_root: Path, words: list[str]) -> list[str]:
    """Return the command that runs `words` in the sandbox."""
    cache_folder = paths.ensure(find_cache_folder(course_root))
    hidden = [Path("/tmp"), Path("/run"), Path.home(), paths.data_dir()]
    arguments = ["bwrap", *_ALONE, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for device in (path for pattern in _DEVICES for path in glob.glob(pattern)):
        arguments += ["--dev-bind", device, device]
    for folder in dict.fromkeys(path.resolve() for path in hidden if path.is_dir()):
        arguments += ["--tmpfs", str(folder)]
    needed = {Path(sys.prefix), Path(sys.base_prefix), Path(tutor.__file__).parent, course_root}
    needed |= {Path(path) for path in sys.path if path}
    for path in sorted({path.resolve() for path in needed if path.exists()}):
        arguments += ["--ro-bind", str(path), str(path)]
    arguments += ["--bind", str(cache_folder), str(cache_folder), "--chdir", "/"]
    return [*arguments, *words]


def select_variables(environment: dict[str, str]) -> dict[str, str]:
    """Return the variables that processes in the sandbox get."""
    return {name: value for name, value in environment.items() if name.startswith(_KEPT)}
