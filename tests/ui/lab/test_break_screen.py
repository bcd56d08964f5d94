"""Cases in the lab: kept as they are typed, played by key and mouse, stopped by Esc."""

import threading
from collections.abc import Iterator

import pytest
from doing import SMALL, WIDE, Host, seen, show, until

from tutor.base.errors import UsageError
from tutor.judge.breaking import kept_cases
from tutor.judge.breaking.kept_cases import read_holes
from tutor.judge.model.case_table import CaseTable, Hole, Mistake, PlayedCase
from tutor.judge.model.events import Progress
from tutor.ui.kit.widgets.press import Press
from tutor.ui.kit.widgets.text_box import TextBox
from tutor.ui.lab.break_screen import BreakScreen
from tutor.ui.lab.screen import LabScreen

SLUG = "vector_add"
PROMISE = "Two contiguous `float32` tensors of the same shape"


class Played:
    """A judge that has played: one mistake dies, one lives, one case is outside of the task."""

    may_have_gpu = False
    runner = None

    def __init__(self, trouble: str = "", waits: bool = False) -> None:
        self.trouble, self.waits = trouble, waits
        self.stopped = threading.Event()
        self.texts: list[tuple[str, ...]] = []

    def play_cases(self, _: str, texts: tuple[str, ...], own: str) -> Iterator[object]:
        self.texts.append(texts)
        yield Progress("answer 3 of 19")
        if self.trouble:
            raise UsageError(self.trouble)
        if self.waits:
            self.stopped.wait(30)
            raise UsageError("stopped on request")
        cases = tuple(
            PlayedCase(text, "f32[3]", "`x` is 3-D" if "3, 4, 5" in text else "", PROMISE)
            for text in texts
        )
        dies = Mistake("a", "It [/red] stores every lane.", "any size", (1,), True)
        lives = Mistake("b", "It skips the tail.", "any number of elements", (), True)
        holes = (Hole(texts[0], "wrong/a"),)
        yield CaseTable(SLUG, cases, (dies, lives), 8, None, holes)

    def prepare(self, _: str) -> None:
        pass

    def cancel(self) -> None:
        self.stopped.set()


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_cases_are_kept_played_and_there_again(host: Host, size: tuple[int, int]) -> None:
    judge = host.judge = Played()  # type: ignore[assignment]
    async with host.run_test(size=size) as pilot:
        await show(pilot, BreakScreen(SLUG))
        screen = host.screen
        assert isinstance(screen, BreakScreen)
        assert "Play these cases" in seen(host)
        await pilot.press("f5")
        await pilot.pause()
        assert not judge.texts  # there is no case yet
        await pilot.press(*"f32[3], f32[3]", "enter", *"x=f32[3, 4, 5], y=f32[3]")
        await until(pilot, lambda: "kept" in seen(host) and "not kept" not in seen(host))
        text = "f32[3], f32[3]\nx=f32[3, 4, 5], y=f32[3]"
        assert kept_cases.read_case_text(SLUG).rstrip() == text
        await pilot.press("f5")
        await until(pilot, lambda: screen.table is not None and "still passes" in seen(host))
        assert judge.texts == [tuple(text.splitlines())]
        assert "does not count: x is 3-D" in " ".join(seen(host).split())
        assert read_holes([SLUG]) == [(SLUG, Hole("f32[3], f32[3]", "wrong/a"))]
        screen.action_page(2)
        await until(pilot, lambda: "stores every lane" in seen(host))
        assert "[/red]" in seen(host)
        await pilot.press("escape")
        await until(pilot, lambda: host.screen is not screen)
        await show(pilot, BreakScreen(SLUG))
        assert host.screen.query_one(TextBox).text == text


async def test_the_mouse_plays_and_escape_stops_and_then_leaves(host: Host) -> None:
    judge = host.judge = Played(waits=True)  # type: ignore[assignment]
    kept_cases.keep_case_text(SLUG, "f32[3], f32[3]")
    async with host.run_test(size=WIDE) as pilot:
        await show(pilot, BreakScreen(SLUG))
        screen = host.screen
        await pilot.click(Press)
        await until(pilot, lambda: "answer 3 of 19" in seen(host))
        await pilot.press("escape")
        await until(pilot, lambda: "Stopped." in seen(host))
        assert judge.stopped.is_set()
        assert host.screen is screen
        await pilot.press("i", *"  #")
        await pilot.press("escape")  # before the text is kept by itself
        await until(pilot, lambda: host.screen is not screen)
        assert kept_cases.read_case_text(SLUG) == "f32[3], f32[3]  #\n"


async def test_what_is_no_case_is_said(host: Host) -> None:
    host.judge = Played("case 1: `x`: there is no `os.system`")  # type: ignore[assignment]
    kept_cases.keep_case_text(SLUG, "os.system('x')")
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, BreakScreen(SLUG))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "there is no `os.system`" in seen(host))
        assert "plays these cases" in seen(host)


async def test_the_lab_leads_to_it(host: Host) -> None:
    host.judge = Played()  # type: ignore[assignment]
    async with host.run_test(size=WIDE) as pilot:
        host.open(f"exercise:{SLUG}")
        await until(pilot, lambda: SLUG in seen(host))
        await pilot.press("f")
        await until(pilot, lambda: isinstance(host.screen, BreakScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(host.screen, LabScreen))
        lab = host.screen
        await until(pilot, lambda: lab.query("TaskPage Press"))
        button = lab.query_one("TaskPage Press")
        button.scroll_visible(animate=False, immediate=True)
        await pilot.pause()
        await pilot.click(button)
        await until(pilot, lambda: isinstance(host.screen, BreakScreen))
