"""A card to draw a lesson's picture on: three times its size, then shrunk, so that edges are smooth.

Lengths are pixels of the finished picture. Text is set in the font that Pillow carries, which has
ASCII and little more; a character it lacks is an error and not a box.
"""

import json
import math
from itertools import pairwise

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

# Dark, with a paper of its own, so that it reads the same on a dark and on a light terminal. The
# three hues differ in lightness too (L* of 62, 69 and 88).
PAPER, RAISED, LINE = "#1b2029", "#262d39", "#566275"
INK, QUIET = "#eceef1", "#a9b3c1"
RED, BLUE, YELLOW = "#e8734a", "#58b2e8", "#f3dc6d"
SMALL, BODY, TITLE = 25, 29, 34  # heights of the type

_SCALE = 3
_COLOURS = 96  # enough for smooth edges in so few hues, and a third of the bytes

Point = tuple[float, float]


class Card:
    def __init__(self, width: int, height: int, title: str = "") -> None:
        self.said: list[str] = []
        self._labels: list[list[object]] = []
        self._image = Image.new("RGB", (width * _SCALE, height * _SCALE), PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self.box(1, 1, width - 2, height - 2, None, LINE, radius=0)
        self.text((40, 46), title, INK, TITLE, bold=True)

    def finished(self) -> Image.Image:
        """The picture, in a palette of its own."""
        small = self._image.reduce(_SCALE)
        return small.quantize(_COLOURS, dither=Image.Dither.NONE)

    def labels(self) -> PngInfo:
        """The level texts as the chunk `Labels` (docs/course-format.md)."""
        info = PngInfo()
        info.add_text("Labels", json.dumps(self._labels))
        return info

    def text(
        self,
        at: Point,
        words: str,
        colour: str = INK,
        size: int = SMALL,
        anchor: str = "lm",
        bold: bool = False,
        angle: float = 0.0,
        labelled: bool = True,
    ) -> None:
        """`anchor` as Pillow has it ("lm": left, middle). `angle` in degrees, counter-clockwise
        about the middle, which is then where `at` is. `labelled`: it has room in half blocks."""
        self.said.append(words)
        font = _font(size)
        stroke = 2 if bold else 0
        for letter in set(words):
            if bytes(font.getmask(letter)) == bytes(font.getmask("\uffff")):
                raise ValueError(f"the font has no {letter!r}")
        if angle:
            box = font.getbbox(words, anchor="mm", stroke_width=stroke)
            half = math.ceil(max(map(abs, box))) + 4
            mask = Image.new("L", (2 * half, 2 * half))
            ImageDraw.Draw(mask).text(
                (half, half), words, 255, font, anchor="mm", stroke_width=stroke
            )
            mask = mask.rotate(angle, Image.Resampling.BICUBIC)
            x, y = _scaled(at)
            self._image.paste(colour, (round(x) - half, round(y) - half), mask)
        else:
            box = self._draw.textbbox(_scaled(at), words, font, anchor, stroke_width=stroke)
            edges = [round(edge / _SCALE) for edge in box]
            if words and labelled:
                self._labels.append([*edges, anchor[0], words, colour, bold])
            self._draw.text(_scaled(at), words, colour, font, anchor=anchor, stroke_width=stroke)

    def width_of(self, words: str, size: int = SMALL) -> float:
        return _font(size).getlength(words) / _SCALE

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        fill: str | None = None,
        edge: str | None = None,
        radius: float = 6,
        thick: float = 2,
    ) -> None:
        corners = (*_scaled((left, top)), *_scaled((right, bottom)))
        self._draw.rounded_rectangle(
            corners, radius * _SCALE, fill, edge, round(thick * _SCALE) if edge else 0
        )

    def hatched(self, left: float, top: float, right: float, bottom: float, colour: str) -> None:
        """Diagonal strokes inside the box, and its edge."""
        corners = [round(each * _SCALE) for each in (left, top, right, bottom)]
        width, height = corners[2] - corners[0], corners[3] - corners[1]
        patch = Image.new("RGB", (width, height), PAPER)
        draw, step = ImageDraw.Draw(patch), 14 * _SCALE
        for x in range(-height // step * step, width, step):
            draw.line((x, height, x + height, 0), colour, round(1.5 * _SCALE))
        self._image.paste(patch, (corners[0], corners[1]))
        self._draw.rectangle(corners, None, colour, round(1.5 * _SCALE))

    def line(
        self, points: list[Point], colour: str = LINE, thick: float = 2, dashed: bool = False
    ) -> None:
        width = round(thick * _SCALE)
        if not dashed:
            self._draw.line([_scaled(p) for p in points], colour, width, joint="curve")
            return
        for (x0, y0), (x1, y1) in pairwise(points):
            length = math.hypot(x1 - x0, y1 - y0)
            for start in range(0, int(length), 14):
                a, b = start / length, min(start + 7, length) / length
                ends = [(x0 + t * (x1 - x0), y0 + t * (y1 - y0)) for t in (a, b)]
                self._draw.line([_scaled(p) for p in ends], colour, width)

    def arrow(self, start: Point, end: Point, colour: str = QUIET, thick: float = 2.5) -> None:
        length = math.dist(start, end)
        along = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
        x, y = end[0] - 14 * along[0], end[1] - 14 * along[1]  # where the head begins
        self.line([start, (x, y)], colour, thick)
        side = (-7 * along[1], 7 * along[0])
        head = [end, (x + side[0], y + side[1]), (x - side[0], y - side[1])]
        self._draw.polygon([_scaled(p) for p in head], colour)

    def dot(self, at: Point, colour: str, radius: float = 10) -> None:
        x, y = at
        corners = (*_scaled((x - radius, y - radius)), *_scaled((x + radius, y + radius)))
        self._draw.ellipse(corners, colour, PAPER, 2 * _SCALE)

    def diamond(self, at: Point, colour: str, radius: float = 13) -> None:
        x, y = at
        for r, fill in ((radius + 3, PAPER), (radius, colour)):
            corners = [(x - r, y), (x, y - r), (x + r, y), (x, y + r)]
            self._draw.polygon([_scaled(p) for p in corners], fill)


def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size * _SCALE)
    assert isinstance(font, ImageFont.FreeTypeFont)  # with FreeType, which every wheel has
    return font


def _scaled(point: Point) -> Point:
    return point[0] * _SCALE, point[1] * _SCALE
