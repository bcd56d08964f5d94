"""The frame of a dialog: its style, a title and a line on its keys."""

from typing import TypeVar

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

W = TypeVar("W", bound=Widget)


def frame_box(title: str, foot: str, box: W) -> W:
    """Give `box` the frame. Square brackets in the texts stay brackets."""
    box.add_class("dialog")
    box.border_title, box.border_subtitle = Content(title), Content(foot)
    return box


def dialog(title: str, foot: str) -> Vertical:
    """A framed box as high as what is in it."""
    return frame_box(title, foot, Vertical())
