"""The lowering ladder: real kernels through the real judge, read, searched, folded and compared."""

import asyncio
import re
import time

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tutor.course.catalog.glossary import explain
from tutor.ui.kit.widgets.footer import FooterKey
from tutor.ui.kit.widgets.text_view import TextView
from tutor.ui.lab.screen import LabScreen
from tutor.ui.ladder.model.stages import Ladder
from tutor.ui.ladder.screen import LadderScreen
from tutor.ui.ladder.stage_help import AboutScreen
from tutor.ui.ladder.stage_list import _stage_rows
from tutor.xray.model.stages import Failure, Link, Stage
from tutor.xray.model.subject import OtherText, Subject

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
LESS = KERNEL.replace(" + tl.load(y + i, mask=mask)", "")
INPUTS = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")
SUBJECT = Subject("add.py", KERNEL, "add", INPUTS, versions=(OtherText("one load less", LESS),))


async def open_ladder(pilot: Pilot[None], subject: Subject = SUBJECT) -> LadderScreen:
    screen = LadderScreen(subject)
    await show(pilot, screen)
    await until(pilot, lambda: not screen.xray.running)
    return screen


def foot(host: Host) -> str:
    return seen(host).splitlines()[-1]


def typed_keys(host: Host) -> list[str]:
    """The keys at the foot that a text would take for its own."""
    keys = [each.shown.key_display for each in host.screen.query(FooterKey)]
    return [key for key in keys if len(key) == 1]


async def see_who_waits_for_a_load(pilot: Pilot[None], host: Host, view: TextView) -> None:
    """From PTX to SASS, with its control codes, and without them again."""
    await pilot.press("n", "s", "slash", *"LDG", "enter")
    assert re.match(r"/\*.\d →\d", view.text_of(view.cursor)), "a load raises a barrier"
    waiting = [line for line, mark in view._marks.items() if mark == "lit"]
    assert waiting, "the line that waits for it is lit"
    assert f"Line {waiting[0] + 1} waits for its result." in " ".join(seen(host).split())
    await pilot.press("s")
    assert "→" not in view.text_of(view.cursor)


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_kernel_from_triton_to_sass(host: Host, size: tuple[int, int]) -> None:
    async with host.run_test(size=size) as pilot:
        screen = await open_ladder(pilot)
        names = [stage.name for stage in screen.panes.ladder.order_stages()]
        assert names == ["triton", "ttir", "ttgir", "llir", "ptx", "sass"]
        text = seen(host)
        assert all(name in text for name in names)
        assert "def add(x, y, out, n, BLOCK" in text
        assert screen.panes.second.display == (size is WIDE)
        if size is WIDE:
            assert screen.panes.second.key == "ttir:add", "beside it, what it became"
            await pilot.press(*["down"] * 4)  # the line with two loads
            view = screen.panes.second.view
            loads = [i for i, line in enumerate(view.lines) if "tt.load" in line]
            assert len(loads) == 2
            assert set(loads) <= set(view._marks), "both are lit"
            assert re.search(r"ttir +\d lines", seen(host))
            assert unexplained(screen) == []
        await pilot.press("n", "n", "n", "n")
        assert screen.panes.first.key == "ptx:add"
        assert typed_keys(host)
        assert "global loads 4" in " ".join(seen(host).split())
        await pilot.press("slash")
        await until(pilot, lambda: not typed_keys(host))
        assert "esc" in foot(host)
        await pilot.press(*"v4.b32", "enter")
        assert ".v4.b32" in screen.panes.first.view.text_of(screen.panes.first.view.cursor)
        assert "128 bits" in " ".join(seen(host).split()), "the construct under the cursor"
        await pilot.press("e")
        await until(pilot, lambda: isinstance(host.screen, AboutScreen) and "PTX ISA" in seen(host))
        await pilot.press("escape")
        await until(pilot, lambda: host.screen is screen)
        before = len(screen.panes.first.view._rows)
        await pilot.press("d")
        assert len(screen.panes.first.view._rows) < before, (
            "lines about inline assembly are left out"
        )
        await pilot.press("y")
        await until(pilot, lambda: host.clipboard == screen.panes.ladder.stages["ptx:add"].text)
        await see_who_waits_for_a_load(pilot, host, screen.panes.first.view)
        await pilot.press("p", "p", "p", "p")  # TTIR: a function's body folds under its first line
        await pilot.press("F")
        assert "⋯" in seen(host)


OPCODES = {
    "ttir": r"\b(?:tt|arith|scf|math)\.[a-z_.]+",
    "ttgir": r"\b(?:tt|ttg|arith|scf|math)\.[a-z_]+(?= )",
    "ptx": r"^\t(?:@%p\d+ )?([a-z][\w.:]+)(?=[ \t;])",
    "sass": r"(?<=\*/) +(?:@!?U?P\w+ )?([A-Z][\w.]+)",
}


def unexplained(screen: LadderScreen) -> list[tuple[str, str]]:
    """The ops and instructions of the kernel's stages that the glossary has no entry for."""
    found = []
    for name, pattern in OPCODES.items():
        stage = screen.panes.ladder.stages[f"{name}:add"]
        for line in stage.text.split("\n"):
            if match := re.search(pattern, line):
                word = match.group(match.lastindex or 0)
                start = match.start(match.lastindex or 0)
                term = explain(screen.terms, line, start, stage.language)
                if term is None or not term.start <= start < term.end:
                    found.append((name, word))
    return found


@pytest.mark.slow
async def test_the_lab_opens_it_on_the_text_in_the_editor(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = LabScreen("vector_add")
        await show(pilot, lab)
        lab.document.editor.replace_text(lab.exercise.solution.read_text())
        lab.panes.show_side("pane")
        await pilot.press("l")
        await pilot.pause()
        screen = host.screen
        assert isinstance(screen, LadderScreen)
        await until(pilot, lambda: screen.panes.ladder.stages and not screen.xray.running)
        assert screen.subject.inputs == host.judge.inputs("vector_add")
        assert len(screen.panes.ladder.kernels) == 1, "the kernel that the function launches"
        assert screen.panes.ladder.order_stages()[-1].name == "sass"
        await pilot.press("escape")
        await pilot.pause()
        assert host.screen is lab


@pytest.mark.slow
async def test_two_versions_stage_by_stage(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        screen = await open_ladder(pilot)
        await pilot.press("n", "n", "n", "n", "c")
        await pilot.pause()
        await pilot.press("enter")
        await until(
            pilot, lambda: screen.panes.comparison is not None and screen.panes.comparison.done
        )
        await pilot.pause()
        text = " ".join(seen(host).split())
        assert "− one load less · + now" in text
        assert "global loads 2 → 4" in text, "the counts that changed"
        view = screen.panes.first.view
        added = [view.lines[i] for i, mark in view._marks.items() if mark == "added"]
        assert any("ld.global.v4" in line for line in added)
        await pilot.press("c")
        assert screen.panes.comparison is None
        assert screen.panes.first.diff is None


@pytest.mark.slow
async def test_another_target_keeps_stage_and_line_and_is_named_when_compared(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        screen = await open_ladder(pilot)
        await pilot.press("n", "n", "n", "n", "down", "down", "down")
        here = (screen.panes.first.key, screen.panes.first.line)
        assert here[0] == "ptx:add"
        await pilot.press("t", "up", "enter")  # sm_80
        await until(pilot, lambda: not screen.xray.running and screen.subject.target == "sm_80")
        await pilot.pause()
        assert (screen.panes.first.key, screen.panes.first.line) == here
        await pilot.press("n")
        view = screen.panes.first.view
        assert not any("/*0" in line for line in view.lines)
        await pilot.press("a")
        assert any("/*0000*/" in line for line in view.lines)
        await pilot.press("p", "p", "p", "p", "p", "c")
        await pilot.pause()
        assert "the run before, sm_90" in seen(host)
        await pilot.press("enter")
        await until(
            pilot, lambda: screen.panes.comparison is not None and screen.panes.comparison.done
        )
        await pilot.pause()
        assert screen.panes.first.key == "ttgir:add", "TTIR is the same for both"
        assert "− the run before, sm_90 · + now" in " ".join(seen(host).split())


async def test_a_failure_is_read_where_its_stage_would_be(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        screen = LadderScreen(Subject("a.py", KERNEL, "add", ()))
        await show(pilot, screen)
        await pilot.press("escape")
        screen.take_events(
            [
                Stage("triton", "T", "python", KERNEL, kernel="add"),
                Failure("ttir:add", "line 8 adds a pointer to a mask"),
            ]
        )
        screen.panes.stage_list.focus()
        await pilot.press("end", "enter")
        await pilot.pause()
        first = "\n".join(screen.panes.first.view.lines)
        assert "There is no ttir of add." in first
        assert "line 8 adds a pointer to a mask" in first


async def test_a_graph_break_is_marked_and_said_at_its_line(host: Host) -> None:
    said = "It ends at a graph break. Line 9: graph break, builtin print."
    async with host.run_test(size=SMALL) as pilot:
        screen = LadderScreen(Subject("a.py", KERNEL, "add", ()))
        await show(pilot, screen)
        await pilot.press("escape")
        screen.take_events(
            [
                Stage("source", "S", "python", "def f(x):\n    print(x)"),
                Stage("dynamo", "D", "fx", "graph", (said,), counts=(("breaks_at_line", 2),)),
            ]
        )
        screen.panes.first.view.focus()
        await pilot.press("down")
        await pilot.pause()
        assert "2✂" in seen(host)
        assert "graph break, builtin print." in seen(host)
        await pilot.press("up")
        await pilot.pause()
        assert "builtin print" not in seen(host)


def test_of_many_kernels_only_the_open_ones_stages_are_listed() -> None:
    found = [Stage(name, name, "text", "", kernel=f"k{i}") for i in range(4) for name in TWO]
    rows = _stage_rows(Ladder(found), ("ttir:k2",), {}, {})
    assert [key for key, _ in rows] == ["triton:k0", "triton:k1", None, *FROM_K2, "triton:k3"]
    assert len(_stage_rows(Ladder(found[:6]), ("ttir:k2",), {}, {})) == 9


TWO = ("triton", "ttir")
FROM_K2 = ("triton:k2", "ttir:k2")


@pytest.mark.slow
async def test_inputs_are_asked_for_and_a_wrong_one_is_one_sentence(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        screen = LadderScreen(Subject("add.py", KERNEL, "add"))
        await show(pilot, screen)
        assert "add(x, y, out, n, BLOCK)" in seen(host)
        await pilot.press(*"f33[8]", "enter")
        await until(pilot, lambda: not screen.xray.running)
        assert "there is no dtype f33; take one │ of f64" in " ".join(seen(host).split())
        await pilot.press("i")
        await pilot.pause()
        await pilot.press("escape")
        assert host.screen is screen, "escape leaves the line first"
        await pilot.press("escape")
        await pilot.pause()
        assert host.screen is not screen


async def test_a_text_without_a_function_says_so(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, LadderScreen(Subject("a.py", "def f(:", "f", ("1",))))
        assert "no function" in seen(host)
        package = "'apache-tvm-ffi==0.1.14.post1'"  # to be copied, so it breaks nowhere
        for before in (50, 60):
            host.screen.panes.first.clear(f"{'x' * before} {package}")  # type: ignore[attr-defined]
            await pilot.pause()
            assert package in seen(host)


@pytest.mark.slow
async def test_stopping_ends_the_run_and_leaves_what_came(host: Host) -> None:
    endless = "def f(x):\n    while True:\n        pass\n"
    async with host.run_test(size=SMALL) as pilot:
        screen = LadderScreen(Subject("f.py", endless, "f", ("f32[8]",)))
        await show(pilot, screen)
        await until(pilot, lambda: screen.panes.ladder.stages)
        assert screen.xray.running
        await pilot.press("x")
        assert not screen.xray.running
        await pilot.press("r")
        assert screen.xray.running
        await pilot.press("escape")
        assert not screen.xray.running


@pytest.mark.slow
async def test_inputs_that_come_as_the_screen_goes_begin_nothing(host: Host) -> None:
    """Its widgets were gone when the clock of a run that began so late next ticked."""
    async with host.run_test(size=SMALL) as pilot:
        screen = LadderScreen(Subject("add.py", KERNEL, "add"))
        await show(pilot, screen)
        gone = host.pop_screen()
        while not screen._closing:
            await asyncio.sleep(0)
        screen.take_inputs(INPUTS)
        await gone
        await pilot.pause(0.8)
        assert not screen.xray.running
        assert screen.is_left


# ---- long texts


class Reading(App[None]):
    def compose(self) -> ComposeResult:
        yield TextView()


def ptx(lines: int) -> list[str]:
    row = "\t@%p1 ld.global.v4.b32 {{ %r{0}, %r2 }}, [ %rd1 + {0} ];"
    return [row.format(i) for i in range(lines)]


async def seconds_a_page(lines: int) -> float:
    """Of a processor, the mean of fifteen pages that were never seen before."""
    app = Reading()
    async with app.run_test(size=WIDE) as pilot:
        view = app.query_one(TextView)
        view.show(ptx(lines), "ptx")
        view.focus()
        await pilot.pause()
        start = time.process_time()
        for _ in range(15):
            await pilot.press("pagedown")
        spent = time.process_time() - start
        assert view.cursor > 15 * 30
        await pilot.press("end")
        assert view.cursor == lines - 1
        assert f"{lines}" in seen(app)
    return spent / 15


@pytest.mark.slow
@pytest.mark.budget
async def test_a_hundred_thousand_lines_scroll_like_two_thousand() -> None:
    short, long = await seconds_a_page(2_000), await seconds_a_page(100_000)
    assert long < 2 * short + 0.01


async def test_where_one_text_fits_the_keys_of_two_say_so(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, LadderScreen(Subject("a.py", "", "f", ())))
        await pilot.press("z")
        assert [n.message for n in host._notifications] == [
            "Two texts have room side by side from 110 columns on."
        ]
        await pilot.press("o")
        assert "Only one text is shown." in [n.message for n in host._notifications]


async def seconds_a_step(pilot: Pilot[None], lines: int) -> float:
    """Of a processor, the median of twenty steps down, each of which lights a line of the other text."""
    screen = LadderScreen(Subject("a.py", "", "f", ()))
    await show(pilot, screen)
    text = "\n".join(ptx(lines))
    screen.xray.call.running = True
    screen.take_events([Stage(name, name, "ptx", text, kernel="k") for name in ("ptx", "sass")])
    screen.take_events([Link("ptx:k", i + 1, "sass:k", lines - i, "k") for i in range(lines)])
    screen.xray.call.running = False
    await pilot.pause()
    view = screen.panes.first.view
    view.focus()
    view.go(lines // 2 - 5)  # where the lines it became are in sight, too
    await pilot.pause()
    spent = []
    for line in range(lines // 2 - 4, lines // 2 + 16):
        start = time.process_time()
        await pilot.press("down")
        spent.append(time.process_time() - start)
        assert view.cursor == line
        assert screen.panes.second.view._marks == {lines - line - 1: "lit"}
    return sorted(spent)[len(spent) // 2]


@pytest.mark.slow
@pytest.mark.budget
async def test_lines_are_lit_as_soon_among_a_hundred_thousand(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        short, long = await seconds_a_step(pilot, 1_000), await seconds_a_step(pilot, 100_000)
    assert long < 2 * short + 0.01
