"""How many steps of its own a rank has done, where an exercise counts them: the backwards of a stage.

The judge notes the number with each collective, so that a reference can say which came too late.
"""

_done = 0


def count() -> None:
    """Note that one more step is done in this process."""
    global _done
    _done += 1


def done() -> int:
    """Return how many steps are done since `reset`."""
    return _done


def reset() -> None:
    """Begin to count anew."""
    global _done
    _done = 0
