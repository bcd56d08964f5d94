"""A Gantt chart in the colours of the theme. Pure."""

from textual.content import Content

from tutor.course.gantt import Gantt, Piece, draw_gantt
from tutor.ui.kit.text.plots import QUIET
from tutor.ui.kit.text.safe_text import make_visible

FILLS = (
    ("█", "$primary"),
    ("░", "$accent"),
    ("▓", "$secondary"),
    ("▒", "$success"),
    ("▚", "$warning"),
    ("▖", "$error"),
)


def gantt_content(chart: Gantt, width: int) -> Content:
    """Draw a chart; a label is written on its span's colour, which the filling continues."""
    return Content("\n").join(
        Content.assemble(*((make_visible(piece.text), _style(piece)) for piece in line))
        for line in draw_gantt(chart, width)
    )


def _style(piece: Piece) -> str:
    if piece.look is None:
        return QUIET
    colour = FILLS[piece.look][1]
    return f"reverse {colour}" if piece.written else colour
