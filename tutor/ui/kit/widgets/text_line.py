"""A line of a long text as a strip of cells: number and sign, the text, the size of its fold."""

from collections.abc import Callable

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip
from textual.style import Style


def strip(
    content: Content,
    base: Style,
    gutter: Style,
    parse_style: Callable[[str | Style], Style],
    *,
    number: str,
    left: int,
    width: int,
    hidden: int,
) -> Strip:
    """`width` cells: `number`, then `content` from its column `left` on.

    `base` and `gutter` are the styles of the text and of the gutter. `hidden`, the number of lines
    folded under this one, is shown at the right edge.
    """
    body_width = max(0, width - len(number))
    segments = [
        Segment(part, style.rich_style)
        for part, style in content.render(base, end="", parse_style=parse_style)
    ]
    body = Strip(segments).crop(left, left + body_width)
    body = body.extend_cell_length(body_width, base.rich_style)
    if hidden:
        note = f" ⋯ {hidden} lines "
        label = Strip([Segment(note, gutter.rich_style)], len(note))
        body = Strip.join([body.crop(0, max(0, body_width - len(note))), label])
    return Strip.join([Strip([Segment(number, gutter.rich_style)], len(number)), body])
