"""The schedules that Day 19 shows from a recording are what TVM makes of them today.

After a change of the lesson's scripts or of TVM, with the extra `tvm` installed:
`TUTOR_RECORD=1 pytest tests/content/test_recorded_day19.py`.
"""

import itertools
import json
import os
import re
import runpy
import sys

import pytest

from tutor.authoring.proof import has_expected
from tutor.base.paths import course_root
from tutor.course import tvm_schedule
from tutor.course.catalog.course import open_course
from tutor.course.recordings import recorded, transcript_file


def run_cells(monkeypatch):
    """(what `in_tvm` returned, by recorded name; what each cell that calls it printed)."""
    names, said, printed = {}, {}, []
    plain = tvm_schedule.in_tvm

    def listen(script, size=32, relu=False):
        name = tvm_schedule.name_of(script, size, relu)
        said[name] = plain(script, size, relu)
        return said[name]

    monkeypatch.setattr(tvm_schedule, "in_tvm", listen)
    for cell in open_course().lesson(19).cells:
        if "gcc" in cell.code:  # a clock, and none of the names below
            continue
        lines = []
        names["print"] = lambda *parts, lines=lines: lines.append(" ".join(map(str, parts)))
        exec(cell.code, names)
        if "in_tvm" in cell.code:
            printed.append((cell, "\n".join(lines)))
    return said, printed


@pytest.mark.slow
def test_without_tvm_the_cells_show_the_recording(monkeypatch):
    monkeypatch.setitem(sys.modules, "tvm", None)
    said, printed = run_cells(monkeypatch)
    assert said == recorded(19).said
    assert "RECORDED, not run here: apache-tvm" in printed[0][1]
    for cell, text in printed:
        assert [e for e in cell.expect if not has_expected(e, text)] == []


def test_the_recording_is_what_tvm_says_today(monkeypatch):
    tvm = pytest.importorskip("tvm")
    said, _ = run_cells(monkeypatch)
    made = {"made_with": f"apache-tvm {tvm.__version__}", "said": said}
    if os.environ.get("TUTOR_RECORD"):
        transcript_file(19).write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", "utf-8")
    assert said == recorded(19).said
    assert recorded(19).made_with == made["made_with"], "record it again: see the top of this file"


def order_of(text):
    """The iterations (i, j, k) in the order in which a nest that TVM has printed runs them."""
    names, extents = [], []
    for loops, sizes in re.findall(r"for ([\w, ]+) in (?:T\.grid|range|T\.\w+)\(([\d, ]+)\)", text):
        names += loops.split(", ")
        extents += map(int, sizes.split(", "))
    axes = dict(re.findall(r"(v_\w) = T\.axis\.\w+\(\d+, (.+)\)", text))
    for left, right in re.findall(r"(v_[\w, ]+) = T\.axis\.remap\(\"\w+\", \[([\w, ]+)\]\)", text):
        axes |= dict(zip(left.split(", "), right.split(", "), strict=True))
    guard = " and ".join(re.findall(r"T\.where\((.+)\)", text)) or "True"
    row = ", ".join(axes[axis] for axis in ("v_i", "v_j", "v_k"))
    run = eval(f"lambda {', '.join(names)}: ({row}) if {guard} else None")
    values = itertools.product(*(range(extent) for extent in extents))
    return [list(each) for each in itertools.starmap(run, values) if each is not None]


SCRIPTS = (
    "",
    "reorder k i",
    "split i 4; reorder k i_1",
    "split i 4; split j 2; split k 3; reorder i_0 j_0 k_0 i_1 k_1 j_1",
    "fuse i j",
    "split k 4; fuse j k_0; reorder k_1 i",
    "reorder j i; fuse j i; split j_i_fused 7",
)


def test_the_reference_of_schedule_order_reads_scripts_as_tvm_does():
    pytest.importorskip("tvm")
    path = course_root() / "kernels" / "schedule_order" / "reference.py"
    reference = runpy.run_path(str(path))["reference"]
    for script in SCRIPTS:
        ours = reference("i:6 j:6 k:6", script.replace("; ", "\n")).tolist()
        assert order_of(tvm_schedule.in_tvm(script, 6)) == ours, script
