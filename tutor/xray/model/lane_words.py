"""Which thread holds which element of a tile, in words and as lines of plain text. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tutor.base.number_text import plural
from tutor.xray.model.tile_layouts import (
    Holder,
    TileLayout,
    TileView,
    Undecoded,
    lay_out,
    list_views,
    read_definitions,
)

SHOWS = ("lane", "warp", "register")
_LINE = 16  # elements a line of a tile of one dimension
_MOST_ROWS, _MOST_COLUMNS = 16, 16  # of a grid in plain text
_MOST_HOLDERS = 4  # that a sentence names
_MOST_PLACES = 16  # elements of a thread that a line names


def grid_size(shape: Sequence[int]) -> tuple[int, int]:
    """Return the rows and columns in which a tile is drawn: the last dimension along a row; a tile of
    one dimension is broken into lines, and leading dimensions stand below each other."""
    if len(shape) == 1:
        columns = min(_LINE, shape[0])
        return shape[0] // columns, columns
    return math.prod(shape[:-1]), shape[-1]


def place_in(shape: Sequence[int], row: int, column: int) -> tuple[int, ...]:
    """Return the element that is drawn there."""
    columns = grid_size(shape)[1]
    flat, place = row * columns + column, []
    for size in reversed(shape):
        place.append(flat % size)
        flat //= size
    return tuple(reversed(place))


def describe_place(place: Sequence[int]) -> str:
    """Return `(3, 0)`; of a tile of one dimension `[3]`."""
    return f"({', '.join(map(str, place))})" if len(place) > 1 else f"[{place[0]}]"


def describe_holders(holders: Sequence[Holder]) -> str:
    """Return `warp 0, lane 5, register 2`; of an element that is held several times, the first and how
    many more there are."""
    first = holders[0]
    said = f"warp {first.warp}, lane {first.lane}, register {first.register}"
    if len(holders) == 1:
        return said
    warps = len({holder.warp for holder in holders})
    lanes = len({(holder.warp, holder.lane) for holder in holders})
    return f"{said}; held {len(holders)} times, by {lanes} threads of {plural(warps, 'warp')}"


def describe_move(before: TileLayout, after: TileLayout, place: tuple[int, ...]) -> str:
    """Return what a conversion does with an element."""
    old, new = before.holders[place], after.holders[place]
    if _threads(new) <= _threads(old):
        return "It stays in its thread."
    if {holder.warp for holder in new} <= {holder.warp for holder in old}:
        return "It goes to another lane of its warp."
    return "It goes to another warp."


def describe_moves(before: TileLayout, after: TileLayout) -> str:
    """Return how many elements a conversion leaves where they are."""
    total = thread = warp = 0
    for place, old in before.holders.items():
        new = after.holders[place]
        total += 1
        thread += _threads(new) <= _threads(old)
        warp += {holder.warp for holder in new} <= {holder.warp for holder in old}
    return (
        f"Of {total:,} elements {thread:,} stay in their thread and {warp - thread:,} more in their "
        f"warp; {total - warp:,} go to another warp, which takes shared memory."
    )


def _threads(holders: Sequence[Holder]) -> set[tuple[int, int]]:
    return {(holder.warp, holder.lane) for holder in holders}


def describe_sizes(layout: TileLayout) -> str:
    """Return `4 warps of 32 lanes, 16 registers a thread`."""
    registers = plural(layout.size("register"), "register")
    return f"{plural(layout.size('warp'), 'warp')} of {layout.size('lane')} lanes, {registers} a thread"


def format_lanes(text: str) -> Iterator[str]:
    """Yield the lines that a command prints of a TTGIR text: each conversion and each tile."""
    definitions = read_definitions(text)
    for view in list_views(text):
        yield ""
        titles = [str(tile) for tile in view.tiles]
        yield f"line {view.line}: {' -> '.join(titles)}"
        try:
            layouts = [lay_out(tile, definitions) for tile in view.tiles]
        except Undecoded as error:
            yield f"  {error}"
            continue
        if view.is_conversion:
            yield f"  {describe_moves(*layouts)}"
            continue
        (layout,) = layouts
        yield f"  {describe_sizes(layout)}"
        yield from _format_grid(layout)
        places = [
            layout.place_of(Holder(0, 0, register)) for register in range(layout.size("register"))
        ]
        told = " ".join(map(describe_place, places[:_MOST_PLACES]))
        more = " …" if len(places) > _MOST_PLACES else ""
        yield f"  warp 0, lane 0 holds {told}{more}"


def _format_grid(layout: TileLayout) -> Iterator[str]:
    """Yield the corner of the grid, an element as `warp:lane`."""
    rows, columns = grid_size(layout.shape)
    for row in range(min(rows, _MOST_ROWS)):
        cells = []
        for column in range(min(columns, _MOST_COLUMNS)):
            first = layout.holders[place_in(layout.shape, row, column)][0]
            cells.append(f"{first.warp}:{first.lane:<2}")
        first_place = describe_place(place_in(layout.shape, row, 0))
        more = " …" if columns > _MOST_COLUMNS else ""
        yield f"  {first_place:>10}  {' '.join(cells)}{more}".rstrip()
    if rows > _MOST_ROWS:
        yield f"  {'':>10}  …"


def views_to_json(text: str) -> list[dict[str, Any]]:
    """Return the views of a TTGIR text as `tutor xray --lanes --json` prints them."""
    definitions = read_definitions(text)
    return [_to_json(view, definitions) for view in list_views(text)]


def _to_json(view: TileView, definitions: dict[str, str]) -> dict[str, Any]:
    tiles = []
    for tile in view.tiles:
        value: dict[str, Any] = {
            "shape": list(tile.shape),
            "dtype": tile.dtype,
            "layout": definitions.get(tile.layout, tile.layout),
        }
        try:
            value["bases"] = {
                unit: [list(basis) for basis in bases]
                for unit, bases in lay_out(tile, definitions).bases.items()
            }
        except Undecoded as error:
            value["sentence"] = str(error)
        tiles.append(value)
    return {"line": view.line, "tiles": tiles}
