"""Cells with a figure: read, run by the real judge, drawn and told in words, refused with reasons."""

import json
import os

import pytest

from tutor.authoring import proof as prove
from tutor.commands.plain.lesson import describe_figure
from tutor.course.catalog.plain_text import lesson_text
from tutor.course.model import Cell
from tutor.course.plot import CellPlot
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.lesson import read_lesson
from tutor.judge import live_cells
from tutor.judge.client import CellDone, CellFigure, CellOutput
from tutor.judge.model.events import AccessFigure
from tutor.judge.reports import access_figure

pytestmark = pytest.mark.slow

HEAD = """\
+++
day = 1
title = "One"
minutes = 10
objectives = ["Look"]
+++

"""
SETUP = """\
```python run
import torch, triton
import triton.language as tl
```

"""
TAIL = """\
```python run access=add_ten
@triton.jit
def add_ten(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, v + 10, mask=i < n)

memory = torch.zeros(16)
add_ten[(3,)](torch.arange(11.0), memory, 11, BLOCK=4)
print(memory.tolist())
```
expect: 19.0, 20.0, 0.0, 0.0

```python run
add_ten[(3,)](torch.arange(9.0), memory, 9, BLOCK=4)
print(memory[:9].tolist(), memory[10].item())
```
expect: 18.0] 20.0
"""
PLOT = """\
```python run plot=sizes,rates,others x=elements y=GB/s_moved log=x
sizes, rates, others = [256, 4096, 65536], [1.5, 2, 8], [3, 3, 3]
```
"""


def read(tmp_path, text):
    path = tmp_path / "day-01-one.md"
    path.write_text(HEAD + text, encoding="utf-8")
    return read_lesson(path)


def run(judge, lesson):
    """All events of the lesson's cells."""
    events = []
    for cell in lesson.cells:
        events += live_cells.run_live_cell(judge, f"figures-{id(lesson)}", cell, seconds=60)
    judge.end_session(f"figures-{id(lesson)}")
    return events


def figures(events):
    return [event.figure for event in events if isinstance(event, CellFigure)]


def test_a_kernel_s_map_shows_who_accesses_what_and_the_masked_lanes(judge, tmp_path):
    events = run(judge, read(tmp_path, SETUP + TAIL))
    assert all(event.ok for event in events if isinstance(event, CellDone))
    (figure,) = figures(events)
    assert isinstance(figure, AccessFigure)
    lines = [
        access_figure.join_pieces(line).rstrip()
        for line in access_figure.draw_launches(figure.launches)
    ]
    assert lines == [
        "`add_ten`, grid (3,): 3 programs",
        "x_ptr f32[11], loaded   out_ptr f32[16], stored",
        " 0        10             0             15",
        " 00001111222             00001111222·····",
        "a digit: the program that accesses the element; · none",
        "program 0  ████  4 of 4 lanes",
        "program 1  ████  4 of 4 lanes",
        "program 2  ███░  3 of 4 lanes, 1 masked off",
    ]
    words = describe_figure(figure)
    assert "Program 2:" in words
    assert "  line 4 loads x_ptr: elements 8 to 10 (3 of 4 lanes)" in words


def test_a_legend_too_wide_for_a_line_has_a_line_for_each_mark(judge, tmp_path):
    shared = """\
```python run access=shared
@triton.jit
def shared(x_ptr, out_ptr):
    row = tl.program_id(0)
    at = row * 2 + tl.program_id(1)
    tl.store(out_ptr + at, tl.load(x_ptr + row))

for _ in range(3):
    shared[(2, 2)](torch.arange(2.0), torch.zeros(4))
```
"""
    (figure,) = figures(run(judge, read(tmp_path, SETUP + shared)))
    lines = [
        access_figure.join_pieces(line).rstrip()
        for line in access_figure.draw_launches(figure.launches)
    ]
    assert "+ several programs" in lines
    assert lines[-1] == "1 more launch is not drawn."
    assert max(map(len, lines)) <= access_figure.COLUMNS


def test_a_later_cell_without_a_figure_is_not_watched(judge, tmp_path):
    """An access map checks bounds; the lesson's other cells may go out of bounds to show it."""
    outside = """\
```python run
@triton.jit
def beyond(out_ptr):
    tl.store(out_ptr + tl.arange(0, 8), 5.0)

five = torch.zeros(16)[:5]
beyond[(1,)](five)
print(five.tolist())
```
"""
    events = run(judge, read(tmp_path, SETUP + TAIL + outside))
    assert [event.ok for event in events if isinstance(event, CellDone)] == [True] * 4
    watched = outside.replace("python run", "python run access=beyond")
    last = run(judge, read(tmp_path, SETUP + watched))[-1]
    assert not last.ok
    assert "outside out_ptr" in last.error


def test_an_exercise_s_solution_has_a_map(judge, tmp_path):
    (figure,) = figures(run(judge, read(tmp_path, "```python run access=tail\nn = 1\n```\n")))
    assert isinstance(figure, AccessFigure)
    assert figure.about.startswith("a right answer on “")
    text = "\n".join(
        access_figure.join_pieces(line) for line in access_figure.draw_launches(figure.launches)
    )
    assert "masked off" in text
    assert max(len(line) for line in text.split("\n")) <= access_figure.COLUMNS


def test_a_plot_has_the_numbers_of_the_cell(judge, tmp_path):
    (figure,) = figures(run(judge, read(tmp_path, PLOT)))
    assert isinstance(figure, CellPlot)
    assert (figure.xs, figure.x_label, figure.y_label) == (
        (256, 4096, 65536),
        "elements",
        "GB/s moved",
    )
    assert describe_figure(figure) == [
        "Plot: GB/s moved over elements, 3 points.",
        "  elements 256: rates 1.5, others 3",
        "  elements 4096: rates 2, others 3",
        "  elements 65.5 k: rates 8, others 3",
        "rates: least 1.5 at 256, most 8 at 65.5 k.",
        "others: least 3 at 256, most 3 at 256.",
    ]


@pytest.mark.parametrize(
    ("rates", "sentence"),
    [
        ("[1.0, float('nan'), 2.0]", "'nan' in rates is no finite number."),
        ("[1.0, float('inf'), 2.0]", "'inf' in rates is no finite number."),
        ("[1.0, 'two', 2.0]", "'two' in rates is no finite number."),
        ("[1.0, 2.0]", "sizes has 3 numbers and rates 2."),
        ("[1.0, 0, 2.0]", "0 in rates has no place on a logarithmic axis."),
        ("list(range(1, 300))", "rates has 299 values, and 2 to 200 are drawn."),
        ("object()", "rates is no list of numbers."),
    ],
)
def test_numbers_that_cannot_be_drawn_are_one_sentence_and_fail_the_check(
    judge, tmp_path, rates, sentence
):
    text = (
        f"```python run plot=sizes,rates x=n y=ms log=y\nsizes, rates = [1, 2, 3], {rates}\n```\n"
    )
    lesson = read(tmp_path, text)
    events = run(judge, lesson)
    assert figures(events) == [f"There is no plot: {sentence}"]
    assert events[-1].ok  # the cell itself ran
    assert [proof.fault for proof in prove.prove_cells(judge, lesson, gpu=False)] == [
        f"There is no plot: {sentence}"
    ]


def test_a_figure_of_what_is_not_there_fails_the_check(judge, tmp_path):
    text = SETUP + TAIL.split("\nmemory")[0] + "\n```\n"
    not_launched = list(prove.prove_cells(judge, read(tmp_path, text), gpu=False))
    assert not_launched[1].fault == "There is no access map: this cell did not launch add_ten."
    unknown = read(tmp_path, "```python run access=add_twelve\nn = 1\n```\n")
    (proof,) = prove.prove_cells(judge, unknown, gpu=False)
    assert "There is no exercise add_twelve" in proof.fault


@pytest.mark.parametrize(
    "words",
    [
        "plot=sizes x=n y=ms",
        "plot=sizes,1 x=n y=ms",
        "plot=a,b,c,d,e x=n y=ms",
        "plot=a,b x=n",
        "plot=a,b x=n y=ms log=z",
        "plot=a,b x=n y=",
        "plot=a,b x=n x=m y=ms",
        "x=n y=ms",
        "access=",
        "access=tail x=n",
        "access=tail plot=a,b x=n y=ms",
        "case=one_element",
        "access=here case=one_element",
        "gpu access=tail",
        "compile access=tail",
        "access=../tail",
        "xray=ptx access=tail",
        "plot=a,b x=n y=ms case=odd",
    ],
)
def test_mistyped_words_of_a_figure_are_named(tmp_path, words):
    with pytest.raises(CourseFault) as caught:
        read(tmp_path, f"```python run {words}\ndef here(a):\n    pass\n```\n")
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [(8, "fence")]


def test_the_plain_text_names_the_figures(tmp_path):
    text = lesson_text(read(tmp_path, TAIL + PLOT))
    assert "Shows which elements each program of add_ten loads and stores." in text
    assert "Draws a plot: GB/s moved over elements (rates and others)." in text


# --- recordings -------------------------------------------------------------------------------------

ON_A_GPU = (
    SETUP
    + """\
```python run gpu plot=sizes,rates x=n y=ms
sizes, rates = [1, 2, 4], [0.5, 0.25, 0.125]
print("launched after", torch.ones(3).sum().item())
```
expect: launched after
"""
)


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(os.path.dirname(__file__), "..", "content"))
    return pytest.importorskip("record_gpu_cells")


def test_a_recording_stands_for_a_gpu_cell_until_the_cell_changes(judge, tmp_path, recorder):
    lesson = read(tmp_path, ON_A_GPU)
    assert "recorded on one" not in lesson_text(lesson)  # nothing is recorded yet
    recording = recorder.record_day(judge, lesson)
    assert list(recording.cells) == [recorder.code_key(lesson.cells[1])]
    file = recorder.gpu_recording_file(lesson)
    recorder.write(recording, file)
    told = lesson_text(lesson)
    assert f"recorded on one {recording.device} (torch " in told
    assert "launched after 3.0" in told
    assert "rates: least 0.125 at 4, most 0.5 at 1." in told
    (_first, second) = prove.prove_cells(judge, lesson, gpu=False)
    assert second.name == "day-01-one.md:13 recorded"
    assert not second.fault

    data = json.loads(file.read_text(encoding="utf-8"))
    next(iter(data["cells"].values()))["values"]["rates"] = [1, "fast", 2]
    file.write_text(json.dumps(data), encoding="utf-8")
    (_, proof) = prove.prove_cells(judge, lesson, gpu=False)
    assert "'fast' in rates is no finite number" in proof.fault
    changed = read(tmp_path, ON_A_GPU.replace("0.25", "0.2"))
    assert "recorded on one" not in lesson_text(changed)


def test_a_cell_that_prints_something_else_is_not_recorded(judge, tmp_path, recorder):
    lesson = read(tmp_path, ON_A_GPU.replace("expect: launched after", "expect: finished"))
    with pytest.raises(recorder.Unrecorded, match="expected 'finished'"):
        recorder.record_day(judge, lesson)


def test_events_of_a_cell_without_a_figure_stay_as_they_are(judge):
    events = list(live_cells.run_live_cell(judge, "no-figure", Cell("print(1)", 1, 1)))
    assert [type(e) for e in events if not hasattr(e, "text") or isinstance(e, CellOutput)] == [
        CellOutput,
        CellDone,
    ]
