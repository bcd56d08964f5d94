"""The code editor: Textual's text area with edits of Python lines, marked lines, and limits."""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Selection, TextAreaTheme

from tutor.ui.editor import python_lines, syntax_colours
from tutor.ui.editor.highlights import Highlights
from tutor.ui.kit.core.textual_fixes import TEXT_EDGES, TextAreaFixes
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.safe_text import make_visible

# In a longer text, highlighting all of it again at every key is noticeable (about 25 µs a line).
MOST_LINES_HIGHLIGHTED = 800
LARGEST_PASTE = 200_000  # characters
LONGEST_PASTED_LINE = 5_000
_BREAK = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")  # as `str.splitlines` has it
_COLOURS = "course"
_MOST_DRAWN = 500  # drawn lines that are kept: a few screens


class CodeEditor(TextAreaFixes, TextArea):
    """Python, spaces, no wrapping. `mark` puts a sign next to lines; Escape leaves the editor."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("editor"), *TEXT_EDGES]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *TextArea.COMPONENT_CLASSES,
        *syntax_colours.CLASSES,
        "editor--mark",
        "editor--found",
    }
    DEFAULT_CSS = (
        syntax_colours.CSS
        + """
    CodeEditor { border: none; padding: 0; background: $background; height: 1fr; }
    CodeEditor:focus { border: none; }
    CodeEditor .editor--mark { color: $error; text-style: bold; }
    CodeEditor .editor--found { background: $accent 30%; text-style: underline; }
    CodeEditor .text-area--cursor-line { background: $surface; }
    CodeEditor .text-area--matching-bracket {
        background: $primary 30%;
        text-style: bold underline;
    }
    """
    )

    class Left(Message):
        """Escape was pressed. The receiver moves the focus."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  (Textual's name for it)
        super().__init__(
            soft_wrap=False,
            tab_behavior="indent",
            show_line_numbers=True,
            max_checkpoints=400,
            id=id,
        )
        self._highlights = Highlights(lambda: (self.document, self._highlight_query))
        self._drawn: dict[tuple[object, ...], Strip] = {}  # lines away from the cursor
        self._marked: frozenset[int] = frozenset()
        self._found: re.Pattern[str] | None = None
        self._editing = False  # one edit, which is neither undone nor redone

    def on_mount(self) -> None:
        self.cursor_blink = False  # an idle screen is not drawn again
        self._use_theme_colours()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._use_theme_colours())

    def on_unmount(self) -> None:
        self.app.theme_changed_signal.unsubscribe(self)  # which holds the editor and its text

    def _use_theme_colours(self) -> None:
        colours = syntax_colours.styles(self.get_component_rich_style)
        self.register_theme(TextAreaTheme(_COLOURS, syntax_styles=colours))
        self._set_theme(_COLOURS)  # `theme` is unchanged, so it would not be watched
        self.theme = _COLOURS
        self.notify_style_update()  # a line may have been drawn before these were the colours

    # ---- text

    def show_text(self, text: str) -> None:
        """Load another text. The cursor and the scroll position stay where the text allows it."""
        cursor, scroll = self.cursor_location, self.scroll_offset
        wanted = "python" if text.count("\n") < MOST_LINES_HIGHLIGHTED else None
        with self.prevent(TextArea.Changed):
            self.set_reactive(
                TextArea.language, wanted
            )  # its watcher would show the old text again
            self.load_text(text)
        self.mark(frozenset())
        self.move_cursor(self.clamp_visitable(cursor))
        self.scroll_to(*scroll, animate=False)

    def replace_text(self, text: str) -> None:
        """Replace the whole text in one edit, which Ctrl+Z undoes."""
        end = self.document.end
        cursor = self.cursor_location
        self.replace(text, (0, 0), end, maintain_selection_offset=False)
        self.move_cursor(self.clamp_visitable(cursor))

    def edit(self, edit: Edit) -> EditResult:
        """Replace every line break by the document's own. With others, the bytes of the syntax tree no
        longer match those of the text, and tree-sitter's native code fails."""
        edit.text = _BREAK.sub(self.document.newline, edit.text)
        self._editing = True
        try:
            return super().edit(edit)
        finally:
            self._editing = False

    def on_text_area_changed(self) -> None:
        if self.language and self.document.line_count > MOST_LINES_HIGHLIGHTED:
            selection, scroll = self.selection, self.scroll_offset
            with self.prevent(TextArea.Changed):
                self.language = None
            self.selection = Selection(
                self.clamp_visitable(selection.start), self.clamp_visitable(selection.end)
            )
            self.scroll_to(*scroll, animate=False)

    def on_paste(self, event: events.Paste) -> None:
        """Refuse a paste that would stall the editor, and show why."""
        longest = max(map(len, _BREAK.split(event.text)))
        if len(event.text) > LARGEST_PASTE or longest > LONGEST_PASTED_LINE:
            event.stop()
            event.prevent_default()
            self.app.notify(
                f"Not pasted: {len(event.text):,} characters, the longest line {longest:,}. "
                f"At most {LARGEST_PASTE:,} characters, {LONGEST_PASTED_LINE:,} a line, fit here.",
                severity="warning",
                markup=False,
            )

    # ---- keys

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":  # the text area would pass it on
            self.action_leave()
        elif event.key == "enter" and not self.read_only:
            self._new_line()
        elif event.character == ":" and not self.read_only:
            self._colon()
        elif event.key == "tab" and self.selection.start[0] != self.selection.end[0]:
            self.action_indent()
        else:
            return  # the text area handles it
        event.stop()
        event.prevent_default()

    def _new_line(self) -> None:
        start, end = sorted(self.selection)
        before = self.document.get_line(start[0])[: start[1]]
        indentation = python_lines.indentation_after(before, self.indent_width)
        self._replace_via_keyboard("\n" + indentation, start, end)

    def _colon(self) -> None:
        """Type a colon. It moves an `else:` below a body out to its block; one Ctrl+Z undoes that."""
        self._replace_via_keyboard(":", *sorted(self.selection))
        row, column = self.cursor_location
        line = self.document.get_line(row)
        if line[column:].strip():
            return
        above = [self.document.get_line(index) for index in range(row)]
        outer = python_lines.clause_indentation(above, line[:column])
        if outer is not None:
            inner = len(line) - len(line.lstrip())
            self.history.checkpoint()
            self.replace(outer, (row, 0), (row, inner))
            self.history.checkpoint()

    def action_delete_left(self) -> None:
        """Delete one character, or one step of the indentation."""
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        if self.selection.is_empty and not self.read_only and before and not before.strip(" "):
            step = (column - 1) % self.indent_width + 1
            self._delete_via_keyboard((row, column - step), (row, column))
        else:
            super().action_delete_left()

    # ---- whole lines: those of the selection, or the cursor's

    def action_comment(self) -> None:
        self._change_lines(python_lines.toggle_comment)

    def action_indent(self) -> None:
        self._change_lines(lambda lines: python_lines.indent(lines, self.indent_width))

    def action_dedent(self) -> None:
        self._change_lines(lambda lines: python_lines.dedent(lines, self.indent_width))

    def _change_lines(self, change: Callable[[Sequence[str]], list[str]]) -> None:
        """Change whole lines in one undo step. The selection stays on the same characters."""
        (first, _), (last, column) = sorted(self.selection)
        if last > first and not column:  # no character of the last line is selected
            last -= 1
        before = [self.document.get_line(row) for row in range(first, last + 1)]
        after = change(before)
        if self.read_only or after == before:
            return
        selection = self.selection
        self.history.checkpoint()
        self.replace("\n".join(after), (first, 0), (last, len(before[-1])))
        self.history.checkpoint()

        def move_place(place: tuple[int, int]) -> tuple[int, int]:
            row, column = place
            if not (first <= row <= last) or not column:
                return place
            return row, max(0, column + len(after[row - first]) - len(before[row - first]))

        self.selection = Selection(move_place(selection.start), move_place(selection.end))

    def action_bracket(self) -> None:
        """Move to the partner of the bracket at the cursor, or of the one just before it."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        for at in (column, column - 1):
            bracket = line[at : at + 1] if at >= 0 else ""
            if partner := bracket and self.find_matching_bracket(bracket, (row, at)):
                self.move_cursor(partner, record_width=True)
                return

    # ---- places

    def go(self, row: int, column: int = 0, *, select: int = 0) -> None:
        """Move the cursor to a line (counted from 0), and select `select` characters.

        A line out of sight is scrolled to the middle."""
        start = self.clamp_visitable((row, column))
        end = self.clamp_visitable((row, column + select))
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        self.selection = Selection(start, end)
        if not top <= start[0] < top + height:
            self.scroll_to(y=start[0] - height // 2, animate=False)

    def show_found(self, pattern: re.Pattern[str] | None) -> None:
        """Highlight every match until the next call."""
        self._found = pattern
        self._line_cache.clear()
        self.refresh()

    # ---- drawing

    def _build_highlight_map(self) -> None:
        """Drop old highlights. Textual's method computes those of the whole text at every key."""
        self._line_cache.clear()
        if isinstance(self._highlights, Highlights):  # not yet while `TextArea.__init__` runs
            self._highlights.text_changed(once=self._editing)

    def notify_style_update(self) -> None:
        self._drawn.clear()
        super().notify_style_update()

    def _render_line(self, y: int) -> Strip:
        """Draw a line, or return it from the cache.

        Textual draws all lines again at every key: a letter would take 10 ms in place of 7. A line
        without cursor and selection looks the same while its text, its colours and its scroll position
        are the same.
        """
        row = y + self.scroll_offset.y  # no wrapping: rows are lines
        first, last = sorted((self.selection.start[0], self.selection.end[0]))
        bracket = self._matching_bracket_location
        touched = first <= row <= last or (bracket is not None and bracket[0] == row)
        if touched or row >= self.document.line_count:
            return super()._render_line(y)
        look = (
            row,
            self.document[row],
            tuple(self._highlights[row]),
            self._found,
            self.theme,
            max(self.virtual_size.width, self.region.width),
            self.scroll_offset.x,
            self.gutter_width,
        )
        if look not in self._drawn:
            if len(self._drawn) >= _MOST_DRAWN:
                self._drawn.clear()
            self._drawn[look] = super()._render_line(y)
        return self._drawn[look]

    def mark(self, lines: frozenset[int]) -> None:
        """Put ▸ next to these lines (counted from 1), and next to no others."""
        if lines != self._marked:
            self._marked = lines
            self._line_cache.clear()
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        text = Text(make_visible(self.document.get_line(line_index)), end="", no_wrap=True)
        if self._found is not None:
            text.highlight_regex(self._found, self.get_component_rich_style("editor--found"))
        return text

    def _goes_on(self, row: int) -> bool:
        """Return True if the line goes on to the right of what is shown."""
        room = self.scrollable_content_region.width - self.gutter_width + self.scroll_offset.x
        line = self.document.get_line(row)
        # Its columns are counted only where it may be too long: a tab has several.
        return (len(line) > room or "\t" in line or not line.isascii()) and cell_len(
            line.expandtabs(self.indent_width)
        ) > room

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        number = y + self.scroll_offset.y + 1  # no wrapping: rows are lines
        if number > self.document.line_count:
            return strip
        if self._goes_on(number - 1):
            mark = Segment("›", self.get_component_rich_style("editor--mark"))
            width = self.scrollable_content_region.width
            strip = Strip.join([strip.crop(0, width - 1), Strip([mark], 1)])
        if number not in self._marked:
            return strip
        gutter = self.gutter_width
        style: Style = self.get_component_rich_style("editor--mark")
        marked = Strip([Segment(f"{number:>{gutter - 2}}▸ ", style)], gutter)
        return Strip.join([marked, strip.crop(gutter)])
