"""The README's pictures, taken from the real application with the real course.

    python tests/ui/tour.py [NAME …]

Cells, kernels and ladders are really run and judged, as on a machine without a GPU. The learner is that
of `tests/memory/a_month.py`, whose clock stands still on the last evening: rows in which nothing was
measured are the same each time.
Textual's export names a web font and cuts each row at its end; both are left out, so that a picture
needs nothing but itself; and rectangles of one colour are put together.
"""

import asyncio
import functools
import os
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

sys.path += [str(Path(__file__).resolve().parents[1] / name) for name in ("memory", "judge")]
import a_month
from doing import seen, until
from run_home import share_judge
from sights import settled
from textual.pilot import Pilot
from textual.widgets import OptionList

from tutor.base import paths
from tutor.base.config_edit import change
from tutor.course.catalog.course import Course, open_course
from tutor.course.reading.wrong_answers import wrong_answer
from tutor.hardware import presence
from tutor.judge.client import Judge
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.lab.program_questions import ProgramQuestionsScreen
from tutor.ui.lab.screen import LabScreen
from tutor.ui.ladder.compilers_screen import CompilersScreen
from tutor.ui.ladder.screen import LadderScreen
from tutor.ui.routes import quiz_screen
from tutor.ui.verdict.access_map import AccessScreen
from tutor.xray.model.compiler import COMPILERS
from tutor.xray.model.recorded_ladders import recorded_ladder
from tutor.xray.model.subject import Subject

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
EVENING = datetime(2026, 11, 3, 20, tzinfo=a_month.NEW_YORK)  # of the month's last day
RECTANGLE = 'fill="(.*?)" x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"'
LARGEST = 60_000  # bytes of a picture
SLUG, WRONG = "row_sum", "row_from_the_wrong_axis"
RIGHT = "vector_add"
ADD = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")
GEMM = (
    *("f16[512,512]",) * 3,
    *("512",) * 4,
    "1",
    "512",
    "1",
    "BLOCK_M=64",
    "BLOCK_N=64",
    "BLOCK_K=32",
)

Walk = Callable[[Pilot[None], TutorApp], Awaitable[object]]
STOPS: dict[str, tuple[tuple[int, int], Walk]] = {}


def stop(columns: int, rows: int) -> Callable[[Walk], Walk]:
    """A picture of where this leads to, on a terminal of this size."""

    def added(walk: Walk) -> Walk:
        STOPS[walk.__name__] = ((columns, rows), walk)
        return walk

    return added


async def keys(pilot: Pilot[None], *pressed: str) -> None:
    for key in pressed:
        await pilot.press(key)
        await pilot.pause()


# ---- the pictures, in the order in which a learner meets them


@stop(100, 26)
async def home(pilot: Pilot[None], app: TutorApp) -> None:
    pass


@stop(100, 40)
async def lesson(pilot: Pilot[None], app: TutorApp) -> None:
    """A page with a prediction that is answered, and the cell that tells."""
    app.open("lesson:22/one-program-many-lanes")
    await until(pilot, lambda: "Enter: submit" in seen(app))
    await keys(pilot, "x", "1", "2", "enter")
    await until(pilot, lambda: "Saved. Run" in seen(app))
    await keys(pilot, "x")
    await until(pilot, lambda: "✓ Right" in seen(app) and "21, 22, 23]" in seen(app), 120)


@stop(100, 30)
async def quiz(pilot: Pilot[None], app: TutorApp) -> None:
    """The second question, answered with the line that many take for the wrong one."""
    of = app.course.quiz(22)
    assert of is not None
    app.push_screen(quiz_screen(of))
    await until(pilot, lambda: "Enter: next" in seen(app))
    await keys(pilot, *"mask", "enter", *"other", "enter", *'float("inf")', "enter", "4", "enter")
    await until(pilot, lambda: "Point at the line" in seen(app))
    await keys(pilot, "3", "enter", "4")
    await until(pilot, lambda: "Subtracting the maximum is right" in seen(app))


@stop(120, 36)
async def lab(pilot: Pilot[None], app: TutorApp) -> None:
    """A kernel whose programs all store to the same element."""
    screen = LabScreen(SLUG)
    await app.push_screen(screen)
    screen.document.editor.replace_text(wrong_kernel(app.course))
    screen.document.editor.move_cursor((0, 0))
    screen.panes.show_side("editor")
    await keys(pilot, "f5")
    judgement = screen.judgement
    # The verdict is there before the change that mends the answer is looked for; between the two the
    # lab is not `running`, and the call is.
    await until(pilot, lambda: judgement.report.verdict is not None, 120)
    await until(pilot, lambda: not judgement.call.running and not judgement.redraw_pending, 120)
    screen.panes.show_side("pane")


@stop(100, 22)
async def access(pilot: Pilot[None], app: TutorApp) -> None:
    """The same kernel: what its programs load and store."""
    screen = AccessScreen(SLUG, wrong_kernel(app.course), f"{SLUG}.py")
    app.push_screen(screen)
    await until(pilot, lambda: screen.access_map is not None, 120)


@stop(100, 30)
async def says(pilot: Pilot[None], app: TutorApp) -> None:
    """A question about a right kernel, answered as if no lane were masked off."""
    source = app.course.exercise(RIGHT).solution.read_text(encoding="utf-8")
    screen = ProgramQuestionsScreen(RIGHT, source, f"{RIGHT}.py")
    app.push_screen(screen)
    await until(pilot, lambda: screen.stage == "asking", 120)
    await keys(pilot, *"8192", "enter")
    await until(pilot, lambda: screen.stage == "shown")


@stop(132, 30)
async def ladder(pilot: Pilot[None], app: TutorApp) -> None:
    """From an instruction back to the line of Triton that it comes from."""
    solution = app.course.exercise("vector_add").solution.read_text(encoding="utf-8")
    screen = LadderScreen(Subject("vector_add.py", solution, "add_kernel", ADD))
    app.push_screen(screen)
    await until(
        pilot,
        lambda: "sass:add_kernel" in screen.panes.ladder.stages and not screen.xray.running,
        120,
    )
    await keys(pilot, "tab", *["n"] * 4, "slash", *"LDG", "enter")


@stop(100, 32)
async def passes(pilot: Pilot[None], app: TutorApp) -> None:
    """A product of matrices without each of Triton's passes; the row of `coalesce` is read."""
    solution = app.course.exercise("gemm_fp16").solution.read_text(encoding="utf-8")
    screen = LadderScreen(Subject("gemm_fp16.py", solution, "gemm_kernel", GEMM))
    app.push_screen(screen)
    await until(pilot, lambda: "sass:gemm_kernel" in screen.panes.ladder.stages, 120)
    await keys(pilot, "W")
    await until(pilot, lambda: screen.pass_run.is_whole and not screen.pass_run.running, 400)
    options = app.screen.query_one(OptionList)
    at = next(i for i, option in enumerate(options.options) if option.id == "ttgir:coalesce")
    await until(pilot, lambda: options.highlighted is not None)
    while options.highlighted != at:
        await keys(pilot, "j")


@stop(100, 24)
async def compilers(pilot: Pilot[None], app: TutorApp) -> None:
    """One line by six compilers; one that is not installed shows its recording."""
    made = recorded_ladder("linear_gelu")
    every = tuple(COMPILERS)
    screen = LadderScreen(Subject("f.py", made.source, made.name, made.inputs, compilers=every))
    app.push_screen(screen)
    await until(pilot, lambda: isinstance(app.screen, CompilersScreen), 400)
    await keys(pilot, "down", "down")


@stop(100, 26)
async def statistics(pilot: Pilot[None], app: TutorApp) -> None:
    await keys(pilot, "s")
    await until(pilot, lambda: "Answers" in seen(app))


# ---- the learner, and the camera


def wrong_kernel(course: Course) -> str:
    """One of the wrong answers that the course's authors expect."""
    return wrong_answer(course.exercise(SLUG).folder, WRONG).code


def environment(folder: Path) -> dict[str, str]:
    """What `taken` needs; in `folder`, which is empty, the learner's data will be. A GPU is hidden."""
    home = {"TUTOR_HOME": str(share_judge(folder)), "TUTOR_NOW": EVENING.isoformat()}
    # a judge belongs to the variables of its caller: where there is no GPU the run's own judge serves
    return home | ({"CUDA_VISIBLE_DEVICES": ""} if presence.has_nvidia() else {})


@functools.cache
def lived_month() -> tempfile.TemporaryDirectory[str]:
    """The learner's data, made once in a process."""
    folder = tempfile.TemporaryDirectory(prefix="tutor-month-")
    a_month.live(Path(folder.name))
    return folder


async def taken(name: str) -> str:
    """The picture `name`."""
    paths.ensure(paths.work_dir())
    shutil.copytree(lived_month().name, paths.data_dir(), dirs_exist_ok=True)
    course = open_course()
    record, judge = open_record(paths.record_file(), lambda: EVENING), Judge(course.root)
    change("reduced_motion", True)
    app = TutorApp(course, record, judge)
    size, walk = STOPS[name]
    try:
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: isinstance(app.screen, HomeScreen) and "I  " in seen(app))
            await walk(pilot, app)
            await settled(pilot)
            return picture(app)
    finally:
        judge.close()
        record.close()


def picture(app: TutorApp) -> str:
    """The screen as SVG."""
    drawn = app.export_screenshot(title="tutor")
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.S)
    drawn = re.sub(r"<clipPath id=\"[^\"]*-line-\d+\">.*?</clipPath>\s*", "", drawn, flags=re.S)
    drawn = re.sub(r' clip-path="url\(#[^)]*-line-\d+\)"', "", drawn)
    drawn = re.sub(r"terminal-\d+", "t", drawn)  # an image of its own needs no long names
    drawn = re.sub(r"<text[^>]*>(&#160;)+</text>", "", drawn).replace("&#160;", "\u00a0")
    drawn = re.sub(r"(?:<rect [^>]*crispEdges\"/>)+", joined, drawn)
    drawn = drawn.replace("</style>", "rect { shape-rendering: crispEdges }\n    </style>")
    return drawn.replace("Fira Code", "ui-monospace")


def joined(found: re.Match[str]) -> str:
    """Rectangles that follow one another, those of one colour that touch as one."""
    kept: list[list[str | float]] = []  # colour, left, top, width, height
    for fill, *numbers in re.findall(RECTANGLE, found[0]):
        left, top, width, height = map(float, numbers)
        if kept and kept[-1][::2] == [fill, top, height] and abs(sum(kept[-1][1::2]) - left) < 0.1:
            kept[-1][3] = left + width - kept[-1][1]
        else:
            kept.append([fill, left, top, width, height])
    return "".join(
        f'<rect fill="{fill}" x="{left:g}" y="{top:g}" width="{width:.6g}" height="{height:g}"/>'
        for fill, left, top, width, height in kept
    )


def rows(drawn: str) -> list[str]:
    """What a picture says, row by row, without blanks. Raises `ParseError` where it is no XML."""
    by_row: dict[float, list[tuple[float, str]]] = {}
    for text in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text"):
        place = (float(text.get("x", "0")), "".join(text.itertext()))
        by_row.setdefault(float(text.get("y", "0")), []).append(place)
    said = ("".join(part for _, part in sorted(parts)) for _, parts in sorted(by_row.items()))
    return [re.sub(r"\s", "", row) for row in said]


def image(name: str) -> Path:
    return IMAGES / f"tour-{name}.svg"


def main() -> None:
    for name in sys.argv[1:] or STOPS:
        with tempfile.TemporaryDirectory(prefix="tour-", ignore_cleanup_errors=True) as folder:
            os.environ |= environment(Path(folder))
            drawn = asyncio.run(taken(name))
        image(name).write_text(drawn, encoding="utf-8")
        print(f"tour-{name}.svg", len(drawn.encode()), "bytes", flush=True)


if __name__ == "__main__":
    main()
