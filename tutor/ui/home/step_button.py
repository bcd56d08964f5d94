"""A line with a next step, used on home and in the introduction."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tutor.ui.kit.keys.actions import BY_ID
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.keys.key_text import Named


def in_margin(key: str) -> str:
    """The key before a line, padded to four columns if it has at most three."""
    return f"{key:>2}".ljust(3) + " "


class FirstFit(Widget):
    """The first of several wordings that fits in one line; the last one wraps if none fits."""

    DEFAULT_CSS = "FirstFit { height: auto; }"

    def __init__(self, wordings: Sequence[Content | str]) -> None:
        super().__init__(classes="words")
        self.show(wordings)

    def show(self, wordings: Sequence[Content | str]) -> None:
        """Show the first of these that fits."""
        self._wordings = [Content(w) if isinstance(w, str) else w for w in wordings]
        self.refresh(layout=True)

    def _fitting(self, width: int) -> Content:
        return next((w for w in self._wordings if w.cell_length <= width), self._wordings[-1])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._fitting(width).wrap(width)) if width > 0 else 1

    def render(self) -> Content:
        return self._fitting(self.content_size.width)


class Step(Horizontal, can_focus=True):
    """A step that its key, Enter or a click starts. A second line of words is aligned with the first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "go", "go", show=False)]
    DEFAULT_CSS = """
    Step { height: auto; padding: 0 1; }
    Step .name { width: auto; min-width: 14; }
    Step .words { width: 1fr; }
    Step:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    """

    def __init__(self, action_id: str, name: str, *wordings: Content | str) -> None:
        """Create the line. `action_id` is the action in `keys` that the line runs, like its key. The
        first of the wordings that fits is shown."""
        super().__init__(classes="step")
        self.action_id, self._title, self._wordings = action_id, name, wordings

    def compose(self) -> ComposeResult:
        yield Named(self._head, classes="name")
        yield FirstFit(self._wordings)

    def show(self, name: str, *wordings: Content | str) -> None:
        """Replace the name and the words."""
        self._title, self._wordings = name, wordings
        self.query_one(Named).keys_changed()
        self.query_one(FirstFit).show(wordings)

    def _head(self) -> Content:
        key = in_margin(key_of(self, self.action_id))
        return Content.assemble((key, "bold $primary"), (f"{self._title} ", "bold"))

    async def action_go(self) -> None:
        await self.screen.run_action(BY_ID[self.action_id].action)

    async def on_click(self) -> None:
        await self.action_go()
