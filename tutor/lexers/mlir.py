"""MLIR: ops of any dialect, values, types and attributes; Triton's two stages in it, TTIR and TTGIR."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

SCALAR = r"(?:[su]?i\d+|f\d+\w*|bf16|tf32|index|none)"


class MlirLexer(RegexLexer):
    """Colours MLIR; source positions count as comments."""

    name = "MLIR"
    aliases = ["mlir"]  # noqa: RUF012
    filenames = ["*.mlir"]  # noqa: RUF012
    url = "https://mlir.llvm.org/docs/LangRef/"

    tokens = {  # noqa: RUF012
        "root": [
            (r"[ \t\n]+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            # the source position at the end of a line: it serves the links
            (r'loc\("[^"\n]*"(?::\d+:\d+)?\)|loc\(#?\w+\)|#loc\w*', Comment.Special),
            (r'loc\("[^"\n]*"', Comment.Special),
            (r'"(?:\\.|[^"\\\n])*"?', String),
            (r"#[A-Za-z_][\w.$]*", Name.Decorator),  # layouts: #blocked, #ttg.slice
            (r"%[\w$.-]+(?:[:#]\d+)?", Name.Variable),
            (r"@[\w$.-]+", Name.Label),
            (r"\^[\w$.-]+", Name.Label),
            (r"(?:![a-z]\w*\.[a-z_.]+|tensor|vector|memref)(?=<)", Keyword.Type),
            (r"![A-Za-z_][\w.$]*", Keyword.Type),
            (
                r"(?:module|attributes|to|step|iter_args|mask|other|tokens|token|cacheModifier|"
                r"evictionPolicy|else|do|public|private|noinline)\b(?![ ]*=)",
                Keyword,
            ),
            (r"(?:true|false|unit|dense)\b", Keyword.Constant),
            (r"[a-z][a-z_0-9]*(?:\.[a-z_][a-z_0-9]*)+(?=[ ]*=)", Name.Attribute),
            (r"[a-z][a-z_0-9]*(?:\.[a-z_][a-z_0-9]*)+", Name.Function),  # ops: tt.load
            (rf"((?:(?:\d+|\?)x)+)({SCALAR})\b", bygroups(Number.Integer, Keyword.Type)),
            (rf"{SCALAR}\b", Keyword.Type),
            (r"(?:\d+x)+(?=!)", Number.Integer),
            (r"([A-Za-z_]\w*)([ ]*)(=)(?!=)", bygroups(Name.Attribute, Whitespace, Operator)),
            (r"-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)", Number),
            (r"[A-Za-z_]\w*", Name),
            (r"->|[=:*+-]", Operator),
            (r"[<>()\[\]{},;]+|[^\w\s]", Punctuation),
            (r"\w+", Name),
        ]
    }


class TritonIRLexer(MlirLexer):
    """Colours TTIR and TTGIR."""

    name = "Triton IR"
    aliases = ["ttir", "ttgir"]  # noqa: RUF012
    filenames = ["*.ttir", "*.ttgir"]  # noqa: RUF012
    url = "https://triton-lang.org/main/dialects/dialects.html"
