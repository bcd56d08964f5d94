"""Movement by the letters of vi in places that do not use them otherwise.

They move the focused list or the text around it. Lists and texts handle arrows, Home and End themselves.
"""

from typing import Any

from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import OptionList


def move_line(screen: Screen[Any], step: int) -> None:
    """Move one line forward or back."""
    match _moving(screen):
        case OptionList() as options:
            options.action_cursor_down() if step > 0 else options.action_cursor_up()
        case Widget() as text:
            text.scroll_relative(y=step, animate=False)


def move_to_edge(screen: Screen[Any], step: int) -> None:
    """Move to the first or the last line."""
    match _moving(screen):
        case OptionList() as options:
            options.action_last() if step > 0 else options.action_first()
        case Widget() as text:
            text.scroll_end(animate=False) if step > 0 else text.scroll_home(animate=False)


def scroll_page(part: Widget, pages: int) -> None:
    """Scroll `part` by a screenful, back if `pages` is negative."""
    if pages > 0:
        part.scroll_page_down(animate=False)
    else:
        part.scroll_page_up(animate=False)


def _moving(screen: Screen[Any]) -> Widget | None:
    """The list or scrolled text around the focus, else the first text in sight that scrolls."""
    around = screen.focused.ancestors_with_self if screen.focused else []
    parts = [node for node in around if isinstance(node, Widget)]
    parts += screen.query(VerticalScroll)
    moves = (p for p in parts if isinstance(p, OptionList) or p.allow_vertical_scroll)
    return next((part for part in moves if part.is_on_screen), None)
