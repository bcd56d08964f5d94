"""The help page: the keys of the screen below by task, read from its bindings. Enter runs one."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.action_groups import group_actions
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.active import active_actions
from tutor.ui.kit.keys.key_labels import key_of, keymap_of, with_keys

_KEYS = 15  # columns of the keys
_NOTE = (
    "Tab and Shift+Tab move between the parts of a page. Any key can be changed: on the page keys of "
    "the settings, or in config.toml."
)


class HelpScreen(Modal[None]):
    """The actions that are active on the screen `below`, with their keys."""

    CSS_PATH = "help.tcss"
    BINDINGS = window_bindings("help")
    AUTO_FOCUS = "OptionList"

    def __init__(self, below: Screen[object]) -> None:
        super().__init__()
        self._actions: dict[str, list[Binding]] = {}  # by id; of each its keys
        self._owners: dict[str, DOMNode] = {}
        for _, active in active_actions(below):
            binding = active.binding
            # Bindings without an id are Textual's, of lists and fields: an editor has thirty.
            if binding.description and binding.id:
                self._actions.setdefault(binding.id, []).append(binding)
                self._owners[binding.id] = active.node
        own = getattr(
            below.focused, "help", ""
        )  # an answer's field names keys that are in no table
        self._own_keys = own if isinstance(own, str) else ""

    def compose(self) -> ComposeResult:
        foot = f"Enter runs it · {key_of(self, 'help.close')} closes"
        with dialog("Keys", foot):
            yield OptionList(markup=False)

    def on_resize(self) -> None:
        """Lay the lines out. The first resize comes before anything is painted."""
        listed = self.query_one(OptionList)
        here = listed.highlighted
        listed.clear_options().add_options(self._options())
        listed.highlighted = 1 if here is None else here  # the first line is a heading

    def _options(self) -> list[Option]:
        """A heading for each group of actions; of each action its keys and its help sentence."""
        options = []
        named = ((id_, same[0].action) for id_, same in self._actions.items())
        for group, ids in group_actions(named).items():
            options.append(Option(Content.styled(group, "bold"), disabled=True))
            options += [Option(self._line(id_), id=id_) for id_ in ids]
        if self._own_keys:
            options.append(Option(Content.styled("In this answer", "bold"), disabled=True))
            own = self._beside(Content(" " * _KEYS), with_keys(self._own_keys, keymap_of(self)))
            options.append(Option(own, disabled=True))
        return [*options, Option(Content.styled(f"\n{_NOTE}", "$foreground 70%"), disabled=True)]

    def _line(self, action_id: str) -> Content:
        same = self._actions[action_id]
        keys = "  ".join(dict.fromkeys(self.app.get_key_display(binding) for binding in same))
        does = same[0].tooltip or same[0].description.capitalize()
        return self._beside(Content.styled(f"{keys:<{_KEYS - 1}} ", "bold $primary"), does)

    def _beside(self, margin: Content, text: str) -> Content:
        """The text, and before its first line `margin`."""
        rows = []
        for line in Content(text).wrap(max(1, self._room - len(margin))):
            rows.append(margin + line.rstrip())
            margin = Content(" " * len(margin))
        return Content("\n").join(rows)

    @on(OptionList.OptionSelected)
    def run_chosen(self, event: OptionList.OptionSelected) -> None:
        """Run the action of a line on the screen below."""
        event.stop()
        id_ = event.option_id or ""
        self.dismiss(None)
        self.app.call_later(self.app.run_action, self._actions[id_][0].action, self._owners[id_])

    @property
    def _room(self) -> int:
        """Columns of the text, without the frame, its margins and the bar for scrolling."""
        return min(96 if self.has_class("-wide") else 72, self.app.size.width) - 8
