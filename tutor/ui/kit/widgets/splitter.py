"""The border between two panes, which the mouse can drag."""

from textual import events
from textual.message import Message
from textual.widget import Widget


class Splitter(Widget):
    """A column. `Dragged.x` is the column of the screen to which it was dragged."""

    DEFAULT_CSS = """
    Splitter { width: 1; height: 1fr; color: $border; pointer: ew-resize; }
    Splitter:hover, Splitter.-drawn { color: $primary; }
    """

    class Dragged(Message):
        def __init__(self, x: int, *, done: bool) -> None:
            super().__init__()
            self.x, self.done = x, done

    def render(self) -> str:
        return "\n".join("│" * self.size.height)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.capture_mouse()
        self.add_class("-drawn")
        event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.has_class("-drawn"):
            self.post_message(self.Dragged(event.screen_x, done=False))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self.has_class("-drawn"):
            self.release_mouse()
            self.remove_class("-drawn")
            self.post_message(self.Dragged(event.screen_x, done=True))
