"""Keys in order: a key pressed before a page is mounted goes to that page.

Textual hands a key to the widget that has the focus, and from there up to the application, where
bindings are looked for. A key that is pressed meanwhile starts on its way before the first has opened
its page: a letter for that page's field then arrives at the page before, which drops it.
"""

from collections import deque

from textual.app import App
from textual.events import Event, Key, Paste
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

_LONGEST = 2.0  # seconds for one key: if its widget is gone, the next key follows after this time


class Handled(Message):
    """Follows a key on its way up; once it has arrived, so has the key, and what it did is done."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class TypeAhead(App[None]):
    """An application that hands out a key when the one before is handled, and the page that this one
    opened, if any, is mounted and has its focus."""

    def __init__(self) -> None:
        super().__init__()
        self._held: deque[Key | Paste] = deque()
        self._number = 0  # of the key under way
        self._under_way: Widget | None = None  # what handles it
        self._page: Screen[object] | None = None  # where it was pressed
        self._patience: Timer | None = None

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        self._held.append(event)
        if self._under_way is None or not self._under_way.is_attached:
            await self._hand_out()
        elif self._patience is None:
            self._patience = self.set_timer(_LONGEST, self._hand_out)

    async def _hand_out(self) -> None:
        """Hand out the oldest held key; the others follow when it is handled."""
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
        self._under_way = None
        while self._held and self._under_way is None and self.screen_stack:
            event = self._held.popleft()
            self._number += 1
            self._page, handles = self.screen, self.focused or self.screen
            await super().on_event(event)
            self._follow(handles)
        if self._held:
            self._patience = self.set_timer(_LONGEST, self._hand_out)

    def _follow(self, handles: Widget) -> None:
        """Send `Handled` after the key; not through a widget that is going."""
        if handles.post_message(Handled(self._number)):
            self._under_way = handles

    async def on_handled(self, event: Handled) -> None:
        event.stop()
        if event.number != self._number or not self.screen_stack:
            return  # of a key that took longer than `_LONGEST`, or that ended the application
        self._under_way = None
        if self.screen is not self._page:
            self._page = self.screen
            self._follow(self.screen)  # the screen receives it when it is mounted
        if self._under_way is None:
            await self._hand_out()
