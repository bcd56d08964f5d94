"""Code with colours. Separate from `theme`, because the first screen does not need Pygments."""

from functools import cache

from pygments.lexer import Lexer
from textual.content import Content, Span
from textual.highlight import HighlightTheme, highlight

# A line longer than this is generated code: no lexer is run over it.
_LONGEST_LINE = 1_000
_LONGEST = 60_000


class CodeColours(HighlightTheme):
    """Five colours by role; names stay plain so that keywords, calls and literals stand out.

    The keys are Pygments' token types, which are tuples of their names.
    """

    STYLES = {  # noqa: RUF012  (the base class declares it so)
        ("Comment",): "$foreground 70% italic",
        ("Keyword",): "$secondary",
        ("Comment", "Special"): "$foreground 70%",
        ("Keyword", "Constant"): "$accent",
        ("Keyword", "Type"): "$secondary",
        ("Name", "Attribute"): "$foreground 75%",
        ("Name", "Label"): "$accent bold",
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


def colour_code(text: str, language: str = "python") -> Content:
    """`text` highlighted by Pygments; plain where it is too long or the language is unknown."""
    if not language or len(text) > _LONGEST or max(map(len, text.split("\n"))) > _LONGEST_LINE:
        return Content(text)
    return highlight(text, language=language, theme=CodeColours)


def colour_line(text: str, language: str) -> Content:
    """A line of a long text, coloured without the others; `language` is a stage's
    (`tutor.xray.model.stages`)."""
    lexer = _lexer(language)
    if lexer is None or len(text) > _LONGEST_LINE:
        return Content(text)
    spans = []
    for start, kind, value in lexer.get_tokens_unprocessed(text):
        if style := _style(kind):
            spans.append(Span(start, start + len(value), style))
    return Content(text, spans=spans)


def mark_line(
    text: str, language: str, *, needle: str, span: tuple[int, int] | None, cursor: int | None
) -> Content:
    """`line`, with each `needle` (in small letters) reversed, `span` underlined, and the cursor's
    column, or the last one before it, reversed."""
    content = colour_line(text, language)
    if needle:
        lower, at = text.lower(), -1
        while (at := lower.find(needle, at + 1)) >= 0:
            content = content.stylize("reverse", at, at + len(needle))
    if span:
        content = content.stylize("underline", *span)
    if cursor is not None:
        column = min(cursor, max(0, len(text) - 1))
        content = content if text else Content(" ")
        content = content.stylize("reverse", column, column + 1)
    return content


@cache
def _style(kind: tuple[str, ...]) -> str:
    """The style of a token type, or of the nearest type above it that has one."""
    while kind:
        if style := CodeColours.STYLES.get(kind):
            return style
        kind = kind[:-1]
    return ""


@cache
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers.asm import GasLexer, LlvmLexer
    from pygments.lexers.c_cpp import CppLexer
    from pygments.lexers.c_like import CudaLexer
    from pygments.lexers.python import PythonLexer

    from tutor import lexers

    known: dict[str, type[Lexer]] = {
        "python": PythonLexer,
        "inductor": PythonLexer,
        "fx": lexers.FxLexer,
        "hlo": lexers.HloLexer,
        "mlir": lexers.MlirLexer,
        "onnx": lexers.OnnxLexer,
        "ttir": lexers.TritonIRLexer,
        "ttgir": lexers.TritonIRLexer,
        "llvm": LlvmLexer,
        "ptx": lexers.PtxLexer,
        "sass": lexers.SassLexer,
        "amdgcn": lexers.AmdgcnLexer,
        "asm": GasLexer,
        "cpp": CppLexer,
        "cuda": CudaLexer,
    }
    return known[language]() if language in known else None
