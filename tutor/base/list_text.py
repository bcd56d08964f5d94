"""Lists as text. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence


def join_with_and(parts: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`; "" of no parts."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def join_counted(names: Iterable[str]) -> str:
    """Return the names in the order in which each comes first, with how often where it is not once."""
    counts = Counter(names)
    return ", ".join(f"{name} ({n} times)" if n > 1 else name for name, n in counts.items())
