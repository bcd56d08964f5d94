"""The help page: the keys of the screen below, read from its bindings."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Static

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import framed
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.widgets.press import clicked

_KEYS = 15  # columns of the keys


class HelpScreen(Modal[None]):
    CSS_PATH = "help.tcss"
    BINDINGS = bindings("help")

    def __init__(self, below: Screen[object]) -> None:
        super().__init__()
        self._below = below

    def compose(self) -> ComposeResult:
        with framed("Keys", f"{key_of(self, 'help.close')} closes", VerticalScroll()):
            yield Static(id="keys", markup=False)
            yield Static(
                "Tab and shift+tab move between the parts of a page. Any key can be changed: on "
                "the page keys of the settings, or in config.toml.",
                classes="help-note",
                markup=False,
            )

    def on_resize(self) -> None:
        """Lay the text out. The first resize comes before anything is painted."""
        self.query_one("#keys", Static).update(self._keys())

    def _keys(self) -> Content:
        """A line for each action: its keys, its help sentence and its id in a keymap."""
        actions: dict[str, list[Binding]] = {}
        self._owners: dict[str, DOMNode] = {}
        for active in self._below.active_bindings.values():
            binding = active.binding
            # Bindings without an id are Textual's, of lists and fields: an editor has thirty.
            if binding.description and binding.id:
                actions.setdefault(binding.action, []).append(binding)
                self._owners[binding.action] = active.node
        rows = []
        ids = self.app.size.width >= 100
        for same in actions.values():
            keys = "  ".join(dict.fromkeys(self.app.get_key_display(b) for b in same))
            first = same[0]
            does = first.tooltip or first.description.capitalize()
            text = Content.assemble(does, (f"  {first.id}" if ids else "", "$foreground 70%"))
            margin = Content.styled(f"{keys:<{_KEYS - 1}} ", "bold $primary")
            for line in text.wrap(max(1, self._room - max(_KEYS, len(margin)))):
                rows.append(clicked(margin + line.rstrip(), f"screen.run({first.action!r})"))
                margin = Content(" " * len(margin))
        return Content("\n").join(rows)

    async def action_run(self, action: str) -> None:
        """Do on the screen below what a line names: it was clicked."""
        self.dismiss(None)
        self.app.call_later(self.app.run_action, action, self._owners[action])

    @property
    def _room(self) -> int:
        """Columns of the text, without the frame, its margins and the bar for scrolling."""
        return min(96 if self.has_class("-wide") else 72, self.app.size.width) - 8
