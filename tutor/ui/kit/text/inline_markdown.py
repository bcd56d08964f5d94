"""A line of Markdown (an option, a hint's sentence) as Textual content, without a widget for it.

Built from the parser's tokens and styled spans, so that square brackets stay square brackets.
"""

from markdown_it.token import Token
from textual.content import Content

from tutor.course.reading.links import parser
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.text.whole_code import WholeCode

CODE = "$accent"
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}


def style_inline(text: str) -> Content:
    """`text` with its code, strong and emphasis spans; a line break in it is a space."""
    tokens = parser().parseInline(text)
    pieces = _pieces(tokens[0].children or []) if tokens else []
    return WholeCode(Content.assemble(*pieces))


def _pieces(tokens: list[Token]) -> list[tuple[str, str]]:
    pieces = []
    open_styles: list[str] = []
    for token in tokens:
        name = token.type.rsplit("_", 1)[0]
        if token.type == "code_inline":
            pieces.append((make_visible(token.content), " ".join([*open_styles, CODE])))
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append((" ", ""))
        elif token.type.endswith("_open"):
            open_styles.append(_STYLES.get(name, ""))
        elif token.type.endswith("_close"):
            open_styles.pop()
        else:
            pieces.append((make_visible(token.content), " ".join(filter(None, open_styles))))
    return pieces


def style_code(text: str) -> Content:
    """Style `code` between backticks and nothing else. Use it for sentences that quote the learner's
    code, where `kernel[grid](x)` is no link."""
    parts = make_visible(text).split("`")
    if len(parts) % 2 == 0:  # an odd backtick belongs to the quoted code
        return Content("`".join(parts))
    pieces = ((part, CODE if n % 2 else "") for n, part in enumerate(parts))
    return WholeCode(Content.assemble(*pieces))
