"""What the cells of the days on TVM show from a recording is what TVM makes of them today.

After a change of a cell or of TVM, with the extra `tvm` installed:
`TUTOR_RECORD=1 pytest tests/content/test_recorded_tvm_days.py -k 29`.
"""

import copy
import json
import os
import sys
import types
from datetime import date
from importlib import metadata

import pytest
import torch

from tutor.base.paths import course_root
from tutor.course import tvm_cells
from tutor.course.catalog.course import open_course
from tutor.course.recordings import recorded, transcript_file
from tutor.judge.processes.learner_module import execute, remember

DAYS = [
    int(path.name[4:6])
    for path in sorted((course_root() / "lessons").glob("day-*.md"))
    if "tutor.course.tvm_cells" in path.read_text("utf-8")
]


def run_cells(day, monkeypatch):
    """What the functions of the day's cells returned, by recorded name; the names of the measured."""
    said, differing = {}, set()

    def listen(_, *packages, measured=False):
        def decorate(function):
            def call(*arguments):
                name = tvm_cells.name_of(function, arguments)
                value = tvm_cells.plain(function, *arguments)
                if measured:
                    differing.add(name)
                kept = said.setdefault(name, copy.deepcopy(value))  # a cell may change its own
                assert kept == value, f"{name} has two answers"
                return value

            return call

        return decorate

    monkeypatch.setattr(tvm_cells, "with_tvm", listen)
    monkeypatch.setattr(tvm_cells, "with_packages", listen)
    monkeypatch.setattr(tvm_cells, "made_with", lambda *_: "")
    module = types.ModuleType("lesson")  # as in a lesson's worker: TVMScript looks for it
    monkeypatch.setitem(sys.modules, "lesson", module)
    threads, gradients = torch.get_num_threads(), torch.is_grad_enabled()
    try:
        for cell in open_course().lesson(day).cells:
            if cell.mode != "compile" and not cell.needs_gpu:
                filename = f"<cell {cell.index} of day {day}>"
                remember(cell.code, filename)
                execute(cell.code, filename, module.__dict__, echo=True)
    finally:  # a cell may set them for those after it
        torch.set_num_threads(threads)
        torch.set_grad_enabled(gradients)
    return said, differing


def kinds_in(value):
    """The value with the kind of each number in its place."""
    if isinstance(value, dict):
        return {key: kinds_in(part) for key, part in value.items()}
    if isinstance(value, list):
        return [kinds_in(part) for part in value]
    return type(value).__name__


def compared(said, differing):
    """What must be the same each time: of what is measured, the names and kinds."""
    return {name: kinds_in(value) if name in differing else value for name, value in said.items()}


@pytest.mark.slow
@pytest.mark.parametrize("day", DAYS)
def test_the_recording_is_what_tvm_says_today(day, monkeypatch):
    tvm = pytest.importorskip("tvm")
    import torch

    versions = f"apache-tvm {tvm.__version__}, torch {torch.__version__.split('+')[0]}"
    text = open_course().lesson(day).path.read_text("utf-8")
    if "onnxruntime" in text:
        onnxruntime = pytest.importorskip("onnxruntime")
        versions += f", onnxruntime {onnxruntime.__version__}"
    if "torchao" in text:
        versions += f", torchao {pytest.importorskip('torchao').__version__}"
    if "iree.compiler" in text:
        pytest.importorskip("iree.compiler")
        versions += f", iree-base-compiler {metadata.version('iree-base-compiler')}"
    said, differing = run_cells(day, monkeypatch)
    if os.environ.get("TUTOR_RECORD"):
        today = date.today()
        made = {"made_with": f"{versions}, {today.day} {today:%B %Y}", "said": said}
        text = json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False)
        transcript_file(day).write_text(text + "\n", "utf-8")
    assert compared(said, differing) == compared(recorded(day).said, differing)
    assert recorded(day).made_with.startswith(versions), "record it again: see the top of this file"
