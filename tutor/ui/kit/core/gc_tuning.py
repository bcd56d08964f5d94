"""When Python looks for garbage: while the learner reads, not while a key waits.

A full collection walks every object there is, 50 to 200 ms. Between two of them the young generations
are collected as always, over what is new only; and in a short pause all that has come since the last
full one is. Without that the pages of a quick reader pile up, and memory that was once needed is not
given back whole.
"""

import gc
from typing import TYPE_CHECKING

from textual._styles_cache import StylesCache

if TYPE_CHECKING:
    from textual.app import App

# Collections of the youngest generation come after this many new objects, of the next one after that
# many of those; the oldest one waits for `collect`.
_YOUNG, _MIDDLE, _NEVER = 10_000, 8, 1_000_000

PAUSE_SECONDS = 0.5  # without a key or a click
IDLE_SECONDS = 2.0  # the learner reads


def start() -> None:
    """Nothing imported so far will ever be garbage, and the interface makes many small objects."""
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)
    gc.enable()  # `tutor.startup` had put it off


def collect_new() -> None:
    """What came since the last full collection."""
    gc.collect()


def collect(app: "App[None]") -> None:
    """A full collection; what survives is left out of the automatic ones until the next."""
    _forget_watchers(app)
    StylesCache.get_inner_outer.cache_clear()  # its keys hold the drawn lines of widgets long gone
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _give_back()


def _forget_watchers(app: "App[None]") -> None:
    """Textual drops what watches an attribute of another widget, and is gone, when that attribute
    changes: the theme, whether a footer is compact. Until then it holds the widget, all that this one
    has drawn, and its text."""
    for screen in app.screen_stack:
        for node in (app, *screen.walk_children(with_self=True)):
            for watchers in getattr(node, "__watchers", {}).values():
                watchers[:] = [each for each in watchers if not each[0]._closing]


def _give_back() -> None:
    """Freed memory goes back to the system; glibc would keep it, among what is still used."""
    import ctypes  # not needed for the first paint

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
