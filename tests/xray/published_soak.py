"""Published functions and kernels, an X-ray of each: is it right or clearly refused, and does it end?
To be run by hand, on code that you trust:

    python tests/xray/published_soak.py LIST FOLDER [--sample 20] [--seed 1]

FOLDER has the sources, each in a folder of its own. A line of LIST is such a folder, what is looked at
there, its inputs, and what a reader of the source expects: so many kernels, each down to SASS, or words
of the refusal; without `=>` it is only shown. Inputs with blanks are quoted.

    some_library some_library/norms.py::rms_norm f16[64,512] f16[512] 1e-5 => 1 kernel
    some_model model.py::Model f32[2,64] --backward => refused: There is no module `einops`

Each runs cold. Prints a line for each and counts at the end. Exits with 1 where one is silent (status 0,
no kernel, no word) or takes more than a minute of processor time, and where fewer than 95 % are as
expected.
"""

import argparse
import json
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 60.0  # of processor time
LEAST_RIGHT = 0.95
WALL_SECONDS = 600  # then it is ended; the X-ray ends itself earlier


@dataclass(frozen=True)
class Call:
    """A line of the list. `expected` is "3 kernels", "refused: WORDS", or "" if nobody has looked."""

    folder: str
    subject: str
    inputs: tuple[str, ...]
    expected: str


@dataclass(frozen=True)
class Seen:
    """What came out: `kernels`, those `to_sass`, the first failure, and seconds of processor time."""

    kernels: int
    to_sass: int
    failure: str
    says_something: bool
    seconds: float


def read_list(text: str) -> list[Call]:
    """Read the lines of a list; empty ones and those that begin with # are none."""
    calls = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        call, _, expected = line.partition(" => ")
        folder, subject, *inputs = shlex.split(call)
        calls.append(Call(folder, subject, tuple(inputs), expected.strip()))
    return calls


def look(call: Call, sources: Path, home: str) -> Seen:
    """Run the X-ray in the source's own folder."""
    place = sources / call.folder
    options = [part for part in call.inputs if part.startswith("--")]
    given = [f"--input={part}" for part in call.inputs if not part.startswith("--")]
    command = [sys.executable, "-m", "tutor", "xray", call.subject, *given, *options]
    path = os.pathsep.join((str(ROOT), str(place), os.environ.get("PYTHONPATH", "")))
    before = _processor_seconds()
    try:
        done = subprocess.run(
            [*command, "--cold", "--json"],
            cwd=place,
            env={**os.environ, "TUTOR_HOME": home, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Seen(0, 0, "not finished", True, _processor_seconds() - before)
    seconds = _processor_seconds() - before
    try:
        record = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip().splitlines() or [f"status {done.returncode} and no word"]
        return Seen(0, 0, said[-1], bool(done.stderr.strip()), seconds)
    stages, failures = record["stages"], record["failures"]
    kernels = {stage["kernel"] for stage in stages if stage["name"] in ("triton", "ttgir")}
    lowered = {stage["kernel"] for stage in stages if stage["name"] == "sass"}
    says = bool(failures or any(stage["notes"] for stage in stages if stage["name"] != "source"))
    first = failures[0]["sentence"] if failures else ""
    return Seen(len(kernels), len(lowered), first, says, seconds)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def judge(call: Call, seen: Seen) -> str:
    """Return "right", "refused", "other", "unread" (nothing is expected), "silent" or "hanging"."""
    if seen.seconds > MOST_SECONDS or seen.failure == "not finished":
        return "hanging"
    if not (seen.kernels or seen.says_something):
        return "silent"
    if not call.expected:
        return "unread"
    refused = call.expected.partition("refused:")[2].strip()
    if refused:
        return "refused" if refused in seen.failure else "other"
    count = re.fullmatch(r"(\d+) kernels?", call.expected)
    whole = count is not None and seen.kernels == seen.to_sass == int(count[1])
    return "right" if whole and not seen.failure else "other"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=0, help="so many of them, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    calls = read_list(asked.list.read_text("utf-8"))
    if asked.sample:
        calls = random.Random(asked.seed).sample(calls, min(asked.sample, len(calls)))
    found: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        for call in calls:
            seen = look(call, asked.folder.resolve(), home)
            found.append(judge(call, seen))
            words = f"{seen.kernels} kernels, {seen.to_sass} to SASS, {seen.seconds:.1f} s"
            print(f"{found[-1]:8}{call.folder} {call.subject} {' '.join(call.inputs)}: {words}")
            if seen.failure:
                print(f"        {seen.failure}")
            sys.stdout.flush()
    kinds = ("right", "refused", "other", "unread", "silent", "hanging")
    counts = {kind: found.count(kind) for kind in kinds}
    print(f"{len(found)}: " + ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    expected = counts["right"] + counts["refused"]
    few = expected < LEAST_RIGHT * (len(found) - counts["unread"])
    return int(few or counts["silent"] + counts["hanging"] > 0)


if __name__ == "__main__":
    sys.exit(main())
