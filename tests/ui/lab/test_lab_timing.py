"""Times in the lab: shown as they come, and a right answer is kept whoever stops waiting for them."""

import shutil

import pytest
from doing import SMALL, Host, seen, show, until

from tutor.ui.lab.screen import LabScreen

SLUG = "fused_chain"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("g++"), reason="a CPU's times need g++")
async def test_leaving_while_its_time_is_taken_keeps_the_right_answer(
    host: Host,
) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, LabScreen(SLUG))
        lab = host.screen
        assert isinstance(lab, LabScreen)
        source = host.course.exercise(SLUG).solution.read_text()
        lab.document.editor.replace_text(source)
        lab.action_check()
        await until(pilot, lambda: lab.judgement.report.timing, seconds=600)
        assert lab.judgement.running
        assert host.record.activity.attempts(SLUG) == ()
        lab.panes.show_side("pane")
        await until(pilot, lambda: "yours" in seen(host))
        await pilot.press("escape")
        assert host.screen is not lab
        await until(pilot, lambda: host.record.activity.attempts(SLUG), seconds=120)
        (attempt,) = host.record.activity.attempts(SLUG)
        assert attempt.passed
        assert attempt.source == source
