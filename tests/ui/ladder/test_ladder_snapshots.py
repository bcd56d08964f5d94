"""What the ladder looks like, row by row, against the text files in `snapshots/`.

The stages shown are recorded, so that no torch or Triton decides what is right here. After a change
that is meant, `TUTOR_WRITE_SNAPSHOTS=1 pytest tests/ui/ladder/test_ladder_snapshots.py` writes the text
files again; read their differences before you keep them. In `snapshots/` the recordings were made,
with triton 3.7.1, for `add` and `add_less`, by
`tutor xray add.py::add --input f32[4096] --input f32[4096] --input f32[4096] --input 4096
--input BLOCK=1024 --stage ptx --json > add.json`.
"""

import json
from collections.abc import Callable, Coroutine

import pytest
from doing import SMALL, WIDE, show, until
from sights import SNAPSHOTS, compare, dark_and_light
from textual.pilot import Pilot

from tutor.ui.app import TutorApp
from tutor.ui.ladder.model.stages import Ladder
from tutor.ui.ladder.screen import LadderScreen
from tutor.xray.model.stages import Event, Xray
from tutor.xray.model.subject import Subject

INPUTS = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")
# Few terms and of our own: the course's wording may change without a change here.
GLOSSARY = r"""
[[term]]
id = "stage-triton"
term = "triton"
kind = "stage"
says = "The kernel as it was written."
source = "Snapshot"
rev = 1
[[term]]
id = "stage-ptx"
term = "ptx"
kind = "stage"
says = "A virtual machine's instructions, and registers without end."
source = "Snapshot"
rev = 1
[[term]]
id = "tl-load"
term = "tl.load"
kind = "op"
match = ['tl\.load']
in = ["python"]
says = "Reads a block of elements, those that the mask leaves."
source = "Snapshot"
rev = 1
[[term]]
id = "ld-global"
term = "ld.global"
kind = "instruction"
match = ['ld\.global(\.\w+)*']
in = ["ptx"]
says = "Reads from global memory, here four numbers at once."
source = "Snapshot"
rev = 1
"""


def recorded(name: str) -> tuple[Xray, list[Event]]:
    xray = Xray.from_json(json.loads((SNAPSHOTS / f"{name}.json").read_text(encoding="utf-8")))
    return xray, [*xray.stages, *xray.links, *xray.failures]


async def at_the_loads(pilot: Pilot[None], screen: LadderScreen) -> None:
    """The line with two loads, the cursor on the first of them."""
    await pilot.press(*["down"] * 4, "w", "w")


async def at_a_load_of_ptx(pilot: Pilot[None], screen: LadderScreen) -> None:
    await pilot.press("n", "n", "n", "n", "slash", *"ld.global", "enter")


async def compared(pilot: Pilot[None], screen: LadderScreen) -> None:
    """PTX against that of the kernel with one load less."""
    screen.before = Ladder(recorded("add_less")[1])
    await pilot.press("n", "n", "n", "n", "c")
    await pilot.pause()
    await pilot.press("enter")
    await until(pilot, lambda: screen.panes.comparison is not None and screen.panes.comparison.done)


Doing = Callable[[Pilot[None], LadderScreen], Coroutine[None, None, None]]


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE], ids=["80x24", "120x40"])
@pytest.mark.parametrize("doing", [at_the_loads, at_a_load_of_ptx, compared])
async def test_the_ladder_as_it_was(app: TutorApp, size: tuple[int, int], doing: Doing) -> None:
    (app.course.root / "lessons" / "glossary.toml").write_text(GLOSSARY, encoding="utf-8")
    xray, events = recorded("add")
    async with app.run_test(size=size) as pilot:
        screen = LadderScreen(Subject("add.py", "", "add", INPUTS, target=xray.target))
        await show(pilot, screen)  # without a text nothing is lowered
        screen.xray.device = xray.device
        screen.take_events(events)
        screen.end_run("")
        await pilot.pause()
        await doing(pilot, screen)
        await pilot.pause()
        shown = await dark_and_light(pilot)
    compare(f"{doing.__name__}_{size[0]}x{size[1]}.txt", shown)
