"""The line or two at the top of a screen: what this is on the left, where you are on the right."""

from textual.content import Content
from textual.widget import Widget


class Bar(Widget):
    """Each row is a pair; the right half stays whole and the left half gives way."""

    DEFAULT_CSS = """
    Bar { dock: top; width: 100%; height: auto; padding: 0 1; background: $surface; }
    """

    def __init__(self, *rows: tuple[Content, Content]) -> None:
        super().__init__()
        self._rows = rows

    def set_rows(self, *rows: tuple[Content, Content]) -> None:
        grown = len(rows) != len(self._rows)
        self._rows = rows
        self.refresh(layout=grown)

    def render(self) -> Content:
        # Docked, the bar is as wide as the screen; asking for its own size would lay the page out.
        width = self.app.size.width - 2
        return Content("\n").join(_justified(left, right, width) for left, right in self._rows)


def _justified(left: Content, right: Content, width: int) -> Content:
    room = width - right.cell_length - (2 if right.cell_length else 0)
    if room < 12:  # too narrow for both
        return left.truncate(max(width, 1), ellipsis=True)
    left = left.truncate(room, ellipsis=True)
    return Content.assemble(left, " " * (width - left.cell_length - right.cell_length), right)
