"""Every letter in the snapshots of `tests/ui/snapshots` can be read: 4.5:1 to its ground (WCAG 2.2,
1.4.3), in both themes. Together the snapshots show every screen; `sights.py` says how one is read."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
from rich.color import Color
from sights import SNAPSHOTS, Rgb, contrast

LEAST = 4.5
_DIM = 0.5  # of the difference to the ground: what terminals leave of a dim letter, at worst
_STYLES = re.compile(
    r"(.)  (.*? on #\w{6}) *(.*)"
)  # a letter, then what it is in dark and in light
_BAR_BELOW = "on #17191e"  # in dark, the bar of a page that lies below a dialogue
_BELOW = ("on #15171b", _BAR_BELOW, "on #1b2529")  # such a page, its bar, its cursor
# `test_contrast.py` looks at the palette, whose colours do not follow while it is open. What lies below
# the wide menu has the menu's own ground.
_LEFT_OUT = ("settings_colon_80x24", "settings_colon_120x40", "lab_menu_120x40")
_PICTURES = [file for file in sorted(SNAPSHOTS.glob("*.txt")) if file.stem not in _LEFT_OUT]


def styles_of_letters(picture: str) -> dict[tuple[str, str], str]:
    """In dark and in light, the style of each letter and digit, with an example of its text. A page
    below a dialogue is left out: it is put out of the way on purpose."""
    rows, legend, where = (part.split("\n") for part in re.split(r"\n─{12}\n", picture))
    pairs = {}
    for line in legend:
        mark, dark, light = _STYLES.fullmatch(line).groups()  # type: ignore[union-attr]
        pairs[mark] = (dark, light)
    below = _BELOW if any(dark.endswith(_BAR_BELOW) for dark, _ in pairs.values()) else ()
    found: dict[tuple[str, str], str] = {}
    for row, marks in zip_longest(rows, where, fillvalue=""):
        for char, mark in zip_longest(row, marks[: len(row)], fillvalue=" "):
            if char.isalnum() and not pairs[mark][0].endswith(tuple(below)):
                found.setdefault(pairs[mark], row.strip())
    return found


def colours(style: str) -> tuple[Rgb, Rgb]:
    """The colours of a letter and of its ground: "bold #d0d0d0 on #202020" and the like."""
    *attributes, front, _, back = style.split()
    letter, ground = (tuple(Color.parse(name).get_truecolor()) for name in (front, back))
    if "reverse" in attributes:
        letter, ground = ground, letter
    if "dim" in attributes:
        letter = tuple(round(g + (f - g) * _DIM) for f, g in zip(letter, ground, strict=True))
    return letter, ground


def faint(picture: str) -> Iterator[str]:
    for styles, example in styles_of_letters(picture).items():
        for theme, style in zip(("dark", "light"), styles, strict=True):
            measured = contrast(*colours(style))
            if measured < LEAST:
                yield f"{theme}: {measured:.2f}:1 of {style!r} in {example[:60]!r}"


@pytest.mark.parametrize("file", _PICTURES, ids=lambda file: file.stem)
def test_every_letter_of_a_snapshot_can_be_read(file: Path) -> None:
    assert not list(faint(file.read_text(encoding="utf-8")))


def test_a_faint_letter_is_found() -> None:
    picture = (SNAPSHOTS / "screen_home_80x24.txt").read_text(encoding="utf-8")
    assert not list(faint(picture))
    assert list(faint(picture.replace(" #d6d9de on", " #60656e on")))
