"""HLO: XLA's instructions, shapes with their layouts, and computations."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

ELEMENT = r"(?:pred|[su]\d+|f\d+\w*|bf16|c\d+|token|opaque)"


class HloLexer(RegexLexer):
    """Colours HLO as XLA prints it."""

    name = "HLO"
    aliases = ["hlo"]  # noqa: RUF012
    filenames = ["*.hlo"]  # noqa: RUF012
    url = "https://openxla.org/xla/hlo_text"

    tokens = {  # noqa: RUF012
        "root": [
            (r"[ \t\n]+", Whitespace),
            (r"//[^\n]*|/\*(?:[^*\n]|\*(?!/))*\*/", Comment.Single),
            (r'"(?:\\.|[^"\\\n])*"?', String),
            (r"(?:HloModule|ENTRY|ROOT)\b", Keyword),
            (r"%[\w.-]+", Name.Variable),
            # a shape, and the order of its dimensions in memory: f32[64,256]{1,0}
            (
                rf"({ELEMENT})(\[)([\d,<=?]*)(\])(\{{[^}}\n]*\}})?",
                bygroups(Keyword.Type, Punctuation, Number.Integer, Punctuation, Comment.Special),
            ),
            (r"(?:true|false|inf|nan)\b|-inf\b", Keyword.Constant),
            (r"([A-Za-z_]\w*)(=)", bygroups(Name.Attribute, Operator)),
            (r"[a-z][a-z0-9-]*(?=\()", Name.Function),  # opcodes: get-tuple-element
            (r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", Number),
            (r"[A-Za-z_][\w.-]*", Name),
            (r"->|[=:*+-]", Operator),
            (r"[<>()\[\]{},;]+|[^\w\s]", Punctuation),
            (r"\w+", Name),
        ]
    }
