"""Where the syntax tree colours a text, asked for the lines that are drawn and no others."""

from collections.abc import Callable
from typing import Any

from textual.document._document import DocumentBase
from tree_sitter import Node, Query

Highlight = tuple[int, int | None, str]  # from this byte to that one (None: the end), its name

_ROWS = 16  # that are asked for at once


class Highlights(dict[int, list[Highlight]]):
    """By row, filled as rows are looked up; takes the place of what `TextArea` fills at every key
    with the whole text's. `clear` it when the text has changed."""

    def __init__(self, source: Callable[[], tuple[DocumentBase, Query | None]]) -> None:
        self._source = source

    def __bool__(self) -> bool:
        return self._source()[1] is not None

    def __missing__(self, row: int) -> list[Highlight]:
        document, query = self._source()
        first = row - row % _ROWS
        rows = range(first, first + _ROWS)
        self.update((each, []) for each in rows)
        if query is not None:
            found: dict[str, list[Any]] = document.query_syntax_tree(
                query, (first, 0), (first + _ROWS, 0)
            )
            for name, nodes in found.items():
                # They come in no order; in the text's, a line that did not change equals itself.
                for node in sorted(nodes, key=lambda each: (each.start_byte, each.end_byte)):
                    self._add(name, node, rows)
        return self[row]

    def _add(self, name: str, node: Node, rows: range) -> None:
        start, end = node.start_point, node.end_point
        for row in range(max(start.row, rows.start), min(end.row + 1, rows.stop)):
            begin = start.column if row == start.row else 0
            self[row].append((begin, end.column if row == end.row else None, name))
