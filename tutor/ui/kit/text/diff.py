"""A comparison of two versions of a text: lines marked + and −, and coloured."""

import difflib

from textual.content import Content

from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.safe_text import limit_text

# More lines could take minutes. Only this many are compared, and the text mentions it.
MOST_LINES = 5_000
_LINES, _COLUMNS = 400, 200  # shown at most


def difference(old: str, new: str, old_name: str, new_name: str) -> Content:
    """The lines only in `new` (+) and only in `old` (-), with two lines of context."""
    before, after = old.splitlines(), new.splitlines()
    longest = max(len(before), len(after))
    rows = difflib.unified_diff(
        before[:MOST_LINES], after[:MOST_LINES], old_name, new_name, lineterm="", n=2
    )
    text = limit_text("\n".join(rows), lines=_LINES, columns=_COLUMNS)
    if longest > MOST_LINES:
        text += f"\nOnly the first {MOST_LINES:,} of {longest:,} lines are compared."
    if not text:
        return Content("The two texts are the same.")
    return highlight.colour_code(text, "diff")
