"""Text that keeps a short piece of code, `Day 13` and `65 536` on one line.

Textual breaks lines at every blank, a no-break space included.
"""

import re
from typing import Any

from textual.content import Content

LONGEST = 24  # characters of code that is kept whole
_GLUE = "\ue000"  # of private use and one column wide; it is never drawn
_CODE = ("$accent", ".code_inline")  # styles of code, here and in Textual's Markdown
_NUMBERED = re.compile(r"(?<=\b[Dd]ay) (?=\d)|(?<=\b[Dd]ays) (?=\d)|(?<=\d) (?=\d{3}(?!\d))")


class WholeCode(Content):
    """Content that is wrapped with its short code spans whole."""

    def __init__(self, content: Content) -> None:
        super().__init__(content.plain, list(content.spans))
        self._glued = Content(glue_code(content), list(content.spans))

    def get_height(self, rules: Any, width: int) -> int:
        return self._glued.get_height(rules, width)

    def _wrap_and_format(self, *args: Any, **options: Any) -> Any:
        lines = self._glued._wrap_and_format(*args, **options)
        for line in lines:
            line.content = Content(line.content.plain.replace(_GLUE, " "), list(line.content.spans))
        return lines


def glue_code(content: Content) -> str:
    """The text of `content`; a character that ends no word stands for each blank to keep."""
    text = _NUMBERED.sub(_GLUE, content.plain)
    for start, end, style in content.spans:
        if end - start > LONGEST or not isinstance(style, str) or not style.endswith(_CODE):
            continue
        if " " in (code := text[start:end]):
            text = text[:start] + code.replace(" ", _GLUE) + text[end:]
    return text
