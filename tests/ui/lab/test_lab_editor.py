"""What the lab's editor does besides typing, with and without ctrl."""

import asyncio

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from textual.pilot import Pilot
from textual.widgets.text_area import Selection

from tutor.ui.lab.edit_menu import EditMenu
from tutor.ui.lab.screen import LabScreen

TEXT = "def add(x, y):\n    out = x + y\n    return out\n"


async def lab_with(pilot: Pilot[None], host: Host, text: str = TEXT) -> LabScreen:
    screen = LabScreen("vector_add")
    await show(pilot, screen)
    screen.panes.show_side("editor")
    screen.document.editor.replace_text(text)
    screen.document.editor.move_cursor((0, 0))
    await pilot.pause()
    return screen


async def by_menu(pilot: Pilot[None], key: str) -> None:
    await pilot.press("f4")
    await until(pilot, lambda: isinstance(pilot.app.screen, EditMenu))
    await pilot.press(key)
    await until(pilot, lambda: not isinstance(pilot.app.screen, EditMenu))


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_lines_become_comments_and_code_again(host: Host, size: tuple[int, int]) -> None:
    async with host.run_test(size=size) as pilot:
        lab = await lab_with(pilot, host)
        lab.document.editor.selection = Selection((1, 6), (2, 3))
        await by_menu(pilot, "c")
        assert lab.document.editor.text == "def add(x, y):\n    # out = x + y\n    # return out\n"
        assert lab.document.editor.has_focus
        await pilot.press("ctrl+slash")
        assert lab.document.editor.text == TEXT
        await by_menu(pilot, "u")
        assert "# out" in lab.document.editor.text
        await by_menu(pilot, "r")
        assert lab.document.editor.text == TEXT


@pytest.mark.slow
async def test_tab_moves_selected_lines_and_escape_leaves(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await lab_with(pilot, host)
        lab.document.editor.selection = Selection(
            (1, 0), (3, 0)
        )  # two lines: the third is not touched
        await pilot.press("tab")
        moved = "def add(x, y):\n        out = x + y\n        return out\n"
        assert lab.document.editor.text == moved
        await pilot.press("shift+tab", "shift+tab")
        assert lab.document.editor.text == "def add(x, y):\nout = x + y\nreturn out\n"
        await pilot.press("ctrl+z", "ctrl+z")
        assert lab.document.editor.text == moved
        lab.document.editor.move_cursor((3, 0))
        await pilot.press("tab", "x")
        assert lab.document.editor.text == moved + "    x"
        await pilot.press("escape")
        assert not lab.document.editor.has_focus
        assert host.screen is lab


@pytest.mark.slow
async def test_finding_counts_goes_round_and_gives_the_keyboard_back(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await lab_with(pilot, host, "a Out\nout = 1\n" + "\n" * 40 + "# OUT\n")
        await pilot.press("ctrl+f", *"out")
        await pilot.pause()
        assert "1 of 3" in seen(host)
        assert lab.document.editor.selected_text == "Out"
        await pilot.press("enter")
        assert lab.document.editor.selection == Selection((1, 0), (1, 3))
        await pilot.press("down")
        await pilot.pause()
        assert "3 of 3" in seen(host)
        assert "# OUT" in seen(host)  # in sight
        await pilot.press("down", "up")
        assert lab.document.editor.selected_text == "OUT"
        await pilot.press("backspace", "backspace", "backspace", *"Out")  # a capital counts
        await pilot.pause()
        assert "1 of 1" in seen(host)
        assert lab.document.editor.selected_text == "Out"
        await pilot.press(*"zz")
        await pilot.pause()
        assert "not found" in seen(host)
        await pilot.press("escape")
        await pilot.pause()
        assert lab.document.editor.has_focus
        assert "find" not in seen(host).replace("^f find", "")  # the footer names the key
        await by_menu(pilot, "f")
        await pilot.press(*"Out", "escape")
        await by_menu(pilot, "n")  # the same place again
        assert lab.document.editor.selection == Selection((0, 2), (0, 5))


@pytest.mark.slow
async def test_finding_takes_any_text_as_it_is(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await lab_with(pilot, host, "kernel[grid](x)\n[/red] İi\n")
        await pilot.press("ctrl+f", *"[/red]")
        assert lab.document.editor.selected_text == "[/red]"
        await pilot.press("escape", "ctrl+f", *"(")
        await pilot.pause()
        assert lab.document.editor.selected_text == "("
        assert "1 of 1" in seen(host)


@pytest.mark.slow
async def test_going_to_a_line_and_to_a_bracket(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await lab_with(pilot, host, "f(\n" + "x\n" * 60 + ")\n")
        await by_menu(pilot, "g")
        await pilot.press(*"62")
        await pilot.pause()
        assert lab.document.editor.cursor_location == (61, 0)
        await pilot.press("enter")
        assert lab.document.editor.has_focus
        await by_menu(pilot, "b")
        assert lab.document.editor.cursor_location == (0, 1)
        await pilot.press("ctrl+g", *"99999999999", "enter")
        assert lab.document.editor.cursor_location[0] == lab.document.editor.document.line_count - 1
        await pilot.press("ctrl+g", *"-x", "enter")
        assert lab.document.editor.has_focus


@pytest.mark.slow
async def test_the_bracket_that_belongs_to_the_cursor_is_marked(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await lab_with(pilot, host, "f((1),\n  2)\n")
        lab.document.editor.move_cursor((0, 1))
        await pilot.pause()
        strip = lab.document.editor.render_line(1)
        marked = [s.text for s in strip if s.style and s.style.underline and s.style.bold]
        assert marked == [")"]


@pytest.mark.slow
async def test_typing_goes_on_while_a_cell_and_the_judge_work(host: Host) -> None:
    """Nothing that runs may hold a key back."""
    async with host.run_test(size=WIDE) as pilot:
        lab = await lab_with(pilot, host, "while True:\n    pass\n")
        await pilot.press("f5")
        assert lab.judgement.running
        lab.document.editor.move_cursor(lab.document.editor.document.end)
        await asyncio.wait_for(pilot.press(*"# typed"), 20)
        assert lab.document.editor.text.endswith("# typed")
        assert lab.judgement.running
        await pilot.press("f10")
        assert not lab.judgement.running


@pytest.mark.slow
async def test_a_clause_goes_out_to_its_block_and_undo_brings_it_back(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        before = "def add(x, y):\n    if x:\n        y()\n"
        lab = await lab_with(pilot, host, before)
        lab.document.editor.move_cursor((2, 11))
        await pilot.press("enter", *"else")
        assert lab.document.editor.document.get_line(3) == "        else"
        await pilot.press("colon")
        assert lab.document.editor.text == f"{before}    else:\n"
        assert lab.document.editor.cursor_location == (3, 9)
        await pilot.press("ctrl+z")
        assert lab.document.editor.text == f"{before}        else:\n"
        await pilot.press("ctrl+y")
        assert lab.document.editor.text == f"{before}    else:\n"
        await pilot.press("enter", *"z()")
        assert lab.document.editor.text == f"{before}    else:\n        z()\n"
        # A colon before more text, and one over a selection, are only colons.
        lab.document.editor.replace_text("if x:\n    y()\n    else z\n")
        lab.document.editor.move_cursor((2, 8))
        await pilot.press("colon")
        assert lab.document.editor.text == "if x:\n    y()\n    else: z\n"
        lab.document.editor.selection = Selection((2, 0), (0, 3))
        await pilot.press("colon")
        assert lab.document.editor.text == "if :    else: z\n"


@pytest.mark.slow
@pytest.mark.parametrize("side", ["file", "scratch"])
async def test_a_key_that_comes_while_the_page_goes_is_kept(host: Host, side: str) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await lab_with(pilot, host)
        lab.action_page("scratch")
        await pilot.pause()
        path, editor = lab.document.work.path, lab.document.editor
        if side == "scratch":
            assert lab.scratch.file is not None
            path, editor = lab.scratch.file.path, lab.scratch.editor
        lab.put_away()
        editor.insert("late")
        await host.pop_screen()
        await until(pilot, lambda: path.exists() and "late" in path.read_text(), 20)
