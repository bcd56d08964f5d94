"""The highlights of a text from its syntax tree, computed only for the lines that are drawn."""

from collections.abc import Callable
from functools import cache
from typing import Any

from textual._tree_sitter import get_language
from textual.document._document import DocumentBase
from textual.document._syntax_aware_document import SyntaxAwareDocument
from textual.widgets import TextArea
from tree_sitter import Node, Query, Tree

Highlight = tuple[int, int | None, str]  # first byte, last byte (None: the end of the line), name

_ROWS = 16  # computed together


_compiled = cache(Query)


def _prepare_query(document: SyntaxAwareDocument, query: str) -> Query | None:
    """Return the compiled query, the same one for every text.

    Textual compiles it again for each text that is shown: 18 ms for Python's, on the thread that
    draws. This can go when `SyntaxAwareDocument.prepare_query` keeps what it has compiled.
    """
    compiled: Query = _compiled(document.language, query)
    return compiled


SyntaxAwareDocument.prepare_query = _prepare_query  # type: ignore[method-assign, assignment]


def compile_query() -> None:
    """Compile Python's query now, so that the first editor need not."""
    if (language := get_language("python")) is not None:
        _compiled(language, TextArea._get_builtin_highlight_query("python"))


class Highlights(dict[int, list[Highlight]]):
    """Highlights by row, computed when a row is looked up. Call `text_changed` after each change.

    It replaces the dictionary that `TextArea` fills for the whole text at every key: in a file of 300
    lines a letter would take 17 ms in place of 7, and 8 if every change dropped all highlights."""

    def __init__(self, source: Callable[[], tuple[DocumentBase, Query | None]]) -> None:
        self._source = source
        self._lines: list[str] = []
        self._tree: Tree | None = None

    def text_changed(self, *, once: bool) -> None:
        """Drop the highlights that the change may have touched. `once`: there was one edit, after which
        the tree before it and the tree after it can be compared."""
        document, _ = self._source()
        lines, tree = list(document.lines), getattr(document, "_syntax_tree", None)
        before, old = self._lines, self._tree
        self._lines, self._tree = lines, tree
        if not once or old is None or tree is None or len(before) != len(lines):
            self.clear()
            return
        touched = {row for row, line in enumerate(lines) if line != before[row]}
        for changed in old.changed_ranges(tree):
            touched.update(range(changed.start_point.row, changed.end_point.row + 1))
        for block in {row - row % _ROWS for row in touched}:
            for row in range(block, block + _ROWS):
                self.pop(row, None)

    def __bool__(self) -> bool:
        return self._source()[1] is not None

    def __missing__(self, row: int) -> list[Highlight]:
        document, query = self._source()
        first = row - row % _ROWS
        rows = range(first, first + _ROWS)
        self.update((line, []) for line in rows)
        if query is not None:
            captures: dict[str, list[Any]] = document.query_syntax_tree(
                query, (first, 0), (first + _ROWS, 0)
            )
            for name, nodes in captures.items():
                # They come in no order. Sorted, an unchanged line has equal highlights.
                for node in sorted(
                    nodes, key=lambda capture: (capture.start_byte, capture.end_byte)
                ):
                    self._add(name, node, rows)
        return self[row]

    def _add(self, name: str, node: Node, rows: range) -> None:
        start, end = node.start_point, node.end_point
        for row in range(max(start.row, rows.start), min(end.row + 1, rows.stop)):
            begin = start.column if row == start.row else 0
            self[row].append((begin, end.column if row == end.row else None, name))
