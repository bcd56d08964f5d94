"""A ladder shows the source at once, and begins with the inputs of the cell that has run."""

from collections.abc import Iterator
from threading import Event

import pytest
from doing import SMALL, Host, seen, show, until

from tutor.judge.client import Judge
from tutor.judge.xray_relay import STOPPED
from tutor.ui.cells.ran_cells import RanCells
from tutor.ui.lab.screen import LabScreen
from tutor.ui.ladder.screen import LadderScreen
from tutor.ui.ladder.xray_run import INTERRUPTED
from tutor.xray.model.stage_lines import stage_lines
from tutor.xray.model.stages import Event as XrayEvent
from tutor.xray.model.stages import Failure, Request, XrayDone
from tutor.xray.model.subject import Subject

CODE = """\
import torch

def halved(x, times):
    for _ in range(times):
        x = x / 2
    return x
"""


async def test_the_definition_is_there_before_the_judge_has_answered(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "xray", lambda *_: iter(()))
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, LadderScreen(Subject("cell.py", CODE, "halved")))  # asks for inputs
        assert "x = x / 2" in seen(host)
        assert "halved(x, times)" in seen(host)
        await until(pilot, lambda: "esc cancel" in seen(host))
        await pilot.press("escape")
        await until(pilot, lambda: "esc back" in seen(host))


async def test_a_ladder_begins_with_the_arguments_of_the_last_call(
    host: Host, judge: Judge
) -> None:
    cell = f"{CODE}\nout = halved(torch.ones(8, 64), 3)\n"
    for _ in judge.run_cell("begins", cell):
        pass
    ran = RanCells("begins", "interpret", (cell,))
    async with host.run_test(size=SMALL) as pilot:
        ladder = LadderScreen(Subject("cell.py", CODE, "halved"), "", ran)
        await show(pilot, ladder)
        assert "x = x / 2" in seen(host)
        await until(pilot, lambda: ladder.subject.inputs)
        assert ladder.subject.inputs == ("f32[8,64]", "3")
        assert ladder.line.asking == ""


def test_the_inputs_can_be_looked_up_again(judge: Judge) -> None:
    """The look-up must not end the session, whose names are gone then."""
    cell = f"{CODE}\nout = halved(torch.ones(8, 64), 3)\n"
    for _ in judge.run_cell("again", cell):
        pass
    ran = RanCells("again", "interpret", (cell,))
    for _ in range(2):
        assert list(ran.inputs(judge, "halved")) == [("f32[8,64]", "3")]


async def test_a_cell_that_has_not_run_leaves_the_inputs_to_be_asked_for(
    host: Host, judge: Judge
) -> None:
    ran = RanCells("never", "interpret", (f"{CODE}\nout = halved(x, 3)\n",))
    async with host.run_test(size=SMALL) as pilot:
        ladder = LadderScreen(Subject("cell.py", CODE, "halved"), "", ran)
        await show(pilot, ladder)
        await until(pilot, lambda: ladder.line.asking == "inputs")


async def test_a_ladder_that_was_stopped_keeps_the_source_and_begins_again(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = Event()
    monkeypatch.setattr(Judge, "xray", lambda *_: iter([ended.wait(60)][:0]))
    async with host.run_test(size=SMALL, notifications=True) as pilot:
        await show(pilot, LadderScreen(Subject("cell.py", CODE, "halved", ("f32[8]", "3"))))
        await until(pilot, lambda: "esc stop" in seen(host))
        assert "n next" not in seen(host)
        await pilot.press("escape")
        await until(pilot, lambda: "Stopped. r begins again." in seen(host))
        await until(pilot, lambda: "esc back" in seen(host))
        assert "x = x / 2" in seen(host)
        assert "r again" in seen(host)
        assert "n next" not in seen(host), "there is no stage to go to"
        ended.set()


@pytest.mark.slow
async def test_a_function_in_the_place_of_the_exercises_is_lowered(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A learner who writes a function of one's own into the editor gets its ladder."""
    monkeypatch.setattr(Judge, "xray", lambda *_: iter(()))
    async with host.run_test(size=SMALL) as pilot:
        lab = LabScreen("fused_chain")
        await show(pilot, lab)
        lab.document.editor.replace_text(CODE)
        lab.action_ladder()
        await until(pilot, lambda: isinstance(host.screen, LadderScreen))
        await until(pilot, lambda: "one input per argument" in seen(host))
        assert "halved(x, times)" in seen(host)


def test_operands_of_sass_begin_near_the_left_edge() -> None:
    text = (
        ".text.add:\n"
        "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
        "        /*0140*/              @!P0 LDG.E R0, desc[UR4][R4.64] ;"
    )
    assert stage_lines(text, "sass") == [
        ".text.add:",
        "      LDC R1, c[0x0][0x28] ;",
        " @!P0 LDG.E R0, desc[UR4][R4.64] ;",
    ]
    assert stage_lines(text, "sass", addresses=True) == [
        ".text.add:",
        "/*0000*/      LDC R1, c[0x0][0x28] ;",
        "/*0140*/ @!P0 LDG.E R0, desc[UR4][R4.64] ;",
    ]
    assert stage_lines(text, "ptx") == text.split("\n")


async def test_a_ladder_that_a_saved_file_stopped_says_so_and_begins_with_the_new_text(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def xray(_: Judge, request: Request) -> Iterator[XrayEvent | XrayDone]:
        asked.append(request.source or "")
        return iter([Failure("", STOPPED), XrayDone("pretend", 1)])

    monkeypatch.setattr(Judge, "xray", xray)
    saved = CODE.replace("x / 2", "x / 4")
    subject = Subject("cell.py", CODE, "halved", ("f32[8]", "3"))
    async with host.run_test(size=SMALL, notifications=True) as pilot:
        await show(pilot, LadderScreen(subject, "", None, lambda: saved))
        await until(pilot, lambda: len(host._notifications))
        said = next(iter(host._notifications)).message
        assert said == f"{INTERRUPTED} r lowers the text as it is now."
        assert "x = x / 2" in seen(host)
        assert "stopped on request" not in seen(host)
        await pilot.press("r")
        await until(pilot, lambda: len(asked) == 2)
        assert asked == [CODE, saved]
        await until(pilot, lambda: "x = x / 4" in seen(host))
