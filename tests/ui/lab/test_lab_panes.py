"""The lab's panes: drawn, remembered, and whole on every screen."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from doing import WIDE, Host, seen, show, until
from textual.geometry import Size

from tutor.judge.reports.cause_texts import HEADLINES, LOOK_AT
from tutor.judge.reports.report import Report
from tutor.ui.kit.core.kept_layout import layout_file
from tutor.ui.kit.keys.actions import ACTIONS
from tutor.ui.kit.keys.key_labels import key_name
from tutor.ui.kit.widgets.footer import Footer, FooterKey
from tutor.ui.lab import split_panes
from tutor.ui.lab.edit_menu import EditMenu
from tutor.ui.lab.pages.roofline import RooflineView
from tutor.ui.lab.pages.side_pane import PAGES, PageLine
from tutor.ui.lab.pages.verdict import ways_in_words
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lab.split_panes import Splitter
from tutor.ui.verdict.verdict_view import VerdictView

SIZES = [(80, 24), (100, 30), (120, 40), (200, 60)]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_page_fits_and_nothing_lies_over_another(
    host: Host,
    size: tuple[int, int],
) -> None:
    async with host.run_test(size=size) as pilot:
        lab = LabScreen("vector_add")
        await show(pilot, lab)
        lab.panes.show_side("editor")
        await pilot.pause()
        _is_whole(lab, size)
        for kind in PAGES:
            page = lab.pane.find_page(kind.NAME)
            if not page.offered:
                continue
            lab.action_page(kind.NAME)
            await pilot.pause()
            await pilot.pause()
            assert page.region.width >= 30
            assert page.region.height >= 8
            _is_whole(lab, size)
            line = lab.query_one(PageLine)
            shown = seen(host).replace("\n", " ")
            for name in line.names:
                assert name.label.plain in shown  # no name is cut
        assert lab.panes.one_at_a_time == (size[0] < 100)


def _is_whole(lab: LabScreen, size: tuple[int, int]) -> None:
    """The panes share the screen without a gap, and the footer's keys are all in sight."""
    sides = [w.region for w in (lab.document, lab.query_one(Splitter), lab.pane) if w.region]
    assert sum(region.width for region in sides) == size[0]
    assert all(a.right <= b.x for a, b in pairwise(sides))
    keys = lab.query_one(Footer).query(FooterKey)
    assert all(key.region.right <= size[0] for key in keys), [k.shown.label for k in keys]


@pytest.mark.slow
async def test_the_border_moves_by_keys_and_by_the_mouse_and_stays(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = LabScreen("vector_add")
        await show(pilot, lab)
        before = lab.document.size.width
        lab.panes.show_side("pane")
        await pilot.press("greater_than_sign", "greater_than_sign")
        await pilot.pause()
        assert lab.document.size.width == pytest.approx(before + 12, abs=1)
        lab.panes.show_side("editor")
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(host.screen, EditMenu))
        await pilot.press("less_than_sign", "less_than_sign", "less_than_sign", "escape")
        await until(pilot, lambda: host.screen is lab)
        assert lab.document.size.width == pytest.approx(before - 6, abs=1)
        at = lab.query_one(Splitter).region.x
        await pilot.mouse_down(offset=(at, 10))
        await pilot.hover(offset=(72, 12))
        await pilot.mouse_up(offset=(72, 12))
        await pilot.pause()
        assert lab.document.size.width == pytest.approx(72, abs=2)
        lab.action_leave()
        again = LabScreen("vector_add")
        await show(pilot, again)
        assert again.document.size.width == pytest.approx(72, abs=2)
        assert json.loads(layout_file().read_text()) == {"lab": 60}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"lab": "x"}', '{"lab": 1e400}', "[" * 5000, "\0"]
)
def test_a_damaged_layout_costs_nothing(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    layout_file().write_text(text)
    assert split_panes.read_share("lab") == 50
    split_panes.keep_share("lab", 99)
    assert split_panes.read_share("lab") == split_panes.MOST


@pytest.mark.parametrize("columns", [80, 50])
async def test_no_code_of_a_task_is_cut(host: Host, columns: int) -> None:
    slug = "read_generated_code"  # its longest line of code has 75 columns
    fences = host.course.exercise(slug).task.split("```")[1::2]
    async with host.run_test(size=(columns, 120)) as pilot:
        await show(pilot, LabScreen(slug))
        await until(pilot, lambda: "eviction_policy" in seen(host))
        shown = "".join(seen(host).split())
        lines = [line for fence in fences for line in fence.split("\n")[1:]]
        assert max(map(len, lines)) > 70
        assert [line for line in lines if "".join(line.split()) not in shown] == []


def test_every_page_has_its_key() -> None:
    keys = {action.id for action in ACTIONS["lab"]}
    assert {page.ACTION for page in PAGES} <= keys
    assert len({page.NAME for page in PAGES}) == len(PAGES)


def test_every_cause_says_what_to_look_at() -> None:
    assert set(HEADLINES) <= set(LOOK_AT)


def test_a_page_has_a_height_where_no_column_is_left_for_it() -> None:
    verdict = VerdictView()
    verdict.report = Report(source="x", trouble="This machine cannot.")
    for view in (verdict, RooflineView("It is not timed here.")):
        assert view.get_content_height(Size(0, 0), Size(8, 3), 0) >= 1


def test_no_line_ends_between_a_key_and_its_words() -> None:
    ways = [("lab.stop", "stops"), ("lab.hint", "hint"), ("lab.ladder", "ladder")]
    for width in range(8, 40):
        shown = ways_in_words(ways, lambda name: key_name(name, {}), width).plain
        assert "  ".join(shown.split("\n")) == "x stops  h hint  l ladder"
        assert width < 14 or max(map(len, shown.split("\n"))) <= width
