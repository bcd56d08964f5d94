"""A screen as a text that a person can review: its rows, then which colours stand where.

Below the rows each style has a line with a letter: its colours in dark, then in light. Below these
stands the screen again, each cell as the letter of its style and the commonest style left blank. Of a
blank cell only the ground counts. After a change that is meant, `TUTOR_WRITE_SNAPSHOTS=1` lets
`compare` write the file again; read the difference before you keep it.
"""

import os
import re
import string
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from doing import until
from rich.color import Color
from rich.style import Style
from textual.app import App
from textual.pilot import Pilot

from tutor.ui.kit.core import theme

SNAPSHOTS = Path(__file__).with_name("snapshots")
LIGHT_AT = 40  # the column of a style's line from which it says what stands in light
_LETTERS = string.ascii_letters + string.digits
_RULE = "─" * 12
_ATTRIBUTES = ("bold", "dim", "italic", "underline", "reverse", "strike")

Styles = tuple[str, ...]  # of a row, by character
Rgb = tuple[int, int, int]


class Sight(NamedTuple):
    rows: tuple[str, ...]
    styles: tuple[Styles, ...]


def sight(app: App[None]) -> Sight:
    rows, styles = [], []
    for strip in app.screen._compositor.render_strips(app.size):
        text = "".join(segment.text for segment in strip).rstrip()
        rows.append(re.sub(r"\d:\d\d of", "0:00 of", text))  # a clock runs
        styles.append(
            tuple(_words(segment.style, char == " ") for segment in strip for char in segment.text)
        )
    return Sight(tuple(rows), tuple(styles))


@lru_cache(maxsize=4096)
def _words(style: Style | None, blank: bool) -> str:
    if style is None:
        return "none"
    ground = f"on {_name(style.bgcolor)}"
    if blank and not (style.underline or style.reverse or style.strike):
        return ground
    attributes = [name for name in _ATTRIBUTES if getattr(style, name)]
    return " ".join([*attributes, _name(style.color), ground])


def _name(colour: Color | None) -> str:
    return "default" if colour is None else colour.name


async def settled(pilot: Pilot[None]) -> Sight:
    """What is shown once nothing has changed for a moment."""
    before, now = None, sight(pilot.app)
    while now != before:
        await pilot.pause(0.1)
        before, now = now, sight(pilot.app)
    return now


async def dark_and_light(pilot: Pilot[None], part: slice = slice(None)) -> str:
    """The screen, or `part` of its rows, in both themes of our own, the one that is on first. Its
    text must be the same in both."""
    for widget in pilot.app.screen.query("*"):
        if hasattr(widget, "cursor_blink"):
            widget.cursor_blink = False
    themes = (theme.DARK.name, theme.LIGHT.name)
    shown: dict[str, Sight] = {}
    for name in sorted(themes, key=lambda name: name != pilot.app.theme):
        pilot.app.theme = name
        await until(
            pilot, lambda: sight(pilot.app).styles not in [s.styles for s in shown.values()]
        )
        shown[name] = await settled(pilot)
    dark, light = (Sight(*(rows[part] for rows in shown[name])) for name in themes)
    differing = [pair for pair in zip(dark.rows, light.rows, strict=True) if pair[0] != pair[1]]
    assert not differing, differing
    return picture(dark, light)


def picture(dark: Sight, light: Sight) -> str:
    pairs = [list(zip(*row, strict=True)) for row in zip(dark.styles, light.styles, strict=True)]
    letters = _letters(chain.from_iterable(pairs))
    legend = [f"{letter}  {d}".ljust(LIGHT_AT) + li for (d, li), letter in letters.items()]
    where = ["".join(letters[pair] for pair in row).rstrip() for row in pairs]
    return "\n".join([*dark.rows, _RULE, *legend, _RULE, *where]) + "\n"


def _letters(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Blank for the commonest, the others in the order in which they come."""
    counts = Counter(pairs)
    (commonest, _), *_ = counts.most_common(1)
    rest = [pair for pair in counts if pair != commonest]
    return {commonest: " "} | dict(zip(rest, _LETTERS, strict=False))


def compare(name: str, shown: str) -> None:
    """Hold `shown` against the file `name` of `snapshots/`."""
    file = SNAPSHOTS / name
    if os.environ.get("TUTOR_WRITE_SNAPSHOTS"):
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


def luminance(colour: Rgb) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Rgb, other: Rgb) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
