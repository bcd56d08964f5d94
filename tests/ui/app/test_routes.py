"""What targets open: each row of the table is a screen, and what names nothing is said."""

import pytest
from doing import until
from textual.screen import Screen

from tutor.ui import routes
from tutor.ui.app import TutorApp
from tutor.ui.lab.screen import review_lab
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.settings.settings import SettingsScreen


@pytest.mark.parametrize("kind", sorted(routes._SCREENS))
def test_every_row_of_the_table_names_a_screen(kind: str) -> None:
    made: object = routes.screen_class(kind)
    if kind == "review-lab":  # made by a function, for it starts the exercise over
        assert made is review_lab
    else:
        assert isinstance(made, type)
        assert issubclass(made, Screen)


async def test_a_screen_is_opened_above_or_in_place_of_the_present_one(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        app.open("settings")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        app.open("lesson:1", replace=True)
        await until(pilot, lambda: isinstance(app.screen, LessonScreen))
        assert not any(isinstance(screen, SettingsScreen) for screen in app.screen_stack)


@pytest.mark.parametrize("target", ["exercise:quokka", "lesson:x/y", "quokka:1", "term:quokka"])
async def test_what_names_nothing_is_said_and_nothing_opens(app: TutorApp, target: str) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        before = list(app.screen_stack)
        app.open(target)
        await until(pilot, lambda: len(app._notifications) == 1)
        assert app.screen_stack == before
