"""Lists as text. Pure."""

from collections.abc import Sequence


def join_with_and(parts: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`; "" of no parts."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
