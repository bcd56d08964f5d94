"""The values on the stack while bytecode runs on texts: expressions, and lists that are followed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_ATOM = re.compile(r"[\w.]+(?:\([^()]*\)|\[[^\[\]]*\]|\.\w+)*")


class NoPython(Exception):
    """An instruction that this module does not turn into Python; the text names it."""


@dataclass
class Items:
    """A list or tuple that the code made, `brackets` around it."""

    items: list[Any]
    brackets: str


@dataclass
class Text:
    """An expression. `acts`: a call, which must happen in its turn."""

    text: str
    acts: bool = False
    value: Any = None  # of a constant int or slice


NULL = Text("")  # what the interpreter pushes beside a callable that is no method


def to_source(value: Any) -> str:
    """Return the expression for a value in Python's syntax."""
    if isinstance(value, Text):
        return value.text
    inside = ", ".join(map(to_source, value.items))
    comma = "," if value.brackets == "()" and len(value.items) == 1 else ""
    return f"{value.brackets[0]}{inside}{comma}{value.brackets[1]}"


def atom_of(value: Any) -> str:
    """Return a value's expression, in brackets where an operator beside it could take it apart."""
    text = to_source(value)
    simple = isinstance(value, Items) or _ATOM.fullmatch(text) or text[:1] in "'\""
    return text if simple else f"({text})"


def is_whole_number(value: Any) -> bool:
    """Return True if the value is an integer that is known."""
    return isinstance(value, Text) and isinstance(value.value, int)


def make_number(value: int) -> Text:
    """Make the value of an integer."""
    return Text(str(value), value=value)


def slice_of(parts: list[Any]) -> Text:
    """Make the value of a slice from its two or three parts; it is known where all of them are."""
    shown = ["" if to_source(part) == "None" else to_source(part) for part in parts]
    known = all(to_source(part) == "None" or is_whole_number(part) for part in parts)
    return Text(":".join(shown), value=slice(*(part.value for part in parts)) if known else None)


def take_item(of: Any, key: Any) -> Any:
    """Return `of[key]`: the item itself where both are known, an expression otherwise."""
    at = key.value if isinstance(key, Text) else None
    if isinstance(of, Items) and isinstance(at, slice):
        return Items(of.items[at], of.brackets)
    if isinstance(of, Items) and isinstance(at, int):
        return of.items[at]
    return Text(f"{atom_of(of)}[{to_source(key)}]")
