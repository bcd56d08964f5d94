"""When Python looks for garbage: while the learner reads, not while a key waits.

A full collection walks every widget there is, 50 to 200 ms. Between two of them the young generations
are collected as always, over what is new only.
"""

import gc

# Collections of the youngest generation come after this many new objects, of the next one after that
# many of those; the oldest one waits for `collect`.
_YOUNG, _MIDDLE, _NEVER = 50_000, 50, 1_000_000

IDLE_SECONDS = 2.0  # without a key or a click: the learner reads


def start() -> None:
    """Nothing imported so far will ever be garbage, and the interface makes many small objects."""
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)


def collect() -> None:
    """A full collection; what survives is left out of the automatic ones until the next."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
