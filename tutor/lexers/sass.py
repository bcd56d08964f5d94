"""SASS, what an NVIDIA GPU executes, as nvdisasm and cuobjdump print it."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace


class SassLexer(RegexLexer):
    """Colours SASS; addresses and source lines count as comments."""

    name = "SASS"
    aliases = ["sass"]  # noqa: RUF012
    filenames = ["*.sass"]  # noqa: RUF012
    url = "https://docs.nvidia.com/cuda/cuda-binary-utilities/"

    tokens = {  # noqa: RUF012
        "root": [
            (r"[ \t\n]+", Whitespace),
            (r"//[^\n]*", Comment.Special),  # the line of the source, and headings
            (r"/\*[0-9a-f]{4,}\*/", Comment.Special),  # the address
            (r"/\*[^\n]*?\*/|/\*[^\n]*", Comment.Multiline),
            (r'"(?:\\.|[^"\\\n])*"?', String),
            (r"(\.?[A-Za-z_$][\w.$]*)(:)", bygroups(Name.Label, Punctuation)),
            (r"`\([^)\n]{0,200}\)", Name.Label),
            (r"\.[a-z_]\w*", Keyword),  # directives of the object file
            (r"(@)(!?)(U?P(?:\d+|T))\b", bygroups(Operator, Operator, Name.Variable)),
            (r"(?:U?R(?:\d+|Z)|U?P(?:\d+|T)|B\d+|SB\d+)(?:\.\w+)*\b", Name.Variable),
            (r"SR\w*(?:\.[XYZ])?\b|SRZ\b", Name.Builtin),
            (r"(?:c|desc|gdesc|cx|tmem)(?=\[)", Name.Builtin),
            (r"[A-Z][A-Z0-9]*(?:\.[A-Za-z0-9_]+){0,16}(?=[ \t;])", Name.Function),
            (r"[-+]?0x[0-9a-f]+|[-+]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[-+](?:INF|QNAN)", Number),
            (r"[A-Za-z_$][\w.$]*", Name),
            (r"[-+~|!]", Operator),
            (r"[()\[\]{},;]+|[^\w\s]", Punctuation),
            (r"\w+", Name),
        ]
    }
