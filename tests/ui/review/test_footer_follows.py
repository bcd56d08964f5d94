"""The footer follows the focus: it never offers a letter that the field in focus takes as text."""

import pytest
from doing import SMALL, until
from remembering import Reader, reader  # noqa: F401
from test_review import FUSED, RIDGE, due, review
from textual.screen import Screen
from textual.widgets import Input

from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.question.question_view import QuestionView

LETTERS = {"not today", "never again", "filter"}  # b, s and p


@pytest.mark.slow
async def test_a_card_to_type_is_never_shown_with_letters_that_act(
    reader: Reader,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[tuple[bool, set[str]]] = []
    changed = Footer.bindings_changed

    def noted(footer: Footer, screen: Screen[None]) -> None:
        changed(footer, screen)
        typed = bool(screen.query("QuestionView Input"))
        shown.append((typed, {each.label for each in footer._shown}))

    monkeypatch.setattr(Footer, "bindings_changed", noted)
    due(reader, RIDGE, FUSED)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        before = None  # the card before; the order of the cards is their own
        while not (screen.query(Input) and before == FUSED):
            before = screen.card.id if screen.card else None
            await pilot.press("f3")
            await until(pilot, lambda: screen.stage == "shown")
            await pilot.pause(0.3)
            shown.clear()
            await pilot.press("1")
            await until(pilot, lambda: screen.stage == "asking")
        await until(pilot, lambda: isinstance(screen.focused, Input))
        await pilot.pause(0.3)
        assert any(typed for typed, _ in shown)
        assert [labels for typed, labels in shown if typed and labels & LETTERS] == []


@pytest.mark.slow
async def test_an_answer_that_is_being_computed_is_not_given_up_and_nothing_else_undone(
    reader: Reader,  # noqa: F811
) -> None:
    due(reader, RIDGE)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        screen.session.flag(1)
        await until(pilot, lambda: screen.check_action("give_up", ()))
        assert screen.check_action("undo", ())
        screen.query_one(QuestionView).stage = "answered"  # handed in, and its code still runs
        assert not screen.check_action("give_up", ())
        assert not screen.check_action("undo", ())
