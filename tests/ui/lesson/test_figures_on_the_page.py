"""Figures under the cells of a lesson: a plot, an access map, a sentence instead, a recorded run."""

import json
from pathlib import Path

import pytest
from doing import seen, until
from reading_course import LESSON, open_lesson

from tutor.course.plot import CellPlot, Curve
from tutor.course.reading.lesson import read_lesson
from tutor.course.recordings import code_key, gpu_recording_file
from tutor.hardware import presence
from tutor.ui.app import TutorApp
from tutor.ui.cells.figure_view import WIDTH, figure_content

PLOTTED = """\
```python run plot=sizes,rates x=elements y=GB/s log=x
sizes, rates = [256, 4096, 65536], [1, 2, 8]
```
"""
MAPPED = """\
```python run access=fill
import torch, triton
import triton.language as tl

@triton.jit
def fill(out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 1.0, mask=i < n)

fill[(2,)](torch.zeros(9), 7, BLOCK=4)
```
"""
ON_A_GPU = """\
```python run gpu plot=sizes,rates x=elements y=GB/s
sizes, rates = [1, 2], measure()
print("fast")
```
"""


def put_cell(app: TutorApp, cell: str) -> Path:
    """Make `cell` the first one of the small course's lesson."""
    file = next(Path(app.course.root, "lessons").glob("day-01-*.md"))
    head, rest = LESSON.split("```python run\nn = 6", 1)
    file.write_text(f"{head}{cell}\n```python run\nn = 6{rest}")
    return file


@pytest.mark.slow
async def test_a_plot_is_drawn_below_its_cell(app: TutorApp) -> None:
    put_cell(app, PLOTTED)
    async with app.run_test(size=(80, 40)) as pilot:
        await open_lesson(pilot)
        assert "draws a plot" in seen(app)
        await pilot.press("x")
        await until(pilot, lambda: "●" in seen(app))
        rows = seen(app).split("\n")
        assert any("GB/s" in row for row in rows)
        assert any("10 k" in row and "elements" in row for row in rows)


@pytest.mark.slow
async def test_an_access_map_is_drawn_below_its_cell(app: TutorApp) -> None:
    put_cell(app, MAPPED)
    async with app.run_test(size=(80, 40)) as pilot:
        await open_lesson(pilot)
        await pilot.press("x")
        await until(pilot, lambda: "0000111··" in seen(app), seconds=60)
        assert "3 of 4 lanes, 1 masked off" in seen(app)


@pytest.mark.slow
async def test_numbers_that_cannot_be_drawn_are_one_sentence(app: TutorApp) -> None:
    put_cell(app, PLOTTED.replace("8]", "float('nan')]"))
    async with app.run_test(size=(80, 40)) as pilot:
        await open_lesson(pilot)
        await pilot.press("x")
        await until(pilot, lambda: "'nan' in rates is no finite number." in seen(app))
        assert "ran in" in seen(app)


@pytest.mark.slow
async def test_a_recorded_run_stands_for_a_gpu_cell(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "has_nvidia", lambda: False)
    monkeypatch.setattr(presence, "is_wsl", lambda: False)
    lesson = read_lesson(put_cell(app, ON_A_GPU))
    data = {
        "device": "NVIDIA H200",
        "date": "2026-11-23",
        "versions": "torch 2.11.0, triton 3.6.0",
        "cells": {
            code_key(lesson.cells[0]): {
                "printed": "fast\n",
                "values": {"sizes": [1, 2], "rates": [30, 70]},
            }
        },
    }
    file = gpu_recording_file(lesson)
    file.parent.mkdir()
    file.write_text(json.dumps(data))
    async with app.run_test(size=(80, 40)) as pilot:
        await open_lesson(pilot)
        text = seen(app)
        assert "recorded on one NVIDIA H200 (torch 2.11.0, triton 3.6.0), 23 November 2026" in text
        assert "fast" in text
        assert "●" in text


def test_labels_of_small_numbers_have_room_beside_a_plot():
    small = tuple(10.0**-k for k in range(10))
    lines = figure_content(CellPlot(small, (Curve("off", small),), "v", "error", "xy")).plain
    assert "1e-5┤" in lines
    assert "…" not in lines


@pytest.mark.parametrize("log", ["", "x", "y", "xy"])
def test_a_plot_keeps_its_width_and_all_its_points(log: str) -> None:
    xs = tuple(float(2**k) for k in range(1, 20))
    curves = (Curve("up", xs), Curve("down", xs[::-1]), Curve("same", (5.0,) * len(xs)))
    lines = figure_content(CellPlot(xs, curves, "n", "ms", log)).plain.split("\n")
    assert max(map(len, lines)) <= WIDTH
    assert lines[-1] == "● up   ▲ down   ■ same"
    assert len({line.count("■") for line in lines[:-1]} - {0}) == 1  # one level row
    assert "●" in lines[1]
    assert "●" not in lines[0]
