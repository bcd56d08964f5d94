"""What the lab's pages look like, row by row, against the text files in `snapshots/`.

Verdict and attempts are given, so that no judge, torch or Triton decides what is right here. After a
change that is meant, `TUTOR_WRITE_SNAPSHOTS=1 pytest tests/ui/lab/test_lab_snapshots.py` writes
the files again; read their differences before you keep them. `sights.py` says how they show rows
and colours.
"""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import datetime, timezone

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from sights import compare, dark_and_light
from textual.pilot import Pilot
from timed import CEILINGS, H200, timing

from tutor.base import paths
from tutor.hardware.measured_peaks import keep_peaks
from tutor.judge.model.verdict import CaseResult, Diagnosis, Latency, Verdict, to_json
from tutor.judge.reports.report import Report
from tutor.memory.store.rows import Attempt
from tutor.ui.cells.cell_output import Output
from tutor.ui.cells.cell_runs import CellRun
from tutor.ui.kit.widgets.markdown import MarkdownView
from tutor.ui.lab.attempt_screen import AttemptScreen
from tutor.ui.lab.edit_menu import EditMenu
from tutor.ui.lab.pages.attempts import AttemptsPage
from tutor.ui.lab.pages.roofline import RooflinePage
from tutor.ui.lab.pages.solution import SolutionPage
from tutor.ui.lab.pages.task import TaskPage
from tutor.ui.lab.pages.versions import Version
from tutor.ui.lab.screen import LabScreen

SOURCE = """\
@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at))
"""
MASKED = SOURCE.replace("tl.load(x + at))", "tl.load(x + at, mask=at < n), mask=at < n)")
WRONG = Verdict(
    "vector_add",
    False,
    "cpu-interpreter",
    cases=(
        CaseResult("one block", "f32[1024]", True, 0.0, 1e-6),
        CaseResult("ragged", "f32[1025]", False, 3.5, 1e-6),
    ),
    diagnosis=(Diagnosis("out-of-bounds-load", "Line 4 loads past the end.", 4, detail="x"),),
    latency_ms=Latency(40.0, None, 90.0),
)
PASSED = replace(WRONG, passed=True, cases=WRONG.cases[:1], diagnosis=())
TIMED = replace(PASSED, device=H200, timing=timing(0.052))
AT = datetime(2026, 1, 2, 21, 4).astimezone(timezone.utc)
TRIES = (
    Version(AT, SOURCE + "# half a thought\n"),
    Version(
        AT, MASKED, Attempt(2, AT, "vector_add", MASKED, to_json(PASSED), True, "cpu-interpreter")
    ),
    Version(
        AT, SOURCE, Attempt(1, AT, "vector_add", SOURCE, to_json(WRONG), False, "cpu-interpreter")
    ),
)


async def hints(pilot: Pilot[None], lab: LabScreen) -> None:
    """Where the ladder starts: free, and nothing is recorded."""
    lab.judgement.report = Report(source=SOURCE).after(WRONG)
    lab.judgement.draw_soon()
    await until(pilot, lambda: not lab.judgement.redraw_pending)
    lab.action_hint()
    lab.panes.show_side("pane")
    await until(pilot, lambda: "Hint  " in seen(pilot.app))
    assert lab.tutor.record.activity.hints_shown(lab.slug) == 0


async def wrong(pilot: Pilot[None], lab: LabScreen) -> None:
    lab.judgement.report = Report(source=SOURCE).after(WRONG)
    lab.judgement.draw_soon()
    lab.action_page("verdict")
    await until(pilot, lambda: "Line 4 loads past the end" in seen(pilot.app))


async def right(pilot: Pilot[None], lab: LabScreen) -> None:
    """With the times of a GPU."""
    lab.judgement.report = Report(source=SOURCE).after(TIMED)
    lab.judgement.draw_soon()
    lab.action_page("verdict")
    await until(pilot, lambda: "4.8 TB/s" in seen(pilot.app))


async def roofline(pilot: Pilot[None], lab: LabScreen) -> None:
    """Two timed attempts under ceilings that were measured, and one that was not timed."""
    keep_peaks(CEILINGS)
    lab.action_page("roofline")
    slower = replace(TIMED, timing=timing(0.24))
    lab.pane.of(RooflinePage).show(
        tuple(
            Attempt(n, AT, "vector_add", MASKED, to_json(verdict), True, verdict.device)
            for n, verdict in ((3, TIMED), (2, slower), (1, PASSED))
        )
    )
    await until(pilot, lambda: "FLOP" in seen(pilot.app))


async def task(pilot: Pilot[None], lab: LabScreen) -> None:
    """The signature and how long it takes; the rest of the page is the course's text."""
    await lab.pane.of(TaskPage).query_one(MarkdownView).remove()
    lab.action_page("task")


async def solution(pilot: Pilot[None], lab: LabScreen) -> None:
    """Ours, not the course's."""
    page = lab.pane.of(SolutionPage)
    page.exercise = replace(page.exercise, folder=paths.record_file().parent)
    page.exercise.solution.write_text(MASKED, "utf-8")
    page.show()
    lab.action_page("solution")


async def attempts(pilot: Pilot[None], lab: LabScreen) -> None:
    lab.action_page("attempts")
    lab.pane.of(AttemptsPage).show(TRIES)


async def attempt(pilot: Pilot[None], lab: LabScreen) -> None:
    pilot.app.push_screen(AttemptScreen(TRIES, 2, MASKED))
    await until(pilot, lambda: isinstance(pilot.app.screen, AttemptScreen))


async def scratch(pilot: Pilot[None], lab: LabScreen) -> None:
    lab.action_page("scratch")
    await pilot.pause()
    run = CellRun("failed", error="1 is divided by 0.\nZeroDivisionError", ms=2.0, output=Output())
    run.output.add("tensor([0., 2., 4.])\n")
    lab.scratch.editor.replace_text("x = torch.arange(3.)\nprint(x + x)\n1 / 0\n")
    lab.scratch.show(run)


async def menu(pilot: Pilot[None], lab: LabScreen) -> None:
    lab.panes.show_side("editor")
    lab.action_panes("menu")
    await until(pilot, lambda: isinstance(pilot.app.screen, EditMenu))


async def found(pilot: Pilot[None], lab: LabScreen) -> None:
    lab.action_in_editor("find")
    await pilot.pause()
    await pilot.press(*"tl.")


Doing = Callable[[Pilot[None], LabScreen], Coroutine[None, None, None]]
DOINGS: tuple[Doing, ...] = (
    wrong,
    right,
    roofline,
    task,
    solution,
    hints,
    attempts,
    attempt,
    scratch,
    menu,
    found,
)


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE], ids=["80x24", "120x40"])
@pytest.mark.parametrize("doing", DOINGS)
async def test_the_lab_as_it_was(
    host: Host,
    size: tuple[int, int],
    doing: Doing,
) -> None:
    async with host.run_test(size=size) as pilot:
        lab = LabScreen("vector_add")
        await show(pilot, lab)
        lab.judgement.device = "cpu-interpreter"
        lab.document.editor.replace_text(SOURCE)
        lab.document.editor.move_cursor((0, 0))
        assert lab.document.save()
        lab.action_page("attempts")  # the task's text is not ours
        lab.document.saved_at = None
        lab.show_state()
        await doing(pilot, lab)
        await pilot.pause()
        await pilot.pause()
        shown = await dark_and_light(pilot)
    compare(f"lab_{doing.__name__}_{size[0]}x{size[1]}.txt", shown)
