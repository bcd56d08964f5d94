"""What a kernel is without each of Triton's passes: a table that fills, and what is behind a row."""

import asyncio

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from textual.pilot import Pilot
from textual.widgets import OptionList

from tutor.ui.ladder.drill_screen import DrillScreen
from tutor.ui.ladder.pass_run import PassRun
from tutor.ui.ladder.passes_screen import PassesScreen
from tutor.ui.ladder.screen import LadderScreen
from tutor.xray.model.stages import Event, LaunchTime, Omission
from tutor.xray.model.subject import Subject

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    total = tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask)
    tl.store(out + i, total, mask=mask)
"""
INPUTS = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")
SUBJECT = Subject("add.py", KERNEL, "add", INPUTS)
COUNTS = (("instructions", 42), ("load_bits", 128), ("store_bits", 128), ("shared_bytes", 0))
NARROW = (("instructions", 84), ("load_bits", 32), ("store_bits", 32), ("shared_bytes", 0))


async def guess(pilot: Pilot[None], host: Host) -> None:
    """Answer a question on the kernel's own code, and go back to the table."""
    await pilot.press("g")
    await until(pilot, lambda: isinstance(host.screen, DrillScreen))
    drill = host.screen
    assert isinstance(drill, DrillScreen)
    right = drill._question.options.index(drill._question.row)
    await pilot.press(*["down"] * right, "enter")
    assert f"Right. {drill._question.row.name}" in seen(host)
    assert "1 of 1 right." in " ".join(seen(host).replace("│", " ").split())
    before = drill._question.row
    await pilot.press("n")
    assert drill._question.row is not before
    await pilot.press("escape")
    await until(pilot, lambda: isinstance(host.screen, PassesScreen))


async def open_page(pilot: Pilot[None], host: Host) -> tuple[LadderScreen, PassRun]:
    """Open the page over a ladder, without a judge: its rows are the test's."""
    screen = LadderScreen(Subject("add.py", KERNEL, "add"))
    await show(pilot, screen)
    host.push_screen(PassesScreen(screen.pass_run, "add", "sm_90"))
    await until(pilot, lambda: isinstance(host.screen, PassesScreen))
    return screen, screen.pass_run


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_row_leads_to_the_difference(host: Host, size: tuple[int, int]) -> None:
    async with host.run_test(size=size) as pilot:
        screen = LadderScreen(SUBJECT)
        await show(pilot, screen)
        await until(pilot, lambda: not screen.xray.running)
        await pilot.press("W")
        await until(pilot, lambda: isinstance(host.screen, PassesScreen))
        await until(pilot, lambda: len(screen.pass_run.rows) > 12, 120)
        assert "passes left out …" in seen(host), "rows come while others are made"
        await until(pilot, lambda: not screen.pass_run.running, 200)
        run, options = screen.pass_run, host.screen.query_one(OptionList)
        assert run.is_whole
        at = next(i for i, o in enumerate(options.options) if o.id == "ttgir:coalesce")
        while options.highlighted != at:
            await pilot.press("j")
        said = " ".join(seen(host).replace("│", " ").split())
        assert "neighbouring addresses" in said, "what the pass is for"
        assert "32 bits of the widest load (with it 128)" in said
        await guess(pilot, host)
        await pilot.press("enter")
        await until(pilot, lambda: screen.panes.comparison and screen.panes.comparison.done)
        await until(pilot, lambda: "sizePerThread = [1]" in seen(host))
        assert "without coalesce" in seen(host)
        assert screen.panes.first.key == "ttgir:add"
        marks = screen.panes.comparison.marks() if screen.panes.comparison else {}
        assert marks["ttir:add"] == "same"
        assert marks["sass:add"] != "same"
        await pilot.press("escape")
        assert host.screen is screen, "the first escape ends the comparison"
        assert screen.panes.comparison is None
        await pilot.press("W")
        await until(pilot, lambda: isinstance(host.screen, PassesScreen))
        assert not run.running, "the rows are kept"
        assert "coalesce" in seen(host)


@pytest.mark.slow
async def test_it_is_stopped_and_begun_again(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        screen = LadderScreen(SUBJECT)
        await show(pilot, screen)
        await until(pilot, lambda: not screen.xray.running)
        await pilot.press("W")
        run = screen.pass_run
        await until(pilot, lambda: len(run.rows) > 1, 120)
        await pilot.press("x")
        assert not run.running
        rows = list(run.rows)
        assert "Stopped." in seen(host)
        await pilot.press("r")
        await until(pilot, lambda: run.running and run.rows and run.rows != rows, 120)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: not run.running)


async def test_rows_stand_in_the_order_of_the_passes(host: Host) -> None:
    """Without a judge: rows come in any order, a reason is told, and the idle ones are named."""
    async with host.run_test(size=SMALL) as pilot:
        _, run = await open_page(pilot, host)
        events: list[Event] = [
            Omission("add", "", "", of=3, counts=COUNTS),
            Omission("add", "ttgir", "to_llvmir", 1, 3, 3, failed="llir", sentence="it [fails]"),
            Omission("add", "ttgir", "pipeline", 1, 2, 3, counts=COUNTS),
            Omission("add", "ttgir", "coalesce", 2, 1, 3, ("ttgir",), NARROW),
        ]
        run._take(events)
        await pilot.pause()
        lines = [line.strip("│ ") for line in seen(host).splitlines()]
        first = next(i for i, line in enumerate(lines) if line.startswith("nothing"))
        assert lines[first].split() == ["nothing", "42", "128", "0", "-", "-", "-", "-"]
        assert lines[first + 1] == "ttgir"
        assert lines[first + 2].split()[:4] == ["coalesce", "×2", "84", "32"]
        assert lines[first + 3].startswith("to_llvmir")
        assert "no llir: it [fails]" in lines[first + 3]
        assert lines[first + 4] == "the same without 1 other pass"
        assert "x: stops" not in seen(host), "nothing is lowered"
        assert "Enter: difference" not in seen(host), "these rows have no texts"
        assert "g: guess · r: again" in seen(host)
        await pilot.press("end")
        assert "ttgir: pipeline" in seen(host)
        await pilot.press("g")
        (note,) = host._notifications
        assert note.message == "No two passes change this kernel's code in different ways."
        run._end("Passes are left out with another Triton only.")  # as an untried pair is refused
        await until(pilot, lambda: "Passes are left out with another Triton only." in seen(host))
        await pilot.click(OptionList, offset=(4, 2))
        assert isinstance(host.screen, PassesScreen), "a row without texts leads nowhere"


async def test_rows_that_come_while_the_page_is_removed_are_kept(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        screen, run = await open_page(pilot, host)
        page, taken = host.screen, 0
        page.dismiss(None)
        while page.is_attached:
            run._take([Omission("add", "ttgir", f"pass{taken}", 1, taken, 900, counts=COUNTS)])
            taken += 1
            await asyncio.sleep(0)
        assert len(run.rows) == taken > 1
        assert host.screen is screen


async def test_times_stand_in_a_column_of_their_own(host: Host) -> None:
    """As on a machine with the GPU, in 80 columns: nothing of a row is cut."""
    async with host.run_test(size=SMALL) as pilot:
        _, run = await open_page(pilot, host)
        times = [LaunchTime(4.0, 3.9, 4.1), LaunchTime(12_345.0, 12_300.0, 12_400.0)]
        name = "remove_layout_conversions"
        events: list[Event] = [
            Omission("add", "", "", of=1, counts=COUNTS, time=times[0]),
            Omission("add", "ttgir", name, 3, 1, 1, ("ttgir",), NARROW, time=times[1]),
        ]
        run._take(events)
        await pilot.pause()
        lines = [line.strip("│ ") for line in seen(host).splitlines()]
        heads = next(line for line in lines if line.startswith("without"))
        first = lines.index("ttgir")
        assert heads.split()[-2:] == ["spill", "µs"]
        assert lines[first - 1].split()[-1] == "4.00"
        assert lines[first + 1].split()[-1] == "12,345"
        assert lines[first + 1].startswith("remove_layout_conv")
        await pilot.press("down")
        assert "A launch takes 12,345 µs (with it 4.00)." in " ".join(
            seen(host).replace("│", " ").split()
        )
