"""The list of stages, with the keyboard's focus: it follows what is shown beside it."""

import json

from doing import SMALL, show, until
from sights import SNAPSHOTS
from textual.pilot import Pilot

from tutor.ui.app import TutorApp
from tutor.ui.ladder.screen import LadderScreen
from tutor.ui.ladder.stage_help import AboutScreen
from tutor.ui.ladder.stage_list import StageList
from tutor.xray.model.stages import Xray
from tutor.xray.model.subject import Subject


def highlighted_key(screen: LadderScreen) -> str | None:
    stages = screen.query_one(StageList)
    assert stages.highlighted is not None
    return stages._keys[stages.highlighted]


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def test_the_list_follows_the_stage_that_is_shown_and_enter_explains_it(
    app: TutorApp,
) -> None:
    xray = Xray.from_json(json.loads((SNAPSHOTS / "add.json").read_text(encoding="utf-8")))
    async with app.run_test(size=SMALL) as pilot:
        screen = LadderScreen(Subject("add.py", "", "add", ("f32[4096]",), target=xray.target))
        await show(pilot, screen)
        screen.take_events([*xray.stages, *xray.links, *xray.failures])
        screen.end_run("")
        screen.query_one(StageList).focus()
        await press(pilot, "down")
        chosen = highlighted_key(screen)
        assert screen.panes.first.key == chosen
        await press(pilot, "n", "n")
        assert screen.panes.first.key != chosen
        assert highlighted_key(screen) == screen.panes.first.key
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, AboutScreen))
        assert isinstance(app.screen, AboutScreen)
        await press(pilot, "escape")
        assert highlighted_key(screen) == screen.panes.first.key
