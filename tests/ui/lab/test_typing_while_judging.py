"""Letters that are typed while a verdict arrives do not wait for layouts and drawings."""

import time
from typing import Any

import pytest
from doing import WIDE, Host, show, until
from textual.pilot import Pilot

from tutor.ui.lab.judgement import LATEST_SECONDS, REDRAW_SECONDS
from tutor.ui.lab.screen import LabScreen


async def checked(pilot: Pilot[None], lab: LabScreen) -> None:
    await pilot.press("f5")
    await until(pilot, lambda: not lab.judgement.running and not lab.judgement.redraw_pending)
    assert lab.judgement.report.verdict
    assert lab.judgement.report.verdict.passed
    await pilot.pause(2 * REDRAW_SECONDS)


@pytest.mark.slow
@pytest.mark.budget
async def test_another_right_answer_needs_no_layout_and_waits_for_letters(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host.run_test(size=WIDE) as pilot:
        await show(pilot, LabScreen("vector_add"))
        lab = host.screen
        assert isinstance(lab, LabScreen)
        lab.document.editor.replace_text(lab.exercise.solution.read_text())
        await checked(pilot, lab)
        await checked(pilot, lab)  # only the first one has a sentence on its tries
        layouts: list[str] = []
        refresh_layout = LabScreen._refresh_layout

        def counted(self: LabScreen, *details: Any, **more: Any) -> None:
            layouts.append(", ".join(str(widget) for widget in self._layout_widgets))
            refresh_layout(self, *details, **more)

        monkeypatch.setattr(LabScreen, "_refresh_layout", counted)
        await checked(pilot, lab)
        assert layouts == []
        lab.document.editor.focus()
        start = last = time.monotonic()
        longest = 0.0  # between two letters: a slow machine types too slowly to put the drawing off
        lab.judgement.draw_soon()
        while lab.judgement.redraw_pending:
            await pilot.press("a")
            await pilot.pause(REDRAW_SECONDS / 2)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        put_off = time.monotonic() - start > LATEST_SECONDS - 2 * REDRAW_SECONDS
        assert put_off or longest > REDRAW_SECONDS
