"""Code with colours. Apart from `theme`, because Pygments is not needed for the first screen."""

from textual.content import Content
from textual.highlight import HighlightTheme, highlight

# A line longer than this is generated code: no lexer is run over it.
_LONGEST_LINE = 1_000
_LONGEST = 60_000


class CodeColours(HighlightTheme):
    """Five colours by role; names stay plain so that keywords, calls and literals stand out.

    The keys are Pygments' token types, which are tuples of their names.
    """

    STYLES = {  # noqa: RUF012  (the base class declares it so)
        ("Comment",): "$foreground 55% italic",
        ("Keyword",): "$secondary",
        ("Keyword", "Constant"): "$accent",
        ("Literal", "Number"): "$accent",
        ("Literal", "String"): "$success",
        ("Literal", "String", "Doc"): "$success 80% italic",
        ("Name", "Builtin"): "$secondary",
        ("Name", "Builtin", "Pseudo"): "italic",
        ("Name", "Class"): "bold",
        ("Name", "Decorator"): "$primary",
        ("Name", "Function"): "$primary bold",
        ("Operator", "Word"): "$secondary",
        ("Generic", "Deleted"): "$error",
        ("Generic", "Inserted"): "$success",
        ("Generic", "Heading"): "bold",
    }


def code(text: str, language: str = "python") -> Content:
    """`text` highlighted by Pygments; plain where it is too long or the language is unknown."""
    if not language or len(text) > _LONGEST or max(map(len, text.split("\n"))) > _LONGEST_LINE:
        return Content(text)
    return highlight(text, language=language, theme=CodeColours)
