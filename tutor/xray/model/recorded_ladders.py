"""Ladders that were recorded where all compilers are installed: for other machines, and for lessons.

One file of `lessons/recorded/ladders` holds one function with its inputs, and what each compiler made of
it on the CPU. It is shown for a request of the same function (however it is laid out) and inputs.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tutor.base.paths import course_root
from tutor.base.python_trees import parse_python
from tutor.xray.model.comparison import NOT_MADE_HERE, Comparison, compare_compilers
from tutor.xray.model.compiler import COMPILERS, find_compilers
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Request, Stage, Xray

LADDERS = Path("lessons", "recorded", "ladders")  # in the course's root
MOST_TEXT = 10_000  # characters of a stage that are recorded


@dataclass(frozen=True)
class RecordedLadder:
    """`made_with`: package -> version; `inputs` as `--input` takes them; an X-ray for each compiler."""

    name: str
    source: str
    inputs: tuple[str, ...]
    made_on: str
    made_with: dict[str, str]
    xrays: dict[str, Xray]

    def to_json(self) -> dict[str, Any]:
        xrays = {compiler: xray.to_json() for compiler, xray in self.xrays.items()}
        return {**vars(self), "inputs": list(self.inputs), "xrays": xrays}

    @staticmethod
    def from_json(value: dict[str, Any]) -> RecordedLadder:
        xrays = {name: Xray.from_json(xray) for name, xray in value["xrays"].items()}
        return RecordedLadder(**{**value, "inputs": tuple(value["inputs"]), "xrays": xrays})

    def is_of(self, request: Request, text: str) -> bool:
        """Return True if it is of the request's function, whose file has `text`, and of its inputs."""
        if request.others_for != "cpu" or request.inputs != parse_inputs(self.inputs):
            return False
        wanted = _definition(self.source, self.name)
        return wanted is not None and _definition(text, request.name) == wanted

    def _mark(self, compiler: str) -> str:
        """When it was recorded, and with which versions of torch and of the compiler's packages."""
        packages = ["torch", *COMPILERS[compiler].extra.package_names]
        versions = [f"{name} {self.made_with[name]}" for name in packages if name in self.made_with]
        return f"Recorded on {self.made_on} with {', '.join(versions)}"

    def compare(self) -> Comparison:
        """The comparison of all the compilers that are in it."""
        events: dict[str, Event] = {}  # what they share, once
        parts: list[Event] = []
        for xray in self.xrays.values():
            parts += [*xray.stages, *xray.failures, *xray.links]
        for event in parts:
            key = event.key if isinstance(event, Stage) else repr(event)
            events.setdefault(key, event)
        gpu = next((x.target for x in self.xrays.values() if x.target != "cpu"), "")
        return compare_compilers(find_compilers(tuple(self.xrays)), events.values(), (gpu, "cpu"))

    def events(self, compiler: str) -> list[Event]:
        """The stages, links and failures of one compiler. Each stage says that it is recorded."""
        xray = self.xrays[compiler]
        note = f"{self._mark(compiler)}{NOT_MADE_HERE}"
        stages = [replace(stage, notes=(note, *stage.notes)) for stage in xray.stages]
        return [*stages, *xray.failures, *xray.links]


def recorded_ladder(name: str) -> RecordedLadder:
    """Return the ladder of this name in the course's `lessons/recorded/ladders`, for a live cell."""
    path = course_root() / LADDERS / f"{name}.json"
    return RecordedLadder.from_json(json.loads(path.read_text(encoding="utf-8")))


def find_recorded(folder: Path, request: Request, compiler: str) -> RecordedLadder | None:
    """Return the recorded ladder of the request's function by this compiler, or None."""
    text = request.source
    if text is None:
        try:
            text = Path(request.path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return None
    for path in sorted(folder.glob("*.json")):
        try:
            ladder = RecordedLadder.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a damaged recording is none
        if compiler in ladder.xrays and ladder.is_of(request, text):
            return ladder
    return None


def shorten(stage: Stage) -> Stage:
    """Return the stage with as much of its text as is recorded."""
    if len(stage.text) <= MOST_TEXT:
        return stage
    kept = stage.text[:MOST_TEXT].rpartition("\n")[0] + "\n"
    lines = stage.text.count("\n") + 1
    note = f"The first {kept.count(chr(10)):,} of {lines:,} lines were recorded."
    return replace(stage, text=kept, notes=(note, *stage.notes))


def _definition(text: str, name: str) -> str | None:
    """Return the function of this name as a tree, which is equal for every layout of its lines."""
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.dump(node)
    return None
