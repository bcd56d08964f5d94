"""Diagrams of lessons as images, if the terminal can draw them: Sixel, or Kitty's protocol.

`textual-image` (the extra `images`) asks the terminal for its abilities when it is imported. It can do
so only before the application uses the terminal, so `prepare` is called at the start, and only if the
course has pictures. Half-block pictures, its last resort, make letters unreadable; the description of
the picture is shown instead.
"""

import importlib
from pathlib import Path
from types import ModuleType

from textual.widget import Widget

COLUMNS, ROWS = 72, 20  # at most, so that a terminal of 80 by 24 shows all of it
_drawing: ModuleType | None = None


def prepare() -> None:
    """Find out if pictures can be drawn: ask the terminal, and wait for its answer."""
    global _drawing
    try:
        renderable = importlib.import_module("textual_image.renderable")
        widget = importlib.import_module("textual_image.widget")
    except (
        ImportError,
        ArithmeticError,
        OSError,
        ValueError,
    ):  # the last two: a terminal without a size
        return
    if renderable.Image in (renderable.SixelImage, renderable.TGPImage):
        _drawing = widget


def picture(path: Path) -> Widget | None:
    """A widget that draws a PNG, or None if it cannot be drawn."""
    if _drawing is None:
        return None
    from PIL import Image  # a dependency of textual-image

    try:
        with Image.open(path) as file:
            pixels = file.convert()  # a palette image cannot be scaled smoothly
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # no image to draw
        return None
    drawn: Widget = _drawing.Image(pixels)
    drawn.styles.width, drawn.styles.height = cells(*pixels.size)
    return drawn


def cells(width: int, height: int) -> tuple[int, int]:
    """The columns and rows for a picture of this many pixels, as large as a page allows. A cell counts
    as twice as high as it is wide."""
    rows = round(COLUMNS * height / max(width, 1) / 2)
    if rows <= ROWS:
        return COLUMNS, max(rows, 1)
    return max(round(COLUMNS * ROWS / rows), 1), ROWS
