"""Who holds which element of a tile, as a grid of lanes; two grids where a layout is converted."""

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import limit_text
from tutor.xray.model import lane_words as words
from tutor.xray.model.tile_layouts import (
    Holder,
    TileLayout,
    TileView,
    Undecoded,
    lay_out,
)

_GREY = "$foreground 70%"
_LABEL, _CELL = 4, 4  # columns: the number of a row at least, an element
# Colours of warps; from the ninth on they begin again.
_WARPS = (
    "$primary",
    "$accent",
    "$success",
    "$error",
    "$foreground",
    "$secondary",
    "$warning",
    _GREY,
)


class LaneGrid(Static):
    """A window on a tile. `CellChosen` says which element was clicked on."""

    class CellChosen(Message):
        def __init__(self, row: int, column: int) -> None:
            self.row, self.column = row, column
            super().__init__()

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._drawn: tuple[TileLayout, tuple[int, int], tuple[int, int], str] | None = None
        self._top = self._left = 0
        self._label = _LABEL

    def draw(
        self, layout: TileLayout, cursor: tuple[int, int], thread: tuple[int, int], what: str
    ) -> None:
        """Draw the part around `cursor`, a row and a column. What `thread`, a warp and a lane, holds
        stands out. `what` each cell shows is "lane", "warp" or "register"."""
        self._drawn = layout, cursor, thread, what
        rows, columns = words.grid_size(layout.shape)
        each = (
            columns if len(layout.shape) == 1 else 1
        )  # a line of a long tile begins at an element
        self._label = max(_LABEL, len(str((rows - 1) * each)))
        high = max(1, self.size.height - 1)
        wide = max(1, (self.size.width - self._label) // _CELL)
        self._top = _scroll(self._top, cursor[0], high, rows)
        self._left = _scroll(self._left, cursor[1], wide, columns)
        shown = range(self._left, min(columns, self._left + wide))
        heads = "".join(f"{column:>{_CELL}}" for column in shown)
        lines = [Content.styled(f"{'':{self._label}}{heads}", _GREY)]
        for row in range(self._top, min(rows, self._top + high)):
            parts: list[tuple[str, str]] = [(f"{row * each:>{self._label}}", _GREY)]
            for column in shown:
                place = words.place_in(layout.shape, row, column)
                holders = layout.holders[place]
                parts.append((" ", ""))
                parts.append(_draw_cell(holders, thread, (row, column) == cursor, what))
            lines.append(Content.assemble(*parts))
        self.update(Content("\n").join(lines))

    def on_resize(self) -> None:
        if self._drawn is not None:
            self.draw(*self._drawn)

    def on_click(self, event: events.Click) -> None:
        if self._drawn is None:
            return
        rows, columns = words.grid_size(self._drawn[0].shape)
        row = self._top + event.y - 1
        column = self._left + (event.x - self._label) // _CELL
        if event.y >= 1 and event.x >= self._label and row < rows and column < columns:
            self.post_message(self.CellChosen(row, column))


def _scroll(first: int, cursor: int, room: int, of: int) -> int:
    """Return the first row or column to show, so that the cursor is in sight."""
    first = min(first, cursor, max(0, of - room))
    return max(first, cursor - room + 1)


def _draw_cell(
    holders: Sequence[Holder], thread: tuple[int, int], here: bool, what: str
) -> tuple[str, str]:
    own = [holder for holder in holders if (holder.warp, holder.lane) == thread]
    shown = own[0] if own else holders[0]
    style = _WARPS[shown.warp % len(_WARPS)]
    if here:
        style += " reverse bold"
    elif own:
        style += " bold underline"
    return f"{getattr(shown, what):>{_CELL - 1}}", style


class LanesScreen(Modal[None]):
    """The views of a TTGIR text; the one at `start` first."""

    CSS_PATH = "screen.tcss"
    BINDINGS = window_bindings("lanes")

    def __init__(
        self, views: Sequence[TileView], definitions: dict[str, str], start: int = 0
    ) -> None:
        super().__init__()
        self._views, self._definitions, self._at = views, definitions, start
        self._layouts: list[TileLayout] = []
        self._trouble = ""
        self._cursor = (0, 0)
        self._shows = 0

    def compose(self) -> ComposeResult:
        others = (
            (key_of(self, "lanes.next"), "next tile"),
            (key_of(self, "lanes.before"), "before"),
        )
        keys = (
            *(others if len(self._views) > 1 else ()),
            (key_of(self, "lanes.show"), "lane, warp, register"),
            (key_of(self, "lanes.close"), "closes"),
        )
        foot = " · ".join(f"{key}: {does}" for key, does in keys)
        with dialog("Which lane holds what", foot):
            yield Static(id="tile", markup=False)
            with Horizontal(id="grids"):
                yield LaneGrid()
                yield LaneGrid()
            yield Static(id="said", markup=False)

    def on_mount(self) -> None:
        self._open()

    # ---- drawing

    def _open(self) -> None:
        """Lay out the tiles of the view."""
        self._cursor, self._trouble = (0, 0), ""
        try:
            self._layouts = [lay_out(tile, self._definitions) for tile in self._view.tiles]
        except Undecoded as error:
            self._layouts, self._trouble = [], str(error)
        second = self.query(LaneGrid).last()
        second.display = len(self._layouts) > 1
        self.query_one("#grids").display = bool(self._layouts)
        self.call_after_refresh(self._draw)

    @property
    def _view(self) -> TileView:
        return self._views[self._at]

    def _draw(self) -> None:
        view = self._view
        names = " → ".join(limit_text(str(tile), lines=1, columns=120) for tile in view.tiles)
        count = f"{self._at + 1} of {len(self._views)}"
        self.query_one("#tile", Static).update(
            Content.assemble((names, "bold"), (f"  line {view.line} of TTGIR, {count}", _GREY))
        )
        said = self.query_one("#said", Static)
        if not self._layouts:
            said.update(Content.styled(self._trouble, "$error"))
            return
        what = words.SHOWS[self._shows]
        place = words.place_in(self._layouts[0].shape, *self._cursor)
        first = self._layouts[0].holders[place][0]
        thread = (first.warp, first.lane)
        for grid, layout in zip(self.query(LaneGrid), self._layouts, strict=False):
            grid.draw(layout, self._cursor, thread, what)
        said.update(Content("\n").join(self._say(place, thread, what)))

    def _say(self, place: tuple[int, ...], thread: tuple[int, int], what: str) -> list[Content]:
        held = [words.describe_holders(layout.holders[place]) for layout in self._layouts]
        element = words.describe_place(place)
        lines = [Content.assemble((f"Element {element}  ", "bold"), " → ".join(held) + ".")]
        if len(self._layouts) > 1:
            before, after = self._layouts
            lines.append(Content(words.describe_move(before, after, place)))
            lines.append(Content(words.describe_moves(before, after)))
        else:
            lines.append(Content(f"A block is {words.describe_sizes(self._layouts[0])}."))
        number = "which of its thread's values" if what == "register" else f"the {what}"
        legend = (
            f"A number is {number}, a colour a warp; underlined is what warp {thread[0]}, lane "
            f"{thread[1]} holds."
        )
        lines.append(Content.styled(legend, _GREY))
        return lines

    # ---- keys

    def on_lane_grid_cell_chosen(self, message: LaneGrid.CellChosen) -> None:
        self._cursor = (message.row, message.column)
        self._draw()

    def action_step(self, down: int, across: int) -> None:
        """Move the cursor; it stops at the edges."""
        if self._layouts:
            rows, columns = words.grid_size(self._layouts[0].shape)
            row, column = self._cursor
            self._cursor = (_clamp(row + down, rows), _clamp(column + across, columns))
            self._draw()

    def action_view(self, step: int) -> None:
        self._at = (self._at + step) % len(self._views)
        self._open()

    def action_show(self) -> None:
        self._shows = (self._shows + 1) % len(words.SHOWS)
        self._draw()

    def action_close(self) -> None:
        self.dismiss(None)


def _clamp(value: int, size: int) -> int:
    return max(0, min(size - 1, value))
