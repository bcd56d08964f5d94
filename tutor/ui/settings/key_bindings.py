"""The screen for keys: lists all actions and gives an action any key, immediately and permanently."""

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Key
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.base.errors import UsageError
from tutor.ui.kit.core.screen import Modal, TutorScreen
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.action import Action
from tutor.ui.kit.keys.actions import ACTIONS, BY_ID, bindings, keys_of
from tutor.ui.kit.keys.keymap import display_keys, find_clash, key_fault
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar


class RebindScreen(TutorScreen):
    """Lists the actions by place; Enter asks for a new key of one."""

    CSS_PATH = "key_bindings.tcss"
    BINDINGS = bindings("keys")
    AUTO_FOCUS = "OptionList"

    def compose(self) -> ComposeResult:
        yield Bar()
        yield OptionList(markup=False)
        yield Static(id="help", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._fill()
        self.query_one(OptionList).action_first()

    def _fill(self) -> None:
        listed = self.query_one(OptionList)
        here = listed.highlighted
        options = []
        for place, actions in ACTIONS.items():
            heading = Content.styled(_name_place(place), "bold $primary")
            options.append(Option(heading, disabled=True))
            options += [Option(self._line(action), id=action.id) for action in actions]
        listed.clear_options().add_options(options)
        listed.highlighted = here
        own = len(self.tutor.config.keys)
        self.query_one(Bar).show(
            "Keys", (f"{own} of your own · " if own else "") + "Enter sets a new key"
        )

    def _line(self, action: Action) -> Content:
        own = action.id in self.tutor.config.keys
        return Content.assemble(
            ("• " if own else "  ", "$accent"),
            (self._format_keys(action).ljust(22), "bold" if own else ""),
            " ",
            action.label,
        )

    def _format_keys(self, action: Action) -> str:
        """The keys of the action as the footer shows them."""
        return display_keys(self.app, keys_of(action, self.tutor.keymap))

    @property
    def _action(self) -> Action | None:
        option = self.query_one(OptionList).highlighted_option
        return BY_ID.get(option.id or "") if option else None

    @on(OptionList.OptionHighlighted)
    def explain(self) -> None:
        if (action := self._action) is not None:
            default = display_keys(self.app, action.keys)
            self.query_one("#help", Static).update(
                Content.assemble(
                    f"{action.help or action.label.capitalize()}.\n",
                    (f"{action.id} · its own keys: {default}", "$foreground 70%"),
                )
            )

    # ---- what is changed

    @on(OptionList.OptionSelected)
    def change_selected(self) -> None:
        self.action_change()

    def action_change(self) -> None:
        """Make the next pressed key the only key of the action."""
        if (action := self._action) is not None:
            self._ask(action, "")

    def action_add(self) -> None:
        """Add the next pressed key to the keys of the action."""
        if (action := self._action) is not None:
            self._ask(action, keys_of(action, self.tutor.keymap))

    def _ask(self, action: Action, before: str) -> None:
        def write_pressed(changes: dict[str, str | None] | None) -> None:
            if changes:
                self._write(changes)

        self.app.push_screen(PressScreen(action, before, self.tutor.keymap), write_pressed)

    def action_default(self) -> None:
        """Restore the default keys of the action, and of each other action that has one of them now."""
        action = self._action
        if action is None:
            return
        keymap = {name: keys for name, keys in self.tutor.keymap.items() if name != action.id}
        restored = [action]
        for each in restored:  # the list grows: the others' own default keys may be taken too
            while other := find_clash(each.id, each.keys, keymap):
                if other.id not in keymap:
                    self.say(f"{_name(other)} has one of its default keys.", wrong=True)
                    return
                del keymap[other.id]
                restored.append(other)
        self._write({each.id: None for each in restored})
        if others := [_name(each) for each in restored[1:]]:
            has = "has its" if len(others) == 1 else "have their"
            self.say(f"{' and '.join(others)} {has} default keys again too.")

    def _write(self, changes: dict[str, str | None]) -> None:
        wanted = {
            name: None if keys == BY_ID[name].keys else keys for name, keys in changes.items()
        }
        try:
            self.tutor.set_keys(wanted)
        except UsageError as error:
            self.say(str(error), wrong=True)
        self._fill()


class PressScreen(Modal[dict[str, str | None] | None]):
    """A dialog that waits for a key. Its result is the keys to write by action, or None. `before` are
    the keys that the action keeps."""

    def __init__(self, action: Action, before: str, keymap: dict[str, str]) -> None:
        super().__init__()
        self._action, self._before, self._keymap = action, before, keymap
        self._swap: dict[str, str | None] = {}

    def compose(self) -> ComposeResult:
        with dialog(self._action.label, "Esc leaves it as it is"):
            yield Static("Press the new key.", markup=False)

    def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key == "escape":
            self.dismiss(None)
        elif self._swap and event.key == "enter":
            self.dismiss(self._swap)
        else:
            self._take(event.key)

    def _take(self, key: str) -> None:
        action, self._swap = self._action, {}
        if fault := key_fault(key):
            self._say(f"{fault[0].upper()}{fault[1:]}. Press another one.")
            return
        keys = ",".join(dict.fromkeys([*filter(None, self._before.split(",")), key]))
        other = find_clash(action.id, key, self._keymap)
        if other is None:
            self.dismiss({action.id: keys})
            return
        theirs = [rival for rival in keys_of(other, self._keymap).split(",") if rival != key]
        left = ",".join(theirs) or keys_of(action, self._keymap)
        after = {**self._keymap, action.id: keys, other.id: left}
        name = display_keys(self.app, key)
        if find_clash(action.id, keys, after) or find_clash(other.id, left, after):
            self._say(
                f"{name} is taken by {_name(other)}: change that first, or press another key."
            )
            return
        self._swap = {action.id: keys, other.id: left}
        self._say(
            f"{name} is taken by {_name(other)}. Enter gives it to {_name(action)}, and "
            f"{_name(other)} gets {display_keys(self.app, left)}. Or press another key."
        )

    def _say(self, text: str) -> None:
        self.query_one(Static).update(Content(text))


_PLACES = {
    "app": "Everywhere",
    "ideas": "Map of ideas",
    "window": "Windows over a page",
    "choose": "Lists to choose from",
    "small": "A window that is too small",
    "keys": "This page",
}


def _name(action: Action) -> str:
    """An action as the page of keys names it, with its place."""
    return f"“{action.label}” ({_name_place(action.id.partition('.')[0])})"


def _name_place(place: str) -> str:
    return _PLACES.get(place, place.capitalize())
