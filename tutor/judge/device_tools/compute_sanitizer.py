"""NVIDIA's compute-sanitizer on a learner's function: what is asked of it, and its report.

The judge's own watch sees every access that a kernel makes in the interpreter. This tool sees those
of the compiled kernel on the device, including shared memory. It is slow (seconds a tool) and runs
on demand.

The report's form is that of the manual's examples (Compute Sanitizer 2026.3, "Understanding Memcheck
Errors", "Understanding Racecheck Reports", "Using Initcheck"; the wheel nvidia-cuda-sanitizer-api
has the manual in its docs folder). Unrecognised text is shown as the tool wrote it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tutor.judge.device_tools.device_call import DeviceCall, find_tool, run_under
from tutor.judge.model.verdict import Diagnosis

TOOLS = ("memcheck", "racecheck", "initcheck")
MOST_FINDINGS = 8  # of one tool; the first few are enough
_OPTIONS = ("--show-backtrace", "no", "--print-limit", "100")
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


@dataclass(frozen=True)
class Checked:
    """The result of one tool. `trouble` is the reason if the tool did not finish."""

    tool: str
    errors: int
    findings: tuple[Diagnosis, ...] = ()
    trouble: str = ""


def find_sanitizer() -> Path:
    """Return the tool's path. Raises `CannotHere`."""
    return find_tool(
        "compute-sanitizer",
        (),
        "it comes with the CUDA toolkit, or with `pip install nvidia-cuda-sanitizer-api`",
    )


def run_sanitizer(tool: str, where: Path, call: DeviceCall, environment: dict[str, str]) -> Checked:
    """Run one of `TOOLS` on the call."""
    # One allocation a tensor: torch's pool would hide accesses outside a tensor but inside the pool.
    own = {**environment, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    run = run_under(where, ("--tool", tool, *_OPTIONS), "--log-file", call, own)
    result = read_report(tool, run.report, call.filename)
    trouble = run.trouble
    if not trouble and (result is None or (not result[0] and not run.case)):
        trouble = f"the call did not get to its end: {run.last}"
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
