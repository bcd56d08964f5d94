"""A Gantt chart in both themes and at two widths, and drawn anew at another one."""

import pytest
from doing import SMALL, WIDE, seen, until
from reading_course import open_lesson
from sights import compare, dark_and_light
from test_figures_on_the_page import put_cell
from textual.screen import Screen

from tutor.course.gantt import gantt_of
from tutor.ui.app import TutorApp
from tutor.ui.cells.figure_view import FigureView

CHUNKS = [
    ("request 0", 0.0, 11.2, "prefill 64"),
    ("request 0", 11.2, 57.0, "decode"),
    ("request 1", 11.2, 32.0, "prefill 252"),
    ("request 1", 32.0, 47.5, "prefill 148"),
    ("request 1", 47.5, 65.0, "decode"),
    ("request [/b]2", 47.5, 57.0, "waits"),
]
CHARTED = """\
```python run gantt=spans x=ms
spans = [("server", 0, 8, "prefill 64"), ("server", 8, 9, "decode")]
```
"""


async def test_a_chart_as_it_was(app: TutorApp) -> None:
    async with app.run_test(size=SMALL) as pilot:
        await app.push_screen(Screen())
        await app.screen.mount(FigureView(gantt_of(CHUNKS, "ms"), "cell-figure"))
        for width, height in (SMALL, WIDE, (40, 10)):
            await pilot.resize_terminal(width, height)
            shown = await dark_and_light(pilot, slice(8))
            compare(f"gantt_{width}x{height}.txt", shown)


@pytest.mark.slow
async def test_a_chart_is_drawn_below_its_cell(app: TutorApp) -> None:
    put_cell(app, CHARTED)
    async with app.run_test(size=(80, 40)) as pilot:
        await open_lesson(pilot)
        assert "draws a figure" in seen(app)
        await pilot.press("x")
        await until(pilot, lambda: "██ prefill   ░░ decode" in seen(app))
        before = seen(app).count("█")
        await pilot.resize_terminal(60, 40)
        await until(pilot, lambda: 0 < seen(app).count("█") < before)
