"""The worked solution can be read in 80 columns, and its difference from the learner's text is shown."""

from doing import SMALL, Host, show
from textual.geometry import Region
from textual.widget import Widget

from tutor.ui.lab.pages.solution import SolutionPage
from tutor.ui.lab.screen import LabScreen

SLUG = "row_softmax"


def rows_of(widget: Widget) -> list[str]:
    """All rows of a widget, also those that are scrolled out of sight."""
    return [strip.text for strip in widget.render_lines(Region(0, 0, *widget.size))]


async def test_every_word_of_a_wide_solution_is_on_its_page(host: Host) -> None:
    solution = host.course.exercise(SLUG).solution.read_text("utf-8")
    assert max(map(len, solution.split("\n"))) > SMALL[0]
    async with host.run_test(size=SMALL) as pilot:
        lab = LabScreen(SLUG)
        await show(pilot, lab)
        lab.pane.offer_solution()
        lab.action_page("solution")
        await pilot.pause()
        shown = rows_of(lab.pane.of(SolutionPage).query_one("CodeText"))
        assert max(map(len, shown)) <= SMALL[0]
        marked, whole = (
            "".join(text.replace("#", "").split()) for text in ("".join(shown), solution)
        )
        assert marked == whole, "but for the mark of a comment, which each of its lines has"


async def test_its_key_again_shows_what_the_solution_has_and_the_learners_text_has_not(
    host: Host,
) -> None:
    solution = host.course.exercise(SLUG).solution.read_text("utf-8")
    async with host.run_test(size=SMALL) as pilot:
        lab = LabScreen(SLUG)
        await show(pilot, lab)
        lab.pane.offer_solution()
        lab.document.editor.replace_text(solution.replace("axis=0", "axis=-1"))
        await pilot.pause()
        await pilot.press("c", "c")
        await pilot.pause()
        shown = [row.split() for row in rows_of(lab.pane.of(SolutionPage).query_one("CodeText"))]
        for sign, axis in (("-", "-1"), ("+", "0")):
            line = f"{sign}     e = tl.exp(x - tl.max(x, axis={axis}))"
            assert line.split() in shown


async def test_it_is_refused_until_the_kernel_is_right(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, LabScreen(SLUG))
        await pilot.press("c")
        await pilot.pause()
        assert "opens once yours is right" in next(iter(host._notifications)).message


async def test_the_refusal_promises_no_hint_once_all_are_shown(host: Host) -> None:
    hints = host.course.exercise(SLUG).hints
    async with host.run_test(size=SMALL, notifications=True) as pilot:
        lab = LabScreen(SLUG)
        await show(pilot, lab)
        lab.action_page("solution")
        for _ in hints:
            lab.action_hint()
        lab.action_page("solution")
        lab.action_hint()
        await pilot.pause()
        first, *later = (shown.message for shown in host._notifications)
        assert first.endswith("has hints until then.")
        assert later == [
            "The worked solution opens once yours is right. All hints are shown; "
            "h goes back to them.",
            "These are all the hints there are.",
        ]
