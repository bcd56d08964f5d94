"""AMD's GCN and CDNA assembly, as LLVM prints it."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

# The families of instructions, by their first letters.
FAMILY = r"(?:s|v|ds|buffer|global|flat|scratch|tbuffer|image|exp)_"


class AmdgcnLexer(RegexLexer):
    """Colours AMD's assembly."""

    name = "AMDGCN"
    aliases = ["amdgcn", "gcn"]  # noqa: RUF012
    filenames = ["*.amdgcn"]  # noqa: RUF012
    url = "https://llvm.org/docs/AMDGPUUsage.html"

    tokens = {  # noqa: RUF012
        "root": [
            (r"[ \t\n]+", Whitespace),
            (r";[^\n]*|//[^\n]*", Comment.Single),
            (r"\.(?:loc|file)\b[^;\n]*", Comment.Special),
            (r'"(?:\\.|[^"\\\n])*"?', String),
            (r"([$.A-Za-z_][\w.$]*)(:)", bygroups(Name.Label, Punctuation)),
            (r"\.L\w+", Name.Label),
            (r"\.[A-Za-z_]\w*", Keyword),
            (rf"{FAMILY}[a-z0-9_]+", Name.Function),
            (r"[sva](?:\d+|\[\d+(?::\d+)?\])(?!\w)", Name.Variable),
            (
                r"(?:vcc|exec|m0|scc|flat_scratch|xnack_mask|ttmp)(?:_lo|_hi)?(?:\d+)?\b|off\b",
                Name.Builtin,
            ),
            (r"(?:vmcnt|lgkmcnt|expcnt|vscnt|hwreg|sendmsg)(?=\()", Name.Builtin),
            (
                r"(offset\d?|op_sel\w*|neg_\w+|row_\w+|quad_perm|bank_mask|bound_ctrl|row_mask|cbsz|"
                r"abid|blgp)(:)",
                bygroups(Name.Attribute, Punctuation),
            ),
            (r"-?0x[0-9A-Fa-f]+|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", Number),
            (r"[A-Za-z_$@][\w.$@]*", Name),
            (r"[-+&|]", Operator),
            (r"[()\[\]{},;]+|[^\w\s]", Punctuation),
            (r"\w+", Name),
        ]
    }
