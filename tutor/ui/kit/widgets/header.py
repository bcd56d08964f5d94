"""The line or two at the top of a screen: a title on the left, the learner's place on the right."""

from textual.content import Content
from textual.widget import Widget

Half = Content | str | tuple[Content, ...]


class Bar(Widget):
    """Each row has two halves; the right one stays whole and the left one gives way.

    Of several texts on the left the first one that fits whole is shown.
    """

    DEFAULT_CSS = """
    Bar { dock: top; width: 100%; height: auto; padding: 0 1; background: $surface; }
    """

    def __init__(self, left: Half = "", right: Half = "") -> None:
        super().__init__()
        self._rows: tuple[tuple[Half, Half], ...] = ((left, right),)

    def show(self, left: Half, right: Half, *below: tuple[Half, Half]) -> None:
        """Show a row, and the rows of `below` under it. A plain text on the left is a title."""
        grown = len(below) + 1 != len(self._rows)
        self._rows = ((left, right), *below)
        self.refresh(layout=grown)

    def render(self) -> Content:
        # Docked, the bar is as wide as the screen; asking for its own size would lay the page out.
        width = self.app.size.width - 2
        return Content("\n").join(_justify(left, right, width) for left, right in self._rows)


def _justify(left: Half, right: Half, width: int) -> Content:
    if isinstance(left, str):
        left = Content.styled(left, "bold $primary")
    right = Content(right) if isinstance(right, str) else _fitting(right, width)
    room = width - right.cell_length - (2 if right.cell_length else 0)
    left = _fitting(left, width if room < 12 else room)
    if room < 12:  # too narrow for both
        return left.truncate(max(width, 1), ellipsis=True)
    left = left.truncate(room, ellipsis=True)
    return Content.assemble(left, " " * (width - left.cell_length - right.cell_length), right)


def _fitting(half: Content | tuple[Content, ...], room: int) -> Content:
    """Return the first of several texts that fits, else the last one."""
    if isinstance(half, Content):
        return half
    return next((text for text in half if text.cell_length <= room), half[-1])
