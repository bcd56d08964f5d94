"""The lab's list of machines: another one judges, one that fails says so, and this one goes on."""

import sys

import pytest
from doing import WIDE, Host, seen, until
from test_lab import SLUG, checked, open_lab, put
from textual.widgets import OptionList

from tutor.base import paths
from tutor.base.config import load_config
from tutor.ui.app import TutorApp
from tutor.ui.kit.dialogs.choice import ChooseScreen


@pytest.mark.slow
async def test_another_machine_judges_and_this_one_goes_on(host: Host) -> None:
    paths.config_file().write_text(
        f'[runners.near]\nlaunch = "env"\ntutor = "{sys.executable} -m tutor"\n'
        '[runners.gone]\nlaunch = "nosuch host"\n'
    )
    app = TutorApp(host.course, host.record, host.judge)
    right = host.course.exercise(SLUG).solution.read_text()
    async with app.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, app)
        await put(pilot, lab, right)

        async def choose(index: int) -> None:
            lab.panes.show_side("pane")
            await pilot.press("w")
            await until(pilot, lambda: isinstance(app.screen, ChooseScreen))
            app.screen.query_one(OptionList).highlighted = index
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is lab)

        await choose(1)
        assert load_config().config.judge_runner == "near"
        verdict = await checked(pilot, lab)
        assert verdict.passed
        assert app.judge.runner is not None
        assert f"near · {verdict.device}"[:20] in seen(app)
        await choose(2)
        await pilot.press("f5")
        await until(pilot, lambda: lab.judgement.report.trouble)
        assert "nosuch does not start here" in lab.judgement.report.trouble
        assert "chooses the machine" in lab.judgement.report.trouble
        await choose(0)
        assert app.judge.runner is None
        assert (await checked(pilot, lab)).passed
        assert len(host.record.activity.attempts(SLUG)) == 2
