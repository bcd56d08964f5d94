"""Several compilers in the ladder: the table of what each made, and their stages side by side.

Where a compiler is not installed, its recorded ladder is shown: the screens are the same.
"""

import json

import pytest
from doing import WIDE, Host, seen, show, until

from tutor.base import paths
from tutor.ui.ladder.compilers_screen import CompilersScreen
from tutor.ui.ladder.screen import LadderScreen
from tutor.xray.model.recorded_ladders import RecordedLadder
from tutor.xray.model.subject import Subject


@pytest.mark.slow
async def test_a_table_leads_to_two_compilers_side_by_side(host: Host) -> None:
    path = paths.course_root() / "lessons" / "recorded" / "ladders" / "linear_gelu.json"
    made = RecordedLadder.from_json(json.loads(path.read_text("utf-8")))
    subject = Subject("f.py", made.source, made.name, made.inputs, compilers=("mlir", "onnx"))
    async with host.run_test(size=WIDE) as pilot:
        screen = LadderScreen(subject)
        await show(pilot, screen)
        await until(pilot, lambda: isinstance(host.screen, CompilersScreen), 200)
        table = seen(host)
        assert "4 → 1" in table
        assert "3 → 2" in table
        assert "nest_1  mm, add, gelu" in table
        await pilot.press("enter")
        await until(pilot, lambda: host.screen is screen)
        assert screen.panes.first.key == "mlir/affine_fused"
        await pilot.press("C", "enter")
        await until(pilot, lambda: isinstance(host.screen, CompilersScreen))
        await pilot.press("down", "o")
        await until(pilot, lambda: screen.panes.second.key == "onnx/layout")
        assert screen.panes.first.key == "mlir/affine_fused"
        first, second = screen.panes.first.view, screen.panes.second.view
        first.focus()
        line = next(i for i, text in enumerate(first.lines) if "math.erf" in text)
        first.go(line)
        await until(pilot, lambda: second._marks)
        assert ["Gelu" in second.lines[number] for number in second._marks] == [True]
        assert "mlir · " in seen(host)
