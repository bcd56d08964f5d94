"""The grid of who holds which element of a tile: moved over, clicked on, two where a layout changes."""

import re

import pytest
from doing import SMALL, WIDE, Host, seen, show, until

from tutor.ui.ladder.lanes_screen import LaneGrid, LanesScreen
from tutor.ui.ladder.screen import LadderScreen
from tutor.xray.model.subject import Subject
from tutor.xray.model.tile_layouts import Tile, TileView, list_views, read_definitions

TEXT = """\
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module {
    %9 = ttg.convert_layout %8 : tensor<32x16xf16, #mma> -> tensor<32x16xf16, #blocked>
    %5 = foo : tensor<16x16xf16, #ttg.amd_mfma<{version = 3}>>
}
"""  # noqa: E501  (as TTGIR has it)
KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def add(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + 1)
"""


def words(host: Host) -> str:
    return " ".join(re.sub("[│╭╮╰╯─]", " ", seen(host)).split())


async def test_a_conversion_shows_both_and_what_it_moves(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        host.push_screen(LanesScreen(list_views(TEXT), read_definitions(TEXT)))
        await until(pilot, lambda: isinstance(host.screen, LanesScreen) and "Element" in seen(host))
        said = words(host)
        assert "32×16 f16 #mma → 32×16 f16 #blocked line 4 of TTGIR, 1 of 4" in said
        first = next(line for line in seen(host).splitlines() if line.startswith("│     0 "))
        assert [cell for cell in first.split() if cell.isdigit()] == [
            *[
                "0",
                "0",
                "0",
                "1",
                "1",
                "2",
                "2",
                "3",
                "3",
            ],  # the row, then m16n8: two elements a lane
            *["0", "0", "0", "0", "0", "1", "1", "1", "1"],  # and four a lane
        ]
        assert "It stays in its thread." in said
        await pilot.press("right", "right", "down")
        said = words(host)
        assert "Element (1, 2) warp 0, lane 5, register 0 → warp 0, lane 4, register 2." in said
        assert "It goes to another lane of its warp." in said
        places = [(row, column) for row in range(32) for column in range(16)]
        mma = [(2 * (r // 16) + c // 8, 4 * (r % 8) + c % 8 // 2) for r, c in places]
        blocked = [(r // 8, 4 * (r % 8) + c // 4) for r, c in places]
        stay = sum(map(tuple.__eq__, mma, blocked))
        assert f"Of 512 elements {stay} stay in their thread" in said
        await pilot.press("pagedown", "v")
        assert "Element (9, 2) warp 0, lane 5, register 2 → warp 1, lane 4, register 2." in words(
            host
        )
        assert "It goes to another warp." in words(host)
        assert "A number is the warp" in words(host)


async def test_a_click_chooses_an_element_and_a_strange_layout_says_so(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        host.push_screen(LanesScreen(list_views(TEXT), read_definitions(TEXT), start=1))
        await until(pilot, lambda: isinstance(host.screen, LanesScreen) and "Element" in seen(host))
        assert "32×16 f16 #mma line 4 of TTGIR, 2 of 4" in words(host)
        await pilot.click(LaneGrid, offset=(4 + 4 * 3 + 2, 1 + 8))
        assert "Element (8, 3) warp 0, lane 1, register 3." in words(host)
        assert "A block is 4 warps of 32 lanes, 4 registers a thread." in words(host)
        await pilot.press("n", "n")
        await until(pilot, lambda: "is not told of the layout amd mfma." in words(host))
        await pilot.press("down", "n")
        await until(pilot, lambda: "1 of 4" in words(host))
        await pilot.press("escape")
        assert not isinstance(host.screen, LanesScreen)


async def test_a_long_tile_is_broken_into_lines_that_begin_at_an_element(host: Host) -> None:
    inside = "sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]"
    definitions = {"#blocked": f"#ttg.blocked<{{{inside}}}>"}
    async with host.run_test(size=SMALL) as pilot:
        view = TileView((Tile((1 << 14,), "f32", "#blocked"),), 3)
        host.push_screen(LanesScreen([view], definitions))
        await until(pilot, lambda: isinstance(host.screen, LanesScreen) and "Element" in seen(host))
        rows = [line.strip("│ ").split() for line in seen(host).splitlines()]
        assert ["16", *(str(lane) for lane in (4, 5, 6, 7) for _ in range(4))] in rows
        await pilot.press(*["pagedown"] * 128)
        assert "Element [16368] warp 3, lane 28, register 124." in words(host)
        await pilot.click(LaneGrid, offset=(5 + 4 * 15 + 2, 1))
        last = re.search(r"Element \[(\d+)\]", words(host))
        assert last is not None
        assert int(last[1]) % 16 == 15


@pytest.mark.slow
async def test_the_tile_of_a_line_of_triton(host: Host) -> None:
    subject = Subject("add.py", KERNEL, "add", ("f32[1024]", "f32[1024]", "BLOCK=1024"))
    async with host.run_test(size=WIDE) as pilot:
        screen = LadderScreen(subject)
        await show(pilot, screen)
        await pilot.press("L")
        await until(pilot, lambda: not screen.xray.running)
        if not isinstance(host.screen, LanesScreen):  # pressed before there was TTGIR
            line = next(i for i, t in enumerate(screen.panes.first.view.lines) if "tl.load" in t)
            screen.panes.first.view.go(line)
            await pilot.press("L")
        await until(pilot, lambda: isinstance(host.screen, LanesScreen))
        assert re.search(r"1024 \S+ #blocked", words(host))
        await pilot.press(*["right"] * 5)
        assert "Element [5] warp 0, lane 1, register 1." in words(host)
