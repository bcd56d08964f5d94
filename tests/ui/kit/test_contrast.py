"""What is really painted can be read: 4.5:1 between each letter and its ground (WCAG 2.2, 1.4.3),
in both themes of our own, with alpha blended in."""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import pytest
from doing import until
from rich.style import Style
from run_home import share_course
from sights import Rgb, contrast
from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.core import theme
from tutor.ui.routes import quiz_screen

pytestmark = pytest.mark.slow

LEAST = 4.5
_DIM = 0.5  # what terminals make of the attribute, at worst


def painted(app: App[None]) -> Iterator[tuple[int, str, Style]]:
    """Row, text and style of each piece on the screen; of a dialogue, only its own: what is below
    it is put out of the way on purpose."""
    boxes = (
        [widget.region for widget in app.screen.query("*") if widget.visible]
        if isinstance(app.screen, ModalScreen)
        else [app.screen.region]
    )
    for y, strip in enumerate(app.screen._compositor.render_strips(app.size)):
        x = 0
        for segment in strip:
            if segment.style and any(box.contains(x, y) for box in boxes):
                yield y, segment.text, segment.style
            x += segment.cell_length


@cache
def of_letters(style: Style) -> float:
    """The contrast between a text of this style and its ground."""
    return contrast(*ground(style))


def ground(style: Style) -> tuple[Rgb, Rgb]:
    assert style.color is not None
    assert style.bgcolor is not None
    front, back = style.color.triplet, style.bgcolor.triplet
    assert front is not None
    assert back is not None
    if style.reverse:
        front, back = back, front
    if style.dim:
        front = tuple(b + (f - b) * _DIM for f, b in zip(front, back, strict=True))  # type: ignore[assignment]
    return tuple(front), tuple(back)  # type: ignore[return-value]


def faint(app: App[None], where: str) -> list[str]:
    found = []
    for row, text, style in painted(app):
        if re.search(r"\w", text):
            measured = of_letters(style)
            if measured < LEAST:
                found.append(f"{where}, row {row}: {measured:.2f}:1 {text.strip()[:40]!r}")
    return found


def mixed(app: App[None], where: str) -> list[str]:
    return [
        f"{where}, row {row}: {colour} of {text!r}"
        for row, text, style in painted(app)
        for colour in (style.color if text.strip() else None, style.bgcolor)
        if colour is not None and colour.triplet is not None
    ]


async def places(  # noqa: PLR0915 - one walk
    app: TutorApp, pilot: Pilot[None]
) -> AsyncIterator[str]:
    """Walk through the application, and stop at each sight."""

    async def at(*keys: str) -> None:
        for key in keys:
            await pilot.press(key)
        await pilot.pause(0.1)

    yield "home"
    await at("question_mark")
    yield "help"
    await at("escape", "m")
    yield "map"
    await at("c")
    yield "ideas"
    await at("escape", "escape", "comma")
    yield "settings"
    await at("G", "k", "enter")
    yield "a setting that is written"
    await at("escape", "semicolon")
    yield "jump"
    await at("escape", "g", *["j"] * 7, "enter")
    yield "keys"
    await at("enter")
    yield "a key that is asked for"
    await at("escape", "escape", "escape", "T")
    yield "colours"
    await at("escape", "s")
    for page in ("figures", "forecast", "certainty", "topics"):
        yield f"statistics, {page}"
        await at("n")
    await at("escape")
    app.open("lesson:22")
    for page in range(6):
        await pilot.pause(0.1)
        yield f"lesson, page {page}"
        await at("n")
    await at("t")
    yield "contents"
    await at("escape", "q")
    app.open("exercise:row_softmax")
    await pilot.pause(0.3)
    yield "lab"
    await at("escape")
    yield "lab, the other side"
    await at("h")
    yield "lab, a hint"
    await at("escape")
    for day in (22, 28):
        quiz = app.course.quiz(day)
        assert quiz is not None
        app.push_screen(quiz_screen(quiz))
        await pilot.pause(0.2)
        yield f"questions of day {day}"
        await at("f3" if day == 22 else "enter")
        yield f"questions of day {day}, one step on"
        await at("escape")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TutorApp]:
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    record = open_record(paths.record_file())
    record.activity.section_read(22, 0)
    made = TutorApp(open_course(), record)
    monkeypatch.setattr(made, "_warm_judge", lambda: None)  # no verdict is asked for here
    yield made
    made.close_judge()
    record.close()


async def dressed(pilot: Pilot[None], name: str, faults: Callable[[], list[str]]) -> list[str]:
    """What `faults` finds in the colours of that theme, once it is painted: not before others stand
    there, and then in two seconds, because a change of theme takes several steps."""
    others = colours(pilot.app)
    assert others
    if pilot.app.theme != name:
        pilot.app.theme = name
        await until(pilot, lambda: colours(pilot.app) != others)
    with suppress(AssertionError):
        await until(pilot, lambda: not faults(), 2)
    return faults()


def colours(app: App[None]) -> set[tuple[object, object]]:
    return {(style.color, style.bgcolor) for _, _, style in painted(app)}


async def test_every_letter_can_be_read_in_every_theme(app: TutorApp) -> None:
    """And in the terminal's own colours only the sixteen that its palette names: nothing mixed. Its
    light theme has the same styles as its dark one."""
    found: list[str] = []
    seen = 0
    names = [theme.DARK.name, theme.TERMINAL_DARK.name, theme.LIGHT.name]
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        async for where in places(app, pilot):
            seen += 1
            names.reverse()  # it begins with the theme that the place before ended with
            for name in names:
                look = mixed if name == theme.TERMINAL_DARK.name else faint
                found += await dressed(pilot, name, partial(look, app, f"{where}, {name}"))
    assert seen > 20
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", theme.ABOUT)
async def test_the_palette_can_be_read_in_every_theme(app: TutorApp, name: str) -> None:
    """By itself: no theme is changed while it is open."""
    look = faint if name in (theme.DARK.name, theme.LIGHT.name) else mixed
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await dressed(pilot, name, list)
        await pilot.press("colon")
        await until(pilot, lambda: "Review" in "".join(text for _, text, _ in painted(app)))
        found = look(app, "palette")
        await pilot.press(*"day")
        await until(pilot, lambda: "Day 1 " in "".join(text for _, text, _ in painted(app)))
        found += look(app, "palette, searched")
    assert not found, "\n".join(found)


@pytest.fixture
def grey(app: TutorApp, monkeypatch: pytest.MonkeyPatch) -> TutorApp:
    monkeypatch.setenv("NO_COLOR", "1")
    made = TutorApp(app.course, app.record)
    monkeypatch.setattr(made, "_warm_judge", lambda: None)
    return made


async def test_no_color_leaves_greys_that_can_be_read(grey: TutorApp) -> None:
    found: list[str] = []
    async with grey.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(grey.screen, HomeScreen))
        async for where in places(grey, pilot):
            for _, text, style in painted(grey):
                if text.strip():
                    for colour in ground(style):
                        assert len(set(colour)) == 1, (where, colour)
            found += faint(grey, where)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", [theme.DARK.name, theme.TERMINAL_DARK.name])
async def test_a_lists_cursor_is_seen_without_colours(grey: TutorApp, name: str) -> None:
    async with grey.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(grey.screen, HomeScreen))
        grey.theme = name
        await pilot.press("comma")
        await pilot.pause(0.2)
        looks = {}
        for row in ("theme", "vim keys"):
            (style,) = {s for _, text, s in painted(grey) if row in text}
            looks[row] = (style.bgcolor, style.reverse)
            hues = {colour.triplet for colour in (style.color, style.bgcolor) if colour}
            assert all(rgb is None or len(set(rgb)) == 1 for rgb in hues)
    assert looks["theme"] != looks["vim keys"]
