"""Diagrams of lessons as images: in Sixel or Kitty's protocol, else in half blocks.

`prepare` asks the terminal at the start, before the application uses it. `textual-image` (the extra
`images`) draws the pixels. It is imported with the first picture: it needs NumPy, and home would wait
for it.
"""

import importlib
import importlib.util
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from tutor.base import terminal_graphics
from tutor.base.terminal_graphics import Graphics
from tutor.ui.kit.text.safe_text import make_visible

if TYPE_CHECKING:
    from PIL.Image import Image

WIDEST = 92  # columns of a picture in half blocks, those of a lesson's text
_LEFT_FREE = 4  # rows of the page that stay free, so that all of it is in sight
_LOWEST = 8  # rows
_MOST_LABELS = 200
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
COLUMNS, ROWS = 72, 20  # at most, so that a terminal of 80 by 24 shows all of it
_graphics: Graphics | None = None


def prepare() -> None:
    """Find out if the terminal has pixels: ask it, and wait for its answer."""
    global _graphics
    _graphics = (
        terminal_graphics.ask_terminal() if importlib.util.find_spec("textual_image") else None
    )


def _pixel_widget(graphics: Graphics) -> type[Widget] | None:
    """Return the widget of `textual-image` for a terminal with this protocol, or None without one.

    The library asks the terminal while it is imported, if its output is one. The application reads
    the terminal by then, so the import finds another output, and the size of a cell in the environment,
    as under `textual-serve`.
    """
    terminal, environment = sys.__stdout__, dict(os.environ)
    if graphics.cell:
        width, height = map(str, graphics.cell)
        os.environ |= {"TEXTUAL_CELL_WIDTH": width, "TEXTUAL_CELL_HEIGHT": height}
    sys.__stdout__ = io.StringIO()  # type: ignore[misc, assignment]
    try:
        module = importlib.import_module("textual_image.widget")
    except ImportError:
        return None
    finally:
        sys.__stdout__ = terminal  # type: ignore[misc]
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
    drawn: type[Widget] = module.SixelImage if graphics.protocol == "sixel" else module.TGPImage
    return drawn


def make_picture(path: Path, *, truecolour: bool) -> Widget | None:
    """A widget that draws a PNG, or None if it cannot be drawn. `truecolour`: the terminal has 24-bit
    colours."""
    drawing = _pixel_widget(_graphics) if _graphics else None
    if drawing is None and not truecolour:
        return None
    from PIL import Image

    try:
        with Image.open(path) as file:
            pixels = file.convert()  # a palette image cannot be scaled smoothly
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # no image to draw
        return None
    if drawing is None:
        return BlockPicture(pixels)
    drawn = drawing(pixels)
    drawn.styles.width, drawn.styles.height = fit_cells(*pixels.size)
    return drawn


def fit_cells(width: int, height: int) -> tuple[int, int]:
    """The columns and rows for a picture of this many pixels, as large as a page allows. A cell counts
    as twice as high as it is wide."""
    rows = round(COLUMNS * height / max(width, 1) / 2)
    if rows <= ROWS:
        return COLUMNS, max(rows, 1)
    return max(round(COLUMNS * ROWS / rows), 1), ROWS


@dataclass(frozen=True)
class Label:
    """A text on a picture: its box in pixels, the side that stays in place ("l", "m" or "r")."""

    left: float
    top: float
    right: float
    bottom: float
    side: str
    words: str
    colour: str
    bold: bool = False


def labels_of(image: "Image") -> tuple[Label, ...]:
    """The texts that a PNG names in its chunk `Labels`, none if it has no such chunk."""
    try:
        listed = json.loads(image.info.get("Labels", "[]"))
        return tuple(_label(*fields) for fields in listed[:_MOST_LABELS])
    except (TypeError, ValueError, KeyError):
        return ()


def _label(
    left: float,
    top: float,
    right: float,
    bottom: float,
    side: str,
    words: str,
    colour: str,
    bold: bool = False,
) -> Label:
    if not _COLOUR.fullmatch(colour):
        raise ValueError(f"no colour: {colour}")
    edges = (float(left), float(top), float(right), float(bottom))
    return Label(*edges, side, make_visible(words), colour, bold)


def place_labels(
    labels: Sequence[Label], pixels: tuple[int, int], cells: tuple[int, int]
) -> dict[tuple[int, int], Label]:
    """The labels by column and row of their first letter. One that would cover another stands a row
    above or below; one without room is left out."""
    wide, high = pixels[0] / cells[0], pixels[1] / cells[1]
    taken: set[tuple[int, int]] = set()
    places = {}
    for label in labels:
        length = len(label.words)
        middle = (label.left + label.right) / 2 / wide - length / 2
        starts = {"l": label.left / wide, "r": label.right / wide - length}
        column = max(0, min(cells[0] - length, round(starts.get(label.side, middle))))
        exact = (label.top + label.bottom) / 2 / high
        rows = sorted(range(cells[1]), key=lambda row: abs(row + 0.5 - exact))[:3]
        for gap, row in product((1, 0), rows):
            cover = {(at, row) for at in range(column - gap, column + length + gap)}
            if not cover & taken:
                taken |= {(at, row) for at in range(column, column + length)}
                places[column, row] = label
                break
    return places


class BlockPicture(Widget):
    """Draws `image` in half blocks, as wide as its place and so low that the page shows all of it.

    Each character is two pixels: the upper one its colour, the lower one its ground. Labels are letters.
    """

    DEFAULT_CSS = f"""
    BlockPicture {{ width: 1fr; max-width: {WIDEST}; height: auto; }}
    """

    def __init__(self, image: "Image") -> None:
        super().__init__()
        self.labels = labels_of(image)
        self._image = _paint_over(self.labels, image.convert("RGB"))
        self._rows: tuple[tuple[int, int], list[Strip]] = ((0, 0), [])  # by size in cells

    def cells(self, width: int, height: int) -> tuple[int, int]:
        """The columns and rows of the picture in a place of this size. A cell is twice as high as it
        is wide."""
        across, down = self._image.size
        columns = max(1, min(width, round(2 * height * across / max(1, down))))
        return columns, max(1, min(height, round(columns * down / max(1, across) / 2)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.cells(width, max(_LOWEST, viewport.height - _LEFT_FREE))[1]

    def render_line(self, y: int) -> Strip:
        size = self.cells(self.content_size.width, self.content_size.height)
        if self._rows[0] != size:
            self._rows = (size, _draw_rows(self._image, self.labels, *size))
        rows = self._rows[1]
        return rows[y] if y < len(rows) else Strip.blank(self.content_size.width)


def _paint_over(labels: Sequence[Label], image: "Image") -> "Image":
    """Paint over the labels with the colour around their letters: letters are drawn as such."""
    for label in labels:
        left, right = (max(0, min(image.width, round(x))) for x in (label.left, label.right))
        top, bottom = (max(0, min(image.height, round(y))) for y in (label.top, label.bottom))
        if left < right and top < bottom:
            part = image.crop((left, top, right, bottom))
            colours: Any = part.getcolors(part.width * part.height)
            image.paste(max(colours)[1], (left, top, right, bottom))
    return image


def _draw_rows(image: "Image", labels: Sequence[Label], columns: int, rows: int) -> list[Strip]:
    """The rows of a picture shrunk to `columns` by twice `rows` pixels."""
    from PIL.Image import Resampling

    pixels = image.resize((columns, 2 * rows), Resampling.BOX).tobytes()

    def colour(column: int, half_row: int) -> str:
        at = 3 * (half_row * columns + column)
        return f"#{pixels[at : at + 3].hex()}"

    cells = [
        [("▀", Style(color=colour(x, 2 * y), bgcolor=colour(x, 2 * y + 1))) for x in range(columns)]
        for y in range(rows)
    ]
    for (column, row), label in place_labels(labels, image.size, (columns, rows)).items():
        for x, letter in enumerate(label.words[:columns], column):
            ground = colour(x, 2 * row + 1)
            cells[row][x] = (letter, Style(color=label.colour, bgcolor=ground, bold=label.bold))
    return [
        Strip([Segment(character, style) for character, style in line], columns).simplify()
        for line in cells
    ]
