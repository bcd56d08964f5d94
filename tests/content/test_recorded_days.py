"""What the cells of days on optional packages show from a recording is what these make of them today.

After a change of a cell or of a package, with the extras that the day needs:
`TUTOR_RECORD=1 pytest tests/content/test_recorded_days.py -k 29`.
"""

import copy
import json
import os
import re
import sys
import types
from datetime import date
from importlib import metadata

import pytest
import torch

from tutor.base.extras import extra_of_module
from tutor.base.paths import course_root
from tutor.course import package_cells, tvm_cells
from tutor.course.catalog.course import open_course
from tutor.course.recordings import recorded, transcript_file
from tutor.judge.processes.learner_module import execute, remember

MODULES = ("tutor.course.package_cells", "tutor.course.tvm_cells")
TEXTS = {
    int(path.name[4:6]): path.read_text("utf-8")
    for path in sorted((course_root() / "lessons").glob("day-*.md"))
}
DAYS = [day for day, text in TEXTS.items() if any(map(text.__contains__, MODULES))]


def packages_of(text):
    """The packages that the cells of a lesson need, in the order in which it names them."""
    named = []
    for which in re.finditer(r"^@with_(tvm|packages)\(([^)]*)\)", text, re.MULTILINE):
        named += ["tvm"] if which[1] == "tvm" else re.findall(r'"([\w.]+)"', which[2])
    return list(dict.fromkeys(named))


def versions_of(packages):
    """The distributions of these packages with their versions, PyTorch's in the second place."""
    names = []
    for package in packages:
        pytest.importorskip(package)
        of_extra = extra_of_module(package).package_names
        names.append(named if (named := package.replace("_", "-")) in of_extra else of_extra[0])
    said = [f"{name} {metadata.version(name)}" for name in names]
    said.insert(1, f"torch {torch.__version__.split('+')[0]}")
    return ", ".join(said)


def run_cells(day, monkeypatch):
    """What the functions of the day's cells returned, by recorded name; the names of the measured."""
    said, differing = {}, set()

    def listen(_, *packages, measured=False):
        def decorate(function):
            def call(*arguments):
                name = package_cells.name_of(function, arguments)
                value = package_cells.plain(function, *arguments)
                if measured:
                    differing.add(name)
                kept = said.setdefault(name, copy.deepcopy(value))  # a cell may change its own
                assert kept == value, f"{name} has two answers"
                return value

            return call

        return decorate

    monkeypatch.setattr(tvm_cells, "with_tvm", listen)
    for cells in (package_cells, tvm_cells):
        monkeypatch.setattr(cells, "with_packages", listen)
        monkeypatch.setattr(cells, "made_with", lambda *_: "")
    module = types.ModuleType("lesson")  # as in a lesson's worker: TVMScript looks for it
    monkeypatch.setitem(sys.modules, "lesson", module)
    threads, gradients = torch.get_num_threads(), torch.is_grad_enabled()
    try:
        for cell in open_course().lesson(day).cells:
            # A kernel is interpreted in a lesson's worker, and not in this process.
            if cell.mode != "compile" and not cell.needs_gpu and "@triton.jit" not in cell.code:
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


def test_each_day_on_packages_names_them():
    assert {29, 40, 41} <= set(DAYS)
    assert packages_of(TEXTS[39]) == ["tvm", "onnxruntime", "torchao"]
    assert all(packages_of(TEXTS[day]) for day in DAYS)


@pytest.mark.slow
@pytest.mark.parametrize("day", DAYS)
def test_the_recording_is_what_the_packages_say_today(day, monkeypatch):
    versions = versions_of(packages_of(TEXTS[day]))
    said, differing = run_cells(day, monkeypatch)
    if os.environ.get("TUTOR_RECORD"):
        today = date.today()
        made = {"made_with": f"{versions}, {today.day} {today:%B %Y}", "said": said}
        text = json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False)
        transcript_file(day).write_text(text + "\n", "utf-8")
    assert compared(said, differing) == compared(recorded(day).said, differing)
    assert recorded(day).made_with.startswith(versions), "record it again: see the top of this file"
