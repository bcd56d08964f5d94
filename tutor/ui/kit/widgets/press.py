"""Words that act when they are clicked, so that the mouse can do what a key does."""

from textual.content import Content
from textual.events import MouseDown
from textual.style import Style
from textual.widgets import Static

from tutor.ui.kit.keys.actions import BY_ID


class Press(Static):
    """A button of one line. A click runs `action` of the nearest widget around it that has it."""

    DEFAULT_CSS = "Press { width: auto; }"

    def __init__(self, words: str, action: str, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.say(words)
        self._action = action

    def say(self, words: str) -> None:
        self.update(Content.styled(f" ▸ {words} ", "bold reverse"))

    def on_mouse_down(self, event: MouseDown) -> None:
        """Act at once: the focus that follows may scroll the page away from under the mouse.

        The application runs the action: it may remove this widget.
        """
        event.stop()
        name = f"action_{self._action.partition('(')[0]}"
        owner = next(node for node in self.ancestors if hasattr(node, name))
        self.app.call_later(self.app.run_action, self._action, owner)


def runs(words: Content, action_id: str) -> Content:
    """Let a click on `words` run an action of the screen. It must not remove the widget they are in."""
    action = BY_ID[action_id].action
    return make_clickable(
        words, action if action.startswith(("app.", "screen.")) else f"screen.{action}"
    )


def opens(words: Content, target: str) -> Content:
    """Let a click on `words` open `target`, as `routes` names it."""
    return make_clickable(words, f"app.open({target!r})")


def presses(words: Content, key: str) -> Content:
    """Let a click on `words` press `key`, a name of Textual's."""
    return make_clickable(words, f"app.simulate_key('{key}')")


def make_clickable(words: Content, action: str) -> Content:
    """Let a click on `words` run `action`, written as in a binding."""
    # A style for "@click" would be drawn as a link.
    return words.stylize(Style.from_meta({"@mouse.down": action}))
