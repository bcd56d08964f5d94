"""ONNX's text form, as `onnx.printer` writes it: a header, and a node a line."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Keyword, Name, Number, Operator, Punctuation, String, Whitespace

_TYPES = (
    r"(?:float(?:16|8\w+|4\w+)?|bfloat16|double|u?int(?:2|4|8|16|32|64)|bool|string|"
    r"complex(?:64|128)|tensor|seq|optional|map|sparse_tensor)"
)


class OnnxLexer(RegexLexer):
    """Colours ONNX's text form."""

    name = "ONNX"
    aliases = ["onnx"]  # noqa: RUF012
    filenames = ["*.onnxtxt"]  # noqa: RUF012
    url = "https://onnx.ai/onnx/repo-docs/Syntax.html"

    tokens = {  # noqa: RUF012
        "root": [
            (r"[ \t\n]+", Whitespace),
            (r'(\[)("(?:\\.|[^"\\\n])*"|[A-Za-z_][\w./:-]*)(\])', Name.Label),  # a node's name
            (r'"(?:\\.|[^"\\\n])*"?', String),
            (r"([A-Za-z_]\w*)(:)(?=[ ])", bygroups(Name.Attribute, Punctuation)),
            (rf"{_TYPES}(?=\[|[ ]+[\"\w{{])", Keyword.Type),
            (r"(?:ints?|floats|strings?|tensors?|graphs?)(?=[ ]*=)", Keyword.Type),
            (rf"{_TYPES}(?=[ ]*=)", Keyword.Type),
            (r"[A-Za-z_][\w.]*(?=[ ]*\()", Name.Function),  # an operator, or the graph
            (r"[A-Za-z_][\w.]*(?=[ ]+<\w+:[ ])", Name.Function),
            (r"-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(?![\w.])", Number),
            (r"=>|[=:]", Operator),
            (r"[A-Za-z_][\w./-]*", Name),
            (r"[<>()\[\]{},]+|[^\w\s]", Punctuation),
            (r"\w+", Name),
        ]
    }
