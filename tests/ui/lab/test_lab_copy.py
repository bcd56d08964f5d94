"""The lab's copy: the learner's file, by the same helper as everywhere."""

from pathlib import Path

import pytest
from doing import WIDE, Host, show, until

from tutor.base import paths
from tutor.ui.lab.screen import LabScreen


@pytest.mark.slow
async def test_y_copies_the_file(
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no program of a desktop
    async with host.run_test(size=WIDE, notifications=True) as pilot:
        lab = LabScreen("vector_add")
        await show(pilot, lab)
        lab.panes.show_side("pane")
        await pilot.press("y")
        await until(pilot, lambda: (paths.cache_dir() / "copied.txt").exists())
        assert (paths.cache_dir() / "copied.txt").read_text() == lab.document.editor.text
        assert host.clipboard == lab.document.editor.text
