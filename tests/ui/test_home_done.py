"""Home while the application ends: it is shown once more below the palette that ends it."""

from doing import seen, until
from test_palette_late import lines

from tutor.ui.app import TutorApp
from tutor.ui.screens.home import HomeScreen


async def test_the_palette_ends_the_application_from_home(app: TutorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("colon")
        await until(pilot, lambda: lines(app) > 1)
        await pilot.press(*"quit")
        await until(pilot, lambda: "Leave; everything is already saved" in seen(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app._exit)
    assert app._exception is None
