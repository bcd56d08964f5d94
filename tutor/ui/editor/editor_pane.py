"""The code editor with a line below it that asks for what to find, or where to go."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tutor.ui.editor import python_lines
from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_while_typing, keymap_of
from tutor.ui.kit.widgets.prompt_line import AskLine

LONGEST_NEEDLE = 200  # characters


class EditLine(AskLine):
    """The line with its keys. Without them Up and Down would scroll the input."""

    BINDINGS = bindings("editline")

    @property
    def _pane(self) -> "EditPane":
        return self.query_ancestor(EditPane)

    def action_next(self, step: int) -> None:
        self._pane.go_on(step)

    def action_close(self) -> None:
        self._pane.close()


class EditPane(Vertical):
    """`find` and `go_to_line` open the line; Escape there gives the keyboard back to the text."""

    DEFAULT_CSS = """
    EditPane #askrow { height: 1; background: $surface; padding: 0 1; display: none; }
    EditPane.-asking #askrow { display: block; }
    EditPane #askrow Static { width: auto; }
    EditPane #ask { width: 1fr; margin: 0 1; }
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002  (Textual's name for it)
        super().__init__(id=id)
        self.editor = CodeEditor()
        self._needle = ""
        self._places: list[tuple[int, int]] = []
        self._began = (0, 0)  # where the cursor was when the line was opened

    def compose(self) -> ComposeResult:
        yield self.editor
        with Horizontal(id="askrow"):
            yield Static(id="asking")
            yield EditLine(id="ask")
            yield Static(id="found")

    @property
    def _line(self) -> EditLine:
        return self.query_one(EditLine)

    # ---- opening and closing

    def find(self) -> None:
        """Ask for a text. Propose the selection within a line, else the last searched text."""
        selected = self.editor.selected_text
        proposed = selected if selected and "\n" not in selected else self._needle
        self._ask("find", proposed[:LONGEST_NEEDLE], "text")
        self._search()

    def go_to_line(self) -> None:
        self._ask("line", "", f"1 to {self.editor.document.line_count}")

    def _ask(self, what: str, value: str, placeholder: str) -> None:
        self._began = min(self.editor.selection)
        self.add_class("-asking")
        self.query_one("#asking", Static).update("find" if what == "find" else "go to line")
        self.query_one("#found", Static).update("")
        with self.prevent(Input.Changed):
            self._line.ask(what, value, placeholder)
        self._line.select_all()

    def close(self) -> None:
        """Close the line and focus the text. The cursor stays where it is."""
        self._line.put_away()
        self.remove_class("-asking")
        self.editor.show_found(None)
        self.editor.focus()

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    # ---- what is typed there

    @on(Input.Changed, "#ask")
    def follow_typing(self, event: Input.Changed) -> None:
        event.stop()
        if self._line.asking == "find":
            self._needle = event.value[:LONGEST_NEEDLE]
            self._search()
        elif self._line.asking == "line" and (row := self._row_asked()) is not None:
            self.editor.go(row)

    @on(Input.Submitted, "#ask")
    def accept_line(self, event: Input.Submitted) -> None:
        event.stop()
        self.go_on(1)

    def go_on(self, step: int) -> None:
        """Go to the next match, or to the typed line."""
        if self._line.asking == "line":
            if (row := self._row_asked()) is not None:
                self.editor.go(row)
            self.close()
        else:
            self.find_next(step)

    def _row_asked(self) -> int | None:
        """The typed line, counted from 0, or the last one if the number is larger."""
        digits = self._line.value.strip()
        if not digits.isascii() or not digits.isdigit():
            return None
        number = int(digits[:9])
        return max(0, min(number, self.editor.document.line_count) - 1)

    # ---- what a menu asks for

    def do(self, name: str) -> bool:
        """Run the action `name` of the edit menu. Return False if a repeated search finds nothing."""
        match name:
            case "find":
                self.find()
            case "line":
                self.go_to_line()
            case "found_next" | "found_before":
                return self.find_next(1 if name == "found_next" else -1)
            case _:  # the text area has an action of this name
                getattr(self.editor, f"action_{name}")()
        return True

    # ---- finding

    def _search(self) -> None:
        """Highlight every match, and go to the first one after the place where the search began."""
        self._look()
        here = next((p for p in self._places if p >= self._began), None)
        self._arrive(here or (self._places[0] if self._places else None))

    def find_next(self, step: int) -> bool:
        """Go to the next or the previous match of the last searched text, around the end.

        Return False if there is none."""
        self._look()
        if not self._places:
            self._arrive(None)
            return False
        start, _ = sorted(self.editor.selection)
        if step > 0:
            place = next((p for p in self._places if p > start), self._places[0])
        else:
            place = next((p for p in reversed(self._places) if p < start), self._places[-1])
        self._arrive(place)
        return True

    @property
    def _capitals(self) -> bool:
        """A capital in the searched text makes capitals count."""
        return self._needle != self._needle.lower()

    def _look(self) -> None:
        lines = self.editor.document.lines
        places = python_lines.find_occurrences(lines, self._needle, capitals=self._capitals)
        self._places = list(places)

    def _arrive(self, place: tuple[int, int] | None) -> None:
        if place:
            self.editor.go(*place, select=len(self._needle))
        if not self.asking:
            return
        pattern = python_lines.needle_pattern(self._needle, capitals=self._capitals)
        self.editor.show_found(pattern if self._needle else None)
        many = len(self._places)
        total = f"{many:,}+" if many == python_lines.MOST_FOUND else f"{many:,}"
        count = f"{self._places.index(place) + 1:,} of {total}" if place else "not found"
        ids = ("editline.before", "editline.next")
        before, after = (key_while_typing(id_, keymap_of(self)) for id_ in ids)
        self.query_one("#found", Static).update(
            Content.assemble(
                (count if self._needle else "", "" if place else "$warning"),
                (f"  {before} {after}", "$foreground 70%"),
            )
        )
