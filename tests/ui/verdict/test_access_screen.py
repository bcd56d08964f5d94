"""The access map on the screen: opened from the lab, stepped with the keys."""

import sys

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from textual import events
from textual.pilot import Pilot

from tutor.course.reading.wrong_answers import wrong_answer
from tutor.judge.client import Judge
from tutor.ui.lab.screen import LabScreen
from tutor.ui.verdict.access_map import AccessScreen


async def opened(pilot: Pilot[None], host: Host, slug: str, wrong: str = "") -> AccessScreen:
    folder = host.course.exercise(slug).folder
    source = wrong_answer(folder, wrong).code if wrong else (folder / "solution.py").read_text()
    await show(pilot, AccessScreen(slug, source, f"{slug}.py"))
    screen = host.screen
    assert isinstance(screen, AccessScreen)
    await until(pilot, lambda: screen.access_map is not None)
    return screen


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_arrows_step_through_the_programs(host: Host, size: tuple[int, int]) -> None:
    async with host.run_test(size=size, notifications=True) as pilot:
        screen = await opened(pilot, host, "transpose")
        await until(pilot, lambda: "→ program" in seen(host))
        text = seen(host)
        assert "Program (0, 0, 0) moves 8.2 kB" in text
        assert "the task needs 8.7 kB: 1.00×" in " ".join(text.split())
        await pilot.press("right")
        assert "x_ptr: row 32, columns 0 to 31 (32 of 1024 lanes)" in seen(host)
        await pilot.press("down")
        assert "x_ptr: row 32, column 32 (1 of 1024 lanes)" in seen(host)
        await pilot.press("left", "up")
        assert screen.program == (0, 0, 0)
        await pilot.press("left", "pagedown")
        assert screen.program == (0, 0, 0)
        await until(pilot, lambda: "The grid has 1 program along z." in seen(host))


@pytest.mark.slow
async def test_the_footer_names_no_key_to_what_is_not_there(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await opened(pilot, host, "add_ten")  # one program
        await until(pilot, lambda: "] next access" in seen(host))
        assert "→ program" not in seen(host)
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "░ used by its other accesses" in seen(host))


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_brackets_step_through_loads_and_stores(host: Host, size: tuple[int, int]) -> None:
    async with host.run_test(size=size) as pilot:
        screen = await opened(pilot, host, "tiled_matmul")
        await pilot.press("right_square_bracket", "right_square_bracket")
        await pilot.pause()
        text = seen(host)
        assert "▸ line 25 loads b_ptr: rows 0 to 31, columns 0 to 63" in text
        assert "▸ b_ptr f32[65,65]" in text
        assert "y = tl.load(b_tile" in text
        await pilot.press("left_square_bracket", "left_square_bracket")
        assert screen.step_at is None
        await pilot.press(*["right_square_bracket"] * 20)
        assert screen.step_at == len(screen.steps) - 1
        await pilot.pause()
        assert "▸ c_ptr" in seen(host)
        await pilot.press("tab")
        await pilot.pause()
        assert "▸ a_ptr" in seen(host)


@pytest.mark.slow
async def test_a_race_and_what_lies_outside_are_marked(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await opened(pilot, host, "row_sum", "programs_share_a_row")
        assert "! in a race with another program" in seen(host)
        host.pop_screen()
        await opened(pilot, host, "vector_add", "no_mask")
        await pilot.press("right")
        await pilot.pause()
        assert "1023 lanes OUTSIDE" in seen(host)
        await pilot.resize_terminal(60, 24)
        await until(pilot, lambda: "OUTSIDE" in seen(host))
        rows = seen(host).split("\n")
        steps = rows[next(i for i, row in enumerate(rows) if "Program (1, 0, 0)" in row) + 1 :]
        steps = steps[: next(i for i, row in enumerate(steps) if not row.strip())]
        assert len(steps) > 1, "they wrap"
        assert all(row.startswith("   ") for row in steps), "the rest of a step stands below it"


@pytest.mark.slow
async def test_another_case_can_be_chosen(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, host, "vector_add")
        await pilot.press("c")
        await pilot.pause()
        await pilot.press("home", "enter")
        await until(pilot, lambda: screen.access_map and screen.access_map.case == "one element")
        assert "out_ptr f32[1]" in seen(host)  # the one that is stored into


@pytest.mark.slow
async def test_the_lab_opens_it_and_it_says_why_there_is_none(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, LabScreen("vector_add"))
        lab = host.screen
        assert isinstance(lab, LabScreen)
        lab.panes.show_side("editor")
        lab.document.editor.select_all()
        host.post_message(events.Paste("def add(x, y):\n    return x + y\n"))
        await pilot.pause()
        lab.panes.show_side("pane")
        await pilot.press("m")
        await until(pilot, lambda: isinstance(host.screen, AccessScreen))
        await until(pilot, lambda: "no kernel of yours was launched" in seen(host))
        await pilot.press("m")
        await pilot.pause()
        assert host.screen is lab


@pytest.mark.slow
async def test_a_window_of_any_width_can_be_drawn(host: Host) -> None:
    """Also where another screen says that it is too small: this one is drawn below it."""
    async with host.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, host, "transpose")
        for width in (*range(1, 42), 120):
            await pilot.resize_terminal(width, 24)
            screen._draw()
        assert "Program (0, 0, 0)" in seen(host)


async def test_a_judge_that_cannot_start_is_one_sentence(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host.run_test(size=WIDE) as pilot:
        host.judge = Judge(host.course.root)
        with monkeypatch.context() as broken:
            broken.setattr(sys, "executable", "/no/such/python")
            await show(pilot, AccessScreen("row_sum", "", "row_sum.py"))
            await until(pilot, lambda: "/no/such/python" in seen(host))
        assert "Running it" not in seen(host)


@pytest.mark.parametrize(("slug", "offered"), [("vector_add", True), ("schedule_order", False)])
async def test_the_lab_offers_the_map_of_a_kernel_only(
    host: Host, slug: str, offered: bool
) -> None:
    async with host.run_test(size=(200, 40)) as pilot:
        await show(pilot, LabScreen(slug))
        lab = host.screen
        assert isinstance(lab, LabScreen)
        lab.panes.show_side("pane")
        await until(pilot, lambda: "i edit" in seen(host))
        assert ("m" in lab.active_bindings) is offered
        await pilot.press("m")
        await pilot.pause()
        assert isinstance(host.screen, AccessScreen) is offered
