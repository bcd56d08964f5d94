"""FX graphs, in both forms that torch prints: `print_readable()` and `str(graph)`."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

NAME = r"[A-Za-z_]\w*"
TYPE = r"(?:b8|bool|[biuf]\d+|bf16|f8e\w+|Sym)"


class FxLexer(RegexLexer):
    """Colours FX graphs, the types of their values included."""

    name = "FX graph"
    aliases = ["fx"]  # noqa: RUF012
    filenames = ["*.fx"]  # noqa: RUF012
    url = "https://docs.pytorch.org/docs/stable/fx.html"

    tokens = {  # noqa: RUF012
        "root": [
            (r"[ \t\n]+", Whitespace),
            (r"#[^\n]*", Comment.Single),
            (rf'"{TYPE}\b[^"\n]*"', Keyword.Type),  # "f32[4, 8]", the value's type
            (r'"(?:\\.|[^"\\\n])*"?', String),
            (r"'(?:\\.|[^'\\\n])*'?", String),
            (rf"(%{NAME})([ ]+)(:)", bygroups(Name.Variable, Whitespace, Punctuation)),
            (rf"%{NAME}", Name.Variable),
            (
                r"(call_function|call_method|call_module|get_attr|placeholder|output)(\[)(target)",
                bygroups(Keyword, Punctuation, Name.Attribute),
            ),
            (r"(?:class|def|return|with|import|from|as)\b", Keyword),
            (r"(?:None|True|False|inf|nan)\b", Keyword.Constant),
            (rf"torch\.ops\.{NAME}(?:\.{NAME})*", Name.Function),
            (
                rf"torch\.(?:float|bfloat|int|uint|bool|complex|strided|per_)\w*(?:\.{NAME})*",
                Keyword.Type,
            ),
            (rf"(?:torch|operator|math|builtins)(?:\.{NAME})+", Name.Function),
            (rf"(\.)({NAME})(?=\()", bygroups(Punctuation, Name.Function)),
            (r"(?:num_users|target|args|kwargs|dtype|device|layout)(?==|[ ]=)", Name.Attribute),
            (r"self\b", Name.Builtin.Pseudo),
            (NAME, Name),
            (r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?", Number),
            (r"->|[-+*/@<>=!&|^~]+", Operator),
            (r"[()\[\]{},;:]+|[^\w\s]", Punctuation),
            (r"\w+", Name),
        ]
    }
