"""PTX, the assembly of NVIDIA's virtual machine, as `triton.compile` and nvcc print it."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

TYPE = r"(?:[subf](?:8|16|32|64|128)(?:x\d+)?|bf16(?:x2)?|tf32|f16x2|e[45]m[23]\w*|pred)"
SPECIAL = (
    r"%(?:n?(?:tid|ctaid|warpid|smid|gridid|laneid)|clusterid|nclusterid|cluster_\w+|lanemask_\w+|"
    r"clock(?:_hi|64)?|globaltimer\w*|pm\d+|envreg\d+|is_explicit_cluster|dynamic_smem_size|"
    r"total_smem_size|current_graph_exec)(?:\.[xyz])?\b"
)


class PtxLexer(RegexLexer):
    """Colours PTX; lines about source positions count as comments."""

    name = "PTX"
    aliases = ["ptx"]  # noqa: RUF012
    filenames = ["*.ptx"]  # noqa: RUF012
    url = "https://docs.nvidia.com/cuda/parallel-thread-execution/"

    tokens = {  # noqa: RUF012
        "root": [
            (r"[ \t\n]+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*[^\n]*?\*/|/\*[^\n]*", Comment.Multiline),
            (r"\.(?:loc|file)\b[^/\n]*", Comment.Special),
            (r'"(?:\\.|[^"\\\n])*"?', String),
            (r"([$A-Za-z_][\w$]*)(:)(?!:)", bygroups(Name.Label, Punctuation)),
            (r"(@)(!?)(%\w+)", bygroups(Operator, Operator, Name.Variable)),
            (rf"\.{TYPE}\b", Keyword.Type),
            (r"\.[A-Za-z_]\w*", Keyword),  # directives and state spaces: .entry, .reg, .param
            (SPECIAL, Name.Builtin),
            (r"%\w+", Name.Variable),
            # an opcode with its modifiers: it begins a statement, so a blank or `;` follows it
            (r"[a-z][a-z0-9]*(?:(?:\.|::)[A-Za-z0-9_]+){0,16}(?=[ \t;])", Name.Function),
            (r"0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}", Number.Float),
            (r"-?0x[0-9A-Fa-f]+U?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?U?", Number),
            (r"[$A-Za-z_][\w$]*", Name),
            (r"[-+*/=|!<>&]", Operator),
            (r"[()\[\]{},;]+|[^\w\s]", Punctuation),
            (r"\w+", Name),
        ]
    }
