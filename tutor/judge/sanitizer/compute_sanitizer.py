"""NVIDIA's compute-sanitizer on a learner's function: finding the tool, running it, reading its
report.

The judge's own watch sees every access that a kernel makes in the interpreter. This tool sees those
of the compiled kernel on the device, including shared memory. It is slow (seconds a tool) and runs
on demand.

The report's form is that of the manual's examples (Compute Sanitizer 2026.3, "Understanding Memcheck
Errors", "Understanding Racecheck Reports", "Using Initcheck"; the wheel nvidia-cuda-sanitizer-api
has the manual in its docs folder). Unrecognised text is shown as the tool wrote it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from glob import glob
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec import Struct

from tutor.base.errors import CannotHere
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.processes import process_control

TOOLS = ("memcheck", "racecheck", "initcheck")
SECONDS = 180.0  # for one tool
MOST_FINDINGS = 8  # of one tool; the first few are enough
_MOST_TEXT = 1 << 20  # bytes of a report that are read

_NAME = "compute-sanitizer"
_PREFIX = re.compile(r"^=========\s?(.*)$")
_PLACE = re.compile(  # in older versions the function stands last, in others it is missing
    r"\bat (?:(?P<function>[^\s(]+)(?:\(.*?\))?[+:])?0x[0-9a-f]+ in (?P<file>.+?):(?P<line>\d+)"
)
_BLOCK = re.compile(r"in block \((\d+),(\d+),(\d+)\)")
_ACCESS = re.compile(r"Invalid __(\w+)__ (read|write|atomic)\b.* of size ([\d,]+) bytes?")
_UNWRITTEN = re.compile(r"Uninitialized __(\w+)__ memory read of size ([\d,]+) bytes?")
_RACE = re.compile(r"Race reported between (\w+) access|Potential (\w+) hazard detected")
_NEAREST = re.compile(
    r"and is ([\d,]+ bytes (?:after|before)|inside) the nearest allocation"
    r".* of size ([\d,]+) bytes"
)
_SUMMARY = re.compile(r"ERROR SUMMARY: ([\d,]+) errors?|RACECHECK SUMMARY: ([\d,]+) hazards?")


class SanitizedCall(Struct, frozen=True):
    """The call that `case_process` makes. `reference` is the path of the exercise's reference.py."""

    source: str
    filename: str
    entry: str
    reference: str
    seed: int


@dataclass(frozen=True)
class Checked:
    """The result of one tool. `trouble` is the reason if the tool did not finish."""

    tool: str
    errors: int
    findings: tuple[Diagnosis, ...] = ()
    trouble: str = ""


def find_sanitizer() -> Path:
    """The tool, from PATH, CUDA_HOME, /usr/local/cuda* or NVIDIA's wheel. Raises `CannotHere`."""
    places = [shutil.which(_NAME) or ""]
    for home in (os.environ.get("CUDA_HOME", ""), *sorted(glob("/usr/local/cuda*"), reverse=True)):
        places += [f"{home}/bin/{_NAME}", f"{home}/{_NAME}/{_NAME}"] if home else []
    wheels = find_spec("nvidia")
    for folder in (wheels.submodule_search_locations or ()) if wheels else ():
        places += sorted(glob(f"{folder}/*/bin/{_NAME}")) + sorted(
            glob(f"{folder}/*/{_NAME}/{_NAME}")
        )
    for place in places:
        if place and os.access(place, os.X_OK) and os.path.isfile(place):
            return Path(place)
    raise CannotHere(
        f"{_NAME} is not here; it comes with the CUDA toolkit, or with "
        "`pip install nvidia-cuda-sanitizer-api`"
    )


def run_sanitizer(
    tool: str, where: Path, call: SanitizedCall, environment: dict[str, str]
) -> Checked:
    """Run `tutor.judge.sanitizer.case_process` on `call` under the tool, in a separate process
    group."""
    with tempfile.TemporaryDirectory(
        prefix="tutor-sanitizer-", ignore_cleanup_errors=True
    ) as folder:
        asked, report, printed, ended = (
            Path(folder) / name for name in ("call", "report", "printed", "ended")
        )
        asked.write_bytes(msgspec.json.encode(call))
        command = [
            str(where),
            "--tool",
            tool,
            "--log-file",
            str(report),
            "--show-backtrace",
            "no",
            "--print-limit",
            "100",
            sys.executable,
            "-m",
            "tutor.judge.sanitizer.case_process",
            str(asked),
            str(ended),
        ]
        # One allocation a tensor: torch's pool would hide accesses outside a tensor but inside the
        # pool.
        own = {**environment, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "TMPDIR": folder}
        with printed.open("wb") as output:
            process = subprocess.Popen(
                command,
                env=own,
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
        result = read_report(tool, _text(report), call.filename)
        if not trouble and (result is None or (not result[0] and not ended.exists())):
            last = _text(printed).strip().splitlines()[-1:] or ["nothing was printed"]
            trouble = f"the call did not get to its end: {last[0][:300]}"
        return Checked(tool, *(result or (0, ())), trouble)


def read_report(tool: str, report: str, filename: str) -> tuple[int, tuple[Diagnosis, ...]] | None:
    """Read errors and findings of a report; None if it has no summary, because it is then
    incomplete.

    Several threads at one place give one finding: the first.
    """
    summaries = [m for line in report.splitlines() if (m := _SUMMARY.search(line))]
    if not summaries:
        return None
    errors = int((summaries[-1].group(1) or summaries[-1].group(2)).replace(",", ""))
    findings: dict[tuple[str, ...], Diagnosis] = {}
    for block in _blocks(report):
        finding = _finding(tool, block, filename)
        if finding and len(findings) < MOST_FINDINGS:
            findings.setdefault(tuple(block[:2]), finding)  # the message and its instruction
    return errors, tuple(findings.values())


def _blocks(report: str) -> list[list[str]]:
    """Each message with the indented lines that belong to it, without the tool's `=========`."""
    blocks: list[list[str]] = []
    for raw in report.splitlines():
        match = _PREFIX.match(raw)
        text = match.group(1) if match else ""
        if text[:1].isspace() and blocks:
            blocks[-1].append(text.strip())
        elif text.startswith("and ") and blocks:  # the second half of a race
            blocks[-1].append(text)
        elif text:
            blocks.append([text])
    return blocks


def _finding(tool: str, block: list[str], filename: str) -> Diagnosis | None:
    whole = "\n".join(block)
    head = block[0]
    place = _PLACE.search(whole)
    own = place is not None and Path(place["file"]).name == Path(filename).name
    line = int(place["line"]) if place and own else None
    at = f" in `{place['function']}`" if place and place["function"] else ""
    program = _BLOCK.search(whole)
    where = (int(program[1]), int(program[2]), int(program[3])) if program else None

    def make_diagnosis(code: str, sentence: str) -> Diagnosis:
        return Diagnosis(code, sentence, line, where, whole)

    if access := _ACCESS.search(head):
        verb, code = {
            "read": ("reads", "out-of-bounds-load"),
            "write": ("writes", "out-of-bounds-store"),
        }.get(access[2], ("changes", "out-of-bounds-store"))
        if "misaligned" in whole:
            return make_diagnosis(
                "misaligned-access",
                f"{verb.capitalize()} {access[3]} bytes{at} at an address that is no "
                f"multiple of their size, in {access[1]} memory.",
            )
        near = _NEAREST.search(whole)
        distance = ""
        if near and near[1] != "inside":
            distance = f", {near[1]} the nearest allocation, which has {near[2]} bytes"
        return make_diagnosis(
            code,
            f"{verb.capitalize()} {access[3]} bytes of {access[1]} memory{at} outside "
            f"every allocation{distance}.",
        )
    if unwritten := _UNWRITTEN.search(head):
        return make_diagnosis(
            "uninitialized-load",
            f"Reads {unwritten[2]} bytes of {unwritten[1]} memory{at} that nothing has written.",
        )
    if _RACE.search(head):
        lines = [int(m["line"]) for m in _PLACE.finditer(whole)]
        both = f" (lines {lines[0]} and {lines[1]})" if own and len(lines) > 1 else ""
        return make_diagnosis(
            "race",
            f"Threads of one program meet in shared memory{at} without a barrier "
            f"between them{both}.",
        )
    if head.startswith(("Program hit", "Error:", "Internal Sanitizer Error", "Barrier error")):
        return make_diagnosis("crash", f"{tool}: {head}")
    return None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_TEXT).decode("utf-8", "replace")
    except OSError:
        return ""
