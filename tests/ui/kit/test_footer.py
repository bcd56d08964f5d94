"""The footer: six keys at any width, the last ones always."""

import pytest
from doing import seen, until
from reading_course import open_lesson

from tutor.ui.app import TutorApp
from tutor.ui.kit.widgets.footer import MOST, Footer, FooterKey, Shown, choose_fitting

KEYS = [Shown(str(n), str(n), f"does {n}", f"do({n})", "") for n in range(9)]


@pytest.mark.parametrize("width", [20, 40, 80, 400])
def test_at_most_six_keys_of_which_the_last_two_always(width: int) -> None:
    shown = choose_fitting(KEYS, width)
    assert len(shown) == min(MOST, width // KEYS[0].width)
    assert shown[-2:] == tuple(KEYS[-2:])
    assert list(shown[:-2]) == KEYS[: len(shown) - 2], "the first ones come first"


@pytest.mark.slow
async def test_a_key_that_stays_takes_a_click_while_others_change(app: TutorApp) -> None:
    """A click on what was painted and is gone is lost, so the widget of such a key must not go."""
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lesson(pilot, section=1)
        footer = screen.query_one(Footer)

        def keys() -> dict[str, FooterKey]:
            return {each.shown.action: each for each in footer.query(FooterKey)}

        before = keys()
        painted = {name: each.region for name, each in before.items()}
        await pilot.press("x")  # to the question, which has keys of its own
        await until(pilot, lambda: keys().keys() != before.keys())
        stayed = before.keys() & keys().keys()
        assert stayed
        assert all(keys()[name] is before[name] for name in stayed)
        assert [each.shown for each in footer.query(FooterKey)] == list(footer._shown)
        row = seen(app).splitlines()[-1]
        assert all(
            row[each.region.x :].startswith(f" {each.shown.key_display} {each.shown.label}")
            for each in keys().values()
        )
        await pilot.press("escape")
        await until(pilot, lambda: keys().keys() == before.keys())
        assert {name: each.region for name, each in keys().items()} == painted


async def test_a_key_that_stands_twice_goes_with_the_next_change(app: TutorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        footer = app.screen.query_one(Footer)
        first = footer.query(FooterKey).first().shown
        await footer.mount(FooterKey(first), FooterKey(KEYS[0]))
        footer._shown = footer._shown[1:]
        await footer._show()
        assert [each.shown for each in footer.query(FooterKey)] == list(footer._shown)
