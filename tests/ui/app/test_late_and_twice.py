"""Actions that come late or early: their screen is closed, or not there yet; a line that is gone."""

import pytest
from doing import Host, seen, until
from rich.style import Style
from textual.content import Content
from textual.events import Click, Key, MouseDown, Resize
from textual.geometry import Offset, Size
from textual.pilot import Pilot
from textual.selection import Selection
from textual.widgets import Input, OptionList, Static

from tutor.course.catalog.course import open_course
from tutor.course.model import AskedQuestion, Cell
from tutor.course.reading.variants import draw_variant
from tutor.quiz import grade
from tutor.ui.app import TutorApp
from tutor.ui.cells.cell_runs import CellRun
from tutor.ui.cells.cell_view import CellView
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.dialogs.help import _KEYS, HelpScreen
from tutor.ui.lab.pages.side_pane import LabPane
from tutor.ui.palette import Commands, Found, Palette
from tutor.ui.question.program_field import ProgramField
from tutor.ui.question.question_view import QuestionView
from tutor.ui.settings.settings import SettingsScreen


async def at_home(pilot: Pilot[None], app: TutorApp) -> None:
    await until(pilot, lambda: isinstance(app.screen, HomeScreen))


def lines(app: TutorApp) -> int:
    """How many the palette shows."""
    found = app.screen.query(Found) if isinstance(app.screen, Palette) else ()
    return sum(each.option_count for each in found)


async def in_palette(pilot: Pilot[None], app: TutorApp, key: str = "colon") -> Found:
    """Home, and over it the palette with its lines."""
    await at_home(pilot, app)
    await pilot.press(key)
    await until(pilot, lambda: lines(app) > 1)
    return app.screen.query_one(Found)


async def test_control_p_opens_the_palette_too_as_the_help_says(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        assert (await in_palette(pilot, app, "ctrl+p")).option_count > 1


async def test_an_action_of_a_screen_that_is_closed_meanwhile_does_nothing(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        commands = Commands(app.screen)
        await commands.startup()
        calls = {str(hit.text): hit.command async for hit in commands.discover()}
        await pilot.press("escape")
        await at_home(pilot, app)
        await calls["Back"]()
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)


async def test_a_key_of_the_page_before_does_nothing_on_one_that_is_not_there_yet(
    app: TutorApp,
) -> None:
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        settings = SettingsScreen()
        app.push_screen(settings)
        assert not await app.run_action("leave", settings)
        await until(pilot, lambda: settings.is_mounted)
        assert await app.run_action("leave", settings)
        await at_home(pilot, app)


async def test_an_action_of_the_screen_below_is_done(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        await pilot.press("comma", "colon")
        await until(pilot, lambda: lines(app) > 1)
        await pilot.press(*"already")  # "Back; everything is already written"
        await until(pilot, lambda: lines(app) == 1)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_a_click_on_a_line_that_is_gone_does_nothing(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        found = await in_palette(pilot, app)
        gone = Style.from_meta({"option": found.option_count})
        at = found.region
        click = Click(found, 0, 0, 0, 0, 1, False, False, False, at.x, at.y, gone)
        found.post_message(click)
        await pilot.pause()
        assert lines(app) > 0


async def test_the_second_of_two_clicks_is_no_second_answer(app: TutorApp) -> None:
    answers: list[int | None] = []
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        choice = ChooseScreen("Which?", [Content("this"), Content("that")])
        await app.push_screen(choice, answers.append)
        choice.dismiss(0)
        choice.dismiss(1)
        await pilot.pause()
        assert answers == [0]
        assert isinstance(app.screen, SettingsScreen)


async def test_a_page_is_turned_where_the_palettes_list_has_no_room(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        found = await in_palette(pilot, app)
        found.highlighted = 0
        found.display = False
        await until(pilot, lambda: not found.scrollable_content_region)
        found._clear_caches()  # as a change of its lines does
        await pilot.press("pageup", "pagedown")
        await pilot.pause()
        assert isinstance(app.screen, Palette)


async def test_a_line_that_was_selected_and_is_gone_is_not_copied(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        text = Static("one\ntwo\nthree", markup=False)
        await app.screen.mount(text)
        app.screen.selections = {text: Selection(Offset(0, 1), Offset(3, 1))}
        assert app.screen.get_selected_text() == "two"
        text.update("one")
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert app.screen.get_selected_text() is None


async def test_what_comes_while_the_application_ends_does_nothing(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await at_home(pilot, app)
    assert not app.screen_stack
    await app.on_event(MouseDown(None, 1, 1, 0, 0, 1, False, False, False))
    await app.on_event(Key("a", "a"))
    await app.on_event(Resize(Size(30, 8), Size(30, 8)))


async def test_a_size_that_comes_late_is_not_followed(app: TutorApp) -> None:
    """As when a window's edge is dragged while the application is busy."""
    async with app.run_test(size=(120, 40)) as pilot:
        await in_palette(pilot, app)
        palette, below = app.screen, app.screen_stack[-2]
        await pilot.resize_terminal(80, 24)
        small = Size(60, 12)
        for screen in (below, palette):
            screen.post_message(Resize(small, small))
        for _ in range(5):
            await pilot.pause()
        for screen in (below, palette):
            assert screen.region.size == screen._compositor.size == Size(80, 24)
        assert below.has_class("-tall")


async def test_what_is_taken_away_as_it_comes_ends_nothing(app: TutorApp) -> None:
    """Textual mounts nothing into a widget on its way out, and tells it that it is there."""
    cell = next(
        block
        for section in app.course.lesson(1).sections  # type: ignore[union-attr]
        for block in section.blocks
        if isinstance(block, Cell)
    )
    program = AskedQuestion("q", "code", "Mend it.", "", 1, "x = 2", code="x = 1\n")
    coming = (
        CellView(cell, 1, CellRun("waiting")),
        LabPane(open_course().exercise("vector_add")),
        ProgramField(program),
    )
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        for made in coming:
            app.screen.mount(made)
            made.remove()
            await until(pilot, lambda made=made: not made.is_running)
    assert app._exception is None


async def test_a_question_that_is_not_there_yet_takes_the_keyboard_once_it_is(
    app: TutorApp,
) -> None:
    """A cell that waits for a prediction was run while its page was still being laid out."""
    question = open_course().question("d01-linear-op")
    assert question is not None
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        gone, stays = (QuestionView(draw_variant(question), ask_confidence=False) for _ in range(2))
        app.screen.mount(gone, stays)
        gone.start()
        stays.start()
        gone.remove()
        await until(pilot, lambda: stays.field.has_focus_within)
        assert isinstance(app.focused, Input)
        gone.start()
        gone.field.start()
    assert app._exception is None


@pytest.mark.slow
async def test_the_keys_can_be_laid_out_at_any_width(app: TutorApp) -> None:
    """Below the sentence "Make the window larger", where their column is wider than the window."""
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        for width in (8 + _KEYS, 1, 80):  # no column is left for what they do, or less than none
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
    assert app._exception is None


async def test_a_page_key_in_a_list_that_is_not_laid_out_does_nothing(app: TutorApp) -> None:
    """PageUp right after the key that opens the help: its lines are not there yet."""
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        hidden = OptionList("one", "two")
        hidden.display = False
        await app.screen.mount(hidden)
        hidden.highlighted = 1
        for key in ("page_up", "page_down"):
            await app.run_action(key, hidden)
    assert app._exception is None


async def test_the_palette_opens_again_while_it_is_closing(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await in_palette(pilot, app)
        assert isinstance(app.screen, Palette)
        app.screen.dismiss()  # it goes with the next messages
        app.action_command_palette()
        await until(pilot, lambda: lines(app) > 1)


async def test_a_click_beside_everything_does_not_end_the_palette(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await in_palette(pilot, app)
        outside = Click(*(app.screen, 3, 50, 0, 0, 1, False, False, False), screen_x=3, screen_y=50)
        app.screen.post_message(outside)
        await pilot.pause()
        assert isinstance(app.screen, Palette)
        assert app.is_running


async def test_a_question_that_is_not_there_yet_or_gone_already(host: Host) -> None:
    async with host.run_test() as pilot:
        question = host.course.question("d01-ptx-when")
        assert question is not None
        view = QuestionView(draw_variant(question), ask_confidence=False)
        mounting = host.screen.mount(view)
        view.say("Soon.")  # a key may come before its parts
        await mounting
        await until(pilot, lambda: "Soon." in seen(host))
        view.start()
        await view.remove()
        view._show_question()  # as the refresh that `start` waits for does, a moment too late
        view.show_note()
        view.say("Noted.")  # an answer arrives once its page has gone on
        view.reveal(grade(view.question, None))
        await pilot.pause()
        assert host.is_running


async def test_a_question_that_goes_as_it_is_given_up_is_not_answered(host: Host) -> None:
    async with host.run_test() as pilot:
        question = host.course.question("d01-ptx-when")
        assert question is not None
        view = QuestionView(draw_variant(question), ask_confidence=False)
        await host.screen.mount(view)
        await view.remove_children()  # its page goes on; the view itself goes last
        view.give_up()
        await pilot.pause()
        assert view.stage == "answering"


async def test_a_palette_that_is_closed_says_nothing_of_its_search(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await in_palette(pilot, app)
        palette = app.screen
        assert isinstance(palette, Palette)
        await pilot.press(*"zzzz")
        await until(pilot, lambda: palette._no_matches_timer is not None)
        await palette.query("*").remove()  # as the palette does while it closes
        timer = palette._no_matches_timer
        assert timer is not None
        assert timer._callback is not None
        timer._callback()
        await until(pilot, lambda: not palette.query(Found))


async def test_a_page_gets_its_styles_once_as_it_opens(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    styled: list[TutorScreen] = []
    monkeypatch.setattr(
        TutorScreen, "update_node_styles", lambda self, animate=True: styled.append(self)
    )
    async with app.run_test() as pilot:
        await at_home(pilot, app)
        page = TutorScreen()
        await app.push_screen(page)
        await pilot.pause()
        assert page.stack_updates
        assert page not in styled


@pytest.mark.slow
async def test_what_is_said_twice_stands_there_once(app: TutorApp) -> None:
    async with app.run_test(notifications=True) as pilot:
        await at_home(pilot, app)
        said, rows = "No cell of this section is left to run.", []
        for _ in range(4):
            app.screen.say(said)
            await pilot.pause(0.2)
            lines = seen(app).split("\n")
            rows.append([row for row, line in enumerate(lines) if said in line])
        assert len(app._notifications) == 1
        assert rows == [rows[0]] * 4, "the line moves"
