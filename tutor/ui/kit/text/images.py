"""Diagrams of lessons as images, where the terminal can draw them: Sixel, or Kitty's protocol.

`textual-image` (the extra `images`) asks the terminal what it can when it is imported, which is
possible only before the application has the terminal. So `prepare` is called then, and only where
the course has pictures: any other start stays as quick as it is. Half-block pictures, its last
resort, make letters unreadable: there the words that stand for the picture are shown.
"""

import importlib
from pathlib import Path
from types import ModuleType

from textual.widget import Widget

COLUMNS, ROWS = 72, 20  # at most, so that it stands whole on a terminal of 80 by 24
_drawing: ModuleType | None = None


def prepare() -> None:
    """Find out whether pictures can be drawn. Asks the terminal, and waits for its answer."""
    global _drawing
    try:
        renderable = importlib.import_module("textual_image.renderable")
        widget = importlib.import_module("textual_image.widget")
    except (ImportError, ArithmeticError, OSError, ValueError):  # also of a terminal without a size
        return
    if renderable.Image in (renderable.SixelImage, renderable.TGPImage):
        _drawing = widget


def picture(path: Path) -> Widget | None:
    """A widget that draws a PNG, or None if it cannot be drawn."""
    if _drawing is None:
        return None
    from PIL import Image  # textual-image is made on it

    try:
        with Image.open(path) as file:
            pixels = file.convert()  # out of a palette, in which it could not be scaled smoothly
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # no image to draw
        return None
    drawn: Widget = _drawing.Image(pixels)
    drawn.styles.width, drawn.styles.height = cells(*pixels.size)
    return drawn


def cells(width: int, height: int) -> tuple[int, int]:
    """Columns and rows for a picture of so many pixels: as large as a page has room for. A cell is
    taken to be twice as high as it is wide."""
    rows = round(COLUMNS * height / max(width, 1) / 2)
    if rows <= ROWS:
        return COLUMNS, max(rows, 1)
    return max(round(COLUMNS * ROWS / rows), 1), ROWS
