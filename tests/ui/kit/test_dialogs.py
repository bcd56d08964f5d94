"""Sources that open, help that runs what it names, themes that are seen before they are chosen."""

import pytest
from doing import SMALL, seen, until
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import OptionList

from tutor.base.config import load_config
from tutor.ui.app import TutorApp
from tutor.ui.home.course_map import MapScreen
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.dialogs.help import HelpScreen
from tutor.ui.kit.dialogs.sources import SourcesScreen
from tutor.ui.kit.keys.action_groups import LEAVE, MOVE, group_actions
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.settings.key_bindings import RebindScreen

URL = "https://example.org/p"


async def on(pilot: Pilot[None], screen: type) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, screen))


async def sources(pilot: Pilot[None], app: TutorApp) -> None:
    await on(pilot, HomeScreen)
    app.open("lesson:1")
    await on(pilot, LessonScreen)
    await until(pilot, lambda: "section 1 of" in seen(app))
    await pilot.press("s")
    await until(pilot, lambda: isinstance(app.screen, SourcesScreen))


def links(app: App[None]) -> set[str]:
    """The addresses that the terminal gets as links (OSC 8)."""
    strips = app.screen._compositor.render_strips(app.size)
    return {s.style.link for strip in strips for s in strip if s.style and s.style.link}


async def test_a_source_is_a_link_and_its_address_is_copied(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    monkeypatch.setattr(TutorScreen, "copy", lambda _, text, what: copied.append(text))
    async with app.run_test(size=SMALL) as pilot:
        await sources(pilot, app)
        assert URL in seen(app)
        assert links(app) == {URL}
        await pilot.press("y")
        assert copied == [URL]


async def test_enter_opens_a_source_where_there_is_a_browser(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(TutorApp, "open_url", lambda _, url: opened.append(url))
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    async with app.run_test(size=SMALL) as pilot:
        await sources(pilot, app)
        await pilot.press("enter")
        await pilot.pause()
        assert "y copies the address" in next(each.message for each in app._notifications)
        monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/opener")
        await pilot.press("enter")
        await pilot.pause()
        assert opened == [URL]


async def test_help_runs_the_chosen_line(app: TutorApp) -> None:
    async with app.run_test(size=SMALL) as pilot:
        await on(pilot, HomeScreen)
        await pilot.press("question_mark")
        await on(pilot, HelpScreen)
        listed = app.screen.query_one("OptionList")
        listed.highlighted = listed.get_option_index("home.map")
        await pilot.press("enter")
        await on(pilot, MapScreen)


def test_actions_are_grouped_by_task() -> None:
    found = group_actions(
        [("lesson.run", "run"), ("lesson.down", "line(1)"), ("lesson.home", "home")]
    )
    assert found == {"Here": ["lesson.run"], MOVE: ["lesson.down"], LEAVE: ["lesson.home"]}


async def test_a_theme_is_seen_before_it_is_chosen(app: TutorApp) -> None:
    async with app.run_test(size=SMALL) as pilot:
        await on(pilot, HomeScreen)
        before = app.theme
        await pilot.press("T")
        await on(pilot, ChooseScreen)
        await pilot.press("down")
        await until(pilot, lambda: app.theme != before)
        assert load_config().config.theme == before
        tried = app.theme
        await pilot.press("escape")
        await until(pilot, lambda: app.theme == before)
        await pilot.press("T")
        await on(pilot, ChooseScreen)
        await pilot.press("down", "enter")
        await until(pilot, lambda: load_config().config.theme == tried)
        assert app.theme == tried


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("theme", "Theme tutor-light"),
        ("dark", "Theme tutor-dark"),
        ("font", "Font"),
        ("keys", "Change keys"),
    ],
)
async def test_the_palette_finds_how_the_program_looks(
    app: TutorApp, words: str, found: str
) -> None:
    async with app.run_test(size=(100, 40)) as pilot:
        await on(pilot, HomeScreen)
        await pilot.press("colon", *words)
        await until(pilot, lambda: found in seen(app))
        assert "`" not in seen(app)


@pytest.mark.slow
async def test_a_theme_and_the_keys_are_reached_from_the_palette(app: TutorApp) -> None:
    async with app.run_test(size=(100, 40)) as pilot:
        await on(pilot, HomeScreen)
        await pilot.press("colon", *"tutor-light")
        await until(pilot, lambda: "Theme tutor-light" in seen(app))
        await pilot.press("enter")
        await until(pilot, lambda: load_config().config.theme == "tutor-light")
        await pilot.press("colon", *"change keys")
        await until(pilot, lambda: "Another key" in seen(app))
        await pilot.press("enter")
        await on(pilot, RebindScreen)


async def test_a_list_in_a_window_has_the_keys_of_every_list(app: TutorApp) -> None:
    async with app.run_test(size=SMALL) as pilot:
        await on(pilot, HomeScreen)
        await pilot.press("T")
        await on(pilot, ChooseScreen)
        listed = app.screen.query_one(OptionList)
        await pilot.press("G")
        assert listed.highlighted == listed.option_count - 1
        await pilot.press("g", "t")  # a small t is no key here
        assert listed.highlighted == 0
        assert isinstance(app.screen, ChooseScreen)
        await pilot.press("question_mark")
        await on(pilot, HelpScreen)
        assert "Close without choosing" in seen(app)
        keys = app.screen.query_one(OptionList)
        await pilot.press("G")
        assert keys.highlighted is not None
        assert keys.highlighted > 1
        await pilot.press("question_mark")
        await on(pilot, ChooseScreen)
