"""Scratch cells: they see the file, are kept, bounded and can be stopped."""

import sys

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from tutor.base import paths
from tutor.judge.scratch_cells import cell_at
from tutor.ui.lab.scratch_runner import BEGIN
from tutor.ui.lab.screen import LabScreen

pytestmark = pytest.mark.slow

SLUG = "vector_add"


async def open_cells(pilot: Pilot[None], host: Host, cells: str) -> LabScreen:
    """The lab with a right answer in the editor and `cells` in the scratch page's."""
    lab = LabScreen(SLUG)
    await show(pilot, lab)
    lab.document.editor.replace_text(host.course.exercise(SLUG).solution.read_text())
    lab.panes.show_side("pane")
    await pilot.press("r")
    await pilot.pause()
    lab.scratch.editor.replace_text(cells)
    lab.scratch.editor.move_cursor(lab.scratch.editor.document.end)
    return lab


# The learner's kernel runs on the GPU where there is one.
FIRST = """x = torch.arange(3.)
x = x.cuda() if torch.cuda.is_available() else x
add(x, x).cpu()"""


async def ran(pilot: Pilot[None], lab: LabScreen) -> str:
    await pilot.press("f5")
    await until(pilot, lambda: not lab.scratch.running)
    return seen(lab.app)


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_cell_sees_what_the_file_defines(host: Host, size: tuple[int, int]) -> None:
    async with host.run_test(size=size) as pilot:
        lab = await open_cells(pilot, host, FIRST)
        assert "tensor([0., 2., 4.])" in await ran(pilot, lab)
        assert not lab.judgement.running
        assert host.record.activity.attempts(SLUG) == ()
        file = paths.work_dir() / "scratch" / f"{SLUG}.py"
        assert file.read_text() == FIRST
        # names stay from cell to cell, and errors name the lines of the text
        cells = "# %%\n1 / 0\n# %%\n2 / 1\n# %% last\nx.sum().item(), triton.cdiv(5, 2)"
        lab.scratch.editor.replace_text(cells)
        lab.scratch.editor.move_cursor((5, 0))
        assert "(3.0, 3)" in await ran(pilot, lab)
        lab.scratch.editor.move_cursor((1, 0))
        text = await ran(pilot, lab)
        assert "ZeroDivisionError" in text
        assert "line 2" in text
        await pilot.press("f4", "w")
        await pilot.pause()
        assert "ZeroDivisionError" not in seen(host)
        lab.scratch.editor.move_cursor((5, 0))
        assert "NameError" in await ran(pilot, lab)  # forgotten


async def test_cells_are_there_again_and_what_others_wrote_is_kept(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_cells(pilot, host, "mine = 1\n")
        file = paths.work_dir() / "scratch" / f"{SLUG}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("theirs = 1\n")
        lab.action_leave()  # before the second after which it would be saved
        await pilot.pause()
        assert file.read_text() == "mine = 1\n"
        assert "theirs = 1\n" in {edit.text for edit in host.record.activity.edits(SLUG)}
        again = LabScreen(SLUG)
        await show(pilot, again)
        again.action_page("scratch")
        await pilot.pause()
        assert again.scratch.editor.text == "mine = 1\n"
        assert again.scratch.editor.cursor_location == (1, 0), "one goes on at the end"


async def test_an_untouched_page_leaves_no_file(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = LabScreen(SLUG)
        await show(pilot, lab)
        lab.action_page("scratch")
        await pilot.pause()
        assert lab.scratch.editor.text == BEGIN
        lab.action_leave()
        await pilot.pause()
        assert not (paths.work_dir() / "scratch").exists()


async def test_a_file_that_does_not_run_is_named(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_cells(pilot, host, "1 + 1")
        lab.document.editor.replace_text("import torch\nraise ValueError('[/b] no')\n")
        text = await ran(pilot, lab)
        assert f"{SLUG}.py does not run" in text
        assert "ValueError: [/b] no" in text
        lab.document.editor.replace_text("y = 7\n")
        lab.scratch.editor.replace_text("y, 'add' in globals()")
        assert "(7, False)" in await ran(pilot, lab)  # nothing is left of the text before


async def test_endless_output_is_bounded_and_an_endless_cell_stops(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_cells(pilot, host, "while True: print('\\0[red]' * 9)")
        text = await ran(pilot, lab)
        assert "stopped" in text
        assert "\0" not in text
        lab.scratch.editor.replace_text("while True: pass")
        await pilot.press("f5")
        await pilot.pause(1)
        assert lab.scratch.running
        await pilot.press("enter", *"# typed")
        assert lab.scratch.editor.text.endswith("# typed")
        await pilot.press("f10")
        await until(pilot, lambda: not lab.scratch.running)
        lab.scratch.editor.replace_text("'alive' * 2")
        assert "'alivealive'" in await ran(pilot, lab)


async def test_a_stop_that_comes_after_the_end_of_a_cell_does_not_stop_the_next(
    host: Host,
) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_cells(pilot, host, "'first' * 2")
        assert "'firstfirst'" in await ran(pilot, lab)
        assert lab.scratch._session is not None
        lab.scratch._session.stop()
        lab.scratch.editor.replace_text("'next' * 2")
        assert "'nextnext'" in await ran(pilot, lab)


async def test_a_check_comes_before_a_cell(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_cells(pilot, host, "while True: pass")
        await pilot.press("f5")
        await pilot.pause(1)
        lab.action_check()
        await until(pilot, lambda: not lab.judgement.running)
        assert lab.judgement.report.verdict is not None
        assert lab.judgement.report.verdict.passed
        await until(pilot, lambda: not lab.scratch.running)


async def test_a_judge_that_cannot_start_ends_the_cell(
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_cells(pilot, host, "1 + 1")
        # With a GPU the lab asks the judge to compile, which would start it again.
        await until(pilot, lambda: not any(w.is_running for w in lab.workers))
        host.judge.close()
        with monkeypatch.context() as broken:
            broken.setattr(sys, "executable", "/no/such/python")
            await pilot.press("f5")
            await until(pilot, lambda: not lab.scratch.running)
        assert "/no/such/python" in seen(host)
        lab.scratch.editor.replace_text("'alive' * 2")
        assert "'alivealive'" in await ran(pilot, lab)


@given(
    st.lists(st.sampled_from(["x", "# %%", "  # %%", "#%% y", ""]), min_size=1, max_size=8),
    st.data(),
)
def test_every_line_is_in_one_cell_and_keeps_its_number(
    lines: list[str], data: st.DataObject
) -> None:
    row = data.draw(st.integers(0, len(lines) - 1))
    cell = cell_at("\n".join(lines), row).split("\n")
    assert cell[row] == lines[row]
    assert all(mine in ("", theirs) for mine, theirs in zip(cell, lines, strict=False))


@pytest.mark.parametrize("keys", [["escape", "v"], ["ctrl+s"]])
async def test_the_keys_of_the_cells_are_gone_with_their_page(host: Host, keys: list[str]) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_cells(pilot, host, "1 / 0")
        await ran(pilot, lab)
        assert "f5 run" in seen(host).split("\n")[-1]
        await pilot.press(*keys)
        await until(pilot, lambda: lab.pane.page == "verdict")
        await until(pilot, lambda: "f5 run" not in seen(host).split("\n")[-1])
        assert "^s check" in seen(host).split("\n")[-1]
