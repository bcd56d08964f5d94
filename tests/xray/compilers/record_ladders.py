"""Write lessons/recorded/ladders again: `python tests/xray/compilers/record_ladders.py [NAME …]`.

It needs all compilers (`make extras`). A compiler that fails is an error: nothing is recorded then.
Inductor for a GPU is not recorded: it is on every machine.
"""

import functools
import inspect
import json
import sys
import textwrap
from dataclasses import replace
from datetime import date
from importlib import metadata
from pathlib import Path

from subjects import SUBJECTS

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.course.model import Cell
from tutor.judge.client import Judge
from tutor.judge.xray_relay import collect_xray
from tutor.xray.model.compiler import COMPILERS, INDUCTOR
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.recorded_ladders import RecordedLadder, shorten
from tutor.xray.model.stages import Event, Request, Xray, XrayDone

GPU = "sm_90"  # a request names one; what is recorded is for the CPU
FOR_CPU = [compiler for compiler in COMPILERS.values() if compiler is not INDUCTOR]
LESSONS = {"chain": 25, "layer": 28}  # functions whose cells lead to the ladder, and their days
RECORDED = (*SUBJECTS, *LESSONS)
FOLDER = Path(__file__).parents[3] / "lessons" / "recorded" / "ladders"
_HEAD = "import math\n\nimport torch\nimport torch.nn.functional as F\n\n\n"


def request_of(name: str, compiler: str) -> Request:
    """The X-ray of one function by one compiler, for the CPU."""
    source = _HEAD + (_cell_of(name).code if name in LESSONS else _source_of(name))
    inputs = parse_inputs(inputs_of(name))
    return Request(f"{name}.py", name, inputs, GPU, None, False, source, compilers=(compiler,))


def inputs_of(name: str) -> tuple[str, ...]:
    if name in LESSONS:
        look = _cell_of(name).xray
        return look.inputs if look else ()
    _, shapes = SUBJECTS[name]
    return tuple(f"f32[{','.join(map(str, shape))}]" for shape in shapes)


def _source_of(name: str) -> str:
    function, _ = SUBJECTS[name]
    return textwrap.dedent(inspect.getsource(function))


@functools.cache
def _cell_of(name: str) -> Cell:
    """The cell of the lesson that defines the function and shows its ladder."""
    lesson = open_course().lesson(LESSONS[name])
    assert lesson is not None
    blocks = (block for section in lesson.sections for block in section.blocks)
    cells = (block for block in blocks if isinstance(block, Cell) and block.xray)
    return next(cell for cell in cells if f"def {name}(" in cell.code)


def lower(judge: Judge, name: str, compiler: str) -> Xray:
    """Lower a function by a compiler, through the judge as a learner's."""
    events: list[Event] = []
    done = None
    for event in judge.xray(request_of(name, compiler)):
        if isinstance(event, XrayDone):
            done = event
        else:
            events.append(event)
    return collect_xray("cpu", done, events)


def record(judge: Judge, name: str) -> RecordedLadder:
    versions = {"torch": metadata.version("torch")}
    xrays = {}
    for compiler in FOR_CPU:
        xray = lower(judge, name, compiler.name)
        if xray.failures:
            raise SystemExit(f"{name} by {compiler.name}: {xray.failures}")
        whole = (compiler.before, compiler.after, compiler.lines_until)  # lines are counted in them
        stages = tuple(s if s.name in whole else shorten(s) for s in xray.stages)
        lines = {stage.key: stage.text.count("\n") + 1 for stage in stages}
        links = tuple(
            link
            for link in xray.links
            if link.source_line <= lines.get(link.source, 0)
            and link.target_line <= lines.get(link.target, 0)
        )
        xrays[compiler.name] = replace(xray, stages=stages, links=links)
        for package in compiler.extra.package_names:
            versions[package] = metadata.version(package)
    source = request_of(name, "tvm").source or ""
    made_on = f"{date.today():%-d %B %Y}"
    return RecordedLadder(name, source, inputs_of(name), made_on, versions, xrays)


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with Judge(paths.course_root()) as judge:
        for name in sys.argv[1:] or RECORDED:
            ladder = record(judge, name)
            text = json.dumps(ladder.to_json(), ensure_ascii=False, separators=(",", ":"))
            (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
            print(f"{name}: {len(text):,} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
