"""When Python looks for garbage: while the learner thinks or reads, not while a key waits.

A look at every object there is takes hundreds of milliseconds, one at what is new since the last long
look some tens. Between them the young generations are collected as always.
"""

import gc

# Collections of the youngest generation come after this many new objects, of the next one after that
# many of those; the oldest one waits for `collect_new`.
_YOUNG, _MIDDLE, _NEVER = 50_000, 10, 1_000_000

# Without a key or a click
THINKING_SECONDS = 1.0
READING_SECONDS = 12.0


def start() -> None:
    """Nothing imported so far will ever be garbage, and the interface makes many small objects."""
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)


def collect_new() -> None:
    """What was made since `collect_all`: the screens and pages that were opened and left."""
    gc.collect()


def collect_all() -> None:
    """Everything; what survives is left out of the quick looks until the next of these."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
