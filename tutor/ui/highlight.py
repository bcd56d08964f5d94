"""Code with colours. Apart from `theme`, because Pygments is not needed for the first screen."""

from pygments.token import Token
from textual.content import Content
from textual.highlight import HighlightTheme, highlight

# A line longer than this is generated code: no lexer is run over it.
_LONGEST_LINE = 1_000
_LONGEST = 60_000


class CodeColours(HighlightTheme):
    """Five colours by role; names stay plain so that keywords, calls and literals stand out."""

    STYLES = {  # noqa: RUF012  (the base class declares it so)
        Token.Comment: "$foreground 55% italic",
        Token.Keyword: "$secondary",
        Token.Keyword.Constant: "$accent",
        Token.Literal.Number: "$accent",
        Token.Literal.String: "$success",
        Token.Literal.String.Doc: "$success 80% italic",
        Token.Name.Builtin: "$secondary",
        Token.Name.Builtin.Pseudo: "italic",
        Token.Name.Class: "bold",
        Token.Name.Decorator: "$primary",
        Token.Name.Function: "$primary bold",
        Token.Operator.Word: "$secondary",
        Token.Generic.Deleted: "$error",
        Token.Generic.Inserted: "$success",
        Token.Generic.Heading: "bold",
    }


def code(text: str, language: str = "python") -> Content:
    """`text` highlighted by Pygments; plain where it is too long or the language is unknown."""
    if not language or len(text) > _LONGEST or max(map(len, text.split("\n"))) > _LONGEST_LINE:
        return Content(text)
    return highlight(text, language=language, theme=CodeColours)
