"""Call a learner's function once on the GPU, under a tool of NVIDIA's."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec import Struct

from tutor.base.errors import CannotHere
from tutor.judge.processes import process_control

SECONDS = 180.0  # for one run of a tool
_MOST_TEXT = 1 << 20  # bytes of a report that are read


class DeviceCall(Struct, frozen=True):
    """The call that `case_process` makes. `reference` is the path of the exercise's reference.py."""

    source: str
    filename: str
    entry: str
    reference: str
    seed: int


@dataclass(frozen=True)
class ToolRun:
    """A tool's run. `case` is the name of the case that was called; "" if the call did not end.
    `trouble`: why the tool did not finish; `last` is the last line that was printed."""

    report: str
    case: str
    last: str
    trouble: str = ""


def find_tool(name: str, folders: Sequence[str], install: str) -> Path:
    """Return the tool, from PATH, CUDA_HOME, /usr/local/cuda*, `folders` (patterns) or NVIDIA's wheels.

    Raises `CannotHere` with `install`, the half-sentence that says where it comes from.
    """
    places = [shutil.which(name) or ""]
    for home in (os.environ.get("CUDA_HOME", ""), *sorted(glob("/usr/local/cuda*"), reverse=True)):
        places += [f"{home}/bin/{name}", f"{home}/{name}/{name}"] if home else []
    for pattern in folders:
        places += sorted(glob(f"{pattern}/{name}"), reverse=True)
    wheels = find_spec("nvidia")
    for folder in (wheels.submodule_search_locations or ()) if wheels else ():
        places += sorted(glob(f"{folder}/*/bin/{name}")) + sorted(glob(f"{folder}/*/{name}/{name}"))
    for place in places:
        if place and os.access(place, os.X_OK) and os.path.isfile(place):
            return Path(place)
    raise CannotHere(f"{name} is not here; {install}")


def run_under(
    tool: Path,
    options: Sequence[str],
    report_option: str,
    call: DeviceCall,
    environment: dict[str, str],
) -> ToolRun:
    """Run `tutor.judge.device_tools.case_process` on `call` under the tool, in a process group of its
    own. `report_option` names the file that the tool writes its report to."""
    with tempfile.TemporaryDirectory(prefix="tutor-tool-", ignore_cleanup_errors=True) as folder:
        asked, report, printed, ended = (
            Path(folder) / name for name in ("call", "report", "printed", "ended")
        )
        asked.write_bytes(msgspec.json.encode(call))
        command = [
            str(tool),
            *options,
            report_option,
            str(report),
            sys.executable,
            "-m",
            "tutor.judge.device_tools.case_process",
            str(asked),
            str(ended),
        ]
        with printed.open("wb") as output:
            process = subprocess.Popen(
                command,
                env={**environment, "TMPDIR": folder},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            try:
                process.wait(SECONDS)
                trouble = ""
            except subprocess.TimeoutExpired:
                trouble = f"not finished after {SECONDS:g} s"
            finally:
                process_control.kill_group(process.pid)
                process.wait()
        last = _text(printed).strip().splitlines()[-1:] or ["nothing was printed"]
        return ToolRun(_text(report), _text(ended), last[0][:300], trouble)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_TEXT).decode("utf-8", "replace")
    except OSError:
        return ""
