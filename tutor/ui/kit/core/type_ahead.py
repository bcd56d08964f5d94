"""Keys in order: a key pressed before a page is mounted goes to that page.

Textual sends a key to the focused widget, and from there up to the application, which looks for a
binding. The next key is sent before the first one has opened its page. A letter for a field of that page
would reach the page below, which drops it.
"""

from collections import deque
from time import monotonic

from textual.app import App
from textual.events import Event, Key, Paste
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

_LONGEST = 10.0  # seconds that a key waits for one before it whose widget is there
_LOOK = 0.2  # seconds between two looks whether that widget is gone, and will handle nothing
# How often `Handled` follows a key that types nothing. The first follows the key. The widget then says
# "submitted" to its field, which the second follows, and the field says "handed in" to its question.
_PASSES = 3


class Handled(Message):
    """Follows a key up to the application. When it arrives, the key has been handled."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class TypeAhead(App[None]):
    """An application that sends a key only after the previous one is handled, and after the page or
    the field that the previous one opened is mounted and focused."""

    def __init__(self) -> None:
        super().__init__()
        self._held: deque[Key | Paste] = deque()
        self._number = 0  # of the key that is being handled
        self._passes = 1  # of `Handled` until that key is handled
        self._under_way: Widget | None = None  # the widget that handles it
        self._page: Screen[object] | None = None  # where it was pressed
        self._since = 0.0  # when it was sent
        self._patience: Timer | None = None

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        self._held.append(event)
        if self._under_way is None or not self._under_way.is_attached:
            await self._hand_out()
        elif self._patience is None:
            self._patience = self.set_timer(_LOOK, self._look)

    async def _look(self) -> None:
        """Go on with the next key if the one before it waits for nothing, or has waited long enough."""
        self._patience = None
        waits = self._under_way is not None and self._under_way.is_attached
        if waits and monotonic() < self._since + _LONGEST:
            self._patience = self.set_timer(_LOOK, self._look)
        else:
            await self._go_on()

    async def _go_on(self) -> None:
        """Send the next key, once a page that has opened since the last one is there."""
        self._under_way, self._passes = None, 1
        if self.screen_stack and self.screen is not self._page:
            self._page = self.screen
            self._follow(self.screen)  # the screen receives it when it is mounted
        if self._under_way is None:
            await self._hand_out()
        elif self._held and self._patience is None:
            self._patience = self.set_timer(_LOOK, self._look)

    async def _hand_out(self) -> None:
        """Send the oldest waiting key. The others follow when it is handled."""
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
        self._under_way = None
        while self._held and self._under_way is None and self.screen_stack:
            event = self._held.popleft()
            self._number += 1
            self._page, handles = self.screen, self.focused or self.screen
            await super().on_event(event)
            types = not isinstance(event, Key) or event.is_printable
            self._passes = 1 if types else _PASSES
            self._follow(handles)
        if self._held:
            self._patience = self.set_timer(_LOOK, self._look)

    def _follow(self, handles: Widget) -> None:
        """Send `Handled` after the key, unless the widget is being removed."""
        if handles.post_message(Handled(self._number)):
            self._under_way, self._since = handles, monotonic()

    async def on_handled(self, event: Handled) -> None:
        event.stop()
        if event.number != self._number or not self.screen_stack:
            return  # the key took longer than `_LONGEST`, or ended the application
        handles, self._under_way = self._under_way, None
        if handles and self._passes > 1 and self.screen is self._page:
            self._passes -= 1
            self._follow(handles)
        if self._under_way is None:
            await self._go_on()
