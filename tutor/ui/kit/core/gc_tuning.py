"""Garbage collection while the learner reads, not while a key waits.

A full collection visits all objects and takes 50 to 200 ms. Between two of them the young generations
are collected as usual, over new objects only. A short pause collects all objects created since the
last full collection; otherwise the pages of a quick reader pile up, and freed memory does not return
to the system. Without these two collections the process has 114 MiB instead of 74 to 85 after twenty
minutes' use (two rounds of `python -m tests.bench --full`; the budget is 76 MiB).
"""

import gc
from typing import TYPE_CHECKING

from textual._styles_cache import StylesCache

if TYPE_CHECKING:
    from textual.app import App

# The youngest generation is collected after `_YOUNG` new objects, the next one after `_MIDDLE` of those
# collections, and the oldest one only by `collect`.
_YOUNG, _MIDDLE, _NEVER = 10_000, 8, 1_000_000

PAUSE_SECONDS = 0.5  # without a key or a click
IDLE_SECONDS = 2.0  # the learner reads


def start_tuning() -> None:
    """Exempt all objects imported so far, and set thresholds for the many small ones to come.

    Without `freeze` home is painted 9 ms later (of 250 on two cores).
    """
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)
    gc.enable()  # `tutor.__main__` had disabled it


def collect_new() -> None:
    """Collect the objects created since the last full collection."""
    gc.collect()


def collect(app: "App[None]") -> None:
    """Collect fully; the survivors are exempt from automatic collections until the next call."""
    _forget_watchers(app)
    StylesCache.get_inner_outer.cache_clear()  # its keys hold the drawn lines of widgets long gone
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _give_back()


def _forget_watchers(app: "App[None]") -> None:
    """Drop the watchers of removed widgets.

    A widget can watch an attribute of another node, such as the theme. After the widget is removed,
    Textual drops its watcher only when that attribute changes, and keeps the widget, its drawn lines
    and its text until then."""
    for screen in app.screen_stack:
        for node in (app, *screen.walk_children(with_self=True)):
            for watchers in getattr(node, "__watchers", {}).values():
                watchers[:] = [watcher for watcher in watchers if not watcher[0]._closing]


def _give_back() -> None:
    """Return freed memory to the system; glibc would keep it between blocks still in use."""
    import ctypes  # two of 320 ms of processor time until home is painted, which does without it

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
