"""The lexers: every character comes back, what matters has its token, time grows with length."""

import time
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexer import RegexLexer
from pygments.token import Error, _TokenType

from tutor.lexers import (
    AmdgcnLexer,
    FxLexer,
    HloLexer,
    MlirLexer,
    OnnxLexer,
    PtxLexer,
    SassLexer,
    TritonIRLexer,
)

LEXERS = (AmdgcnLexer, FxLexer, HloLexer, MlirLexer, OnnxLexer, PtxLexer, SassLexer, TritonIRLexer)

# lexer, a line as the tools print it, a piece of it, that piece's token type
LINES: list[tuple[type[RegexLexer], str, str, str]] = [
    (
        FxLexer,
        '    mm: "f32[4, 8]" = torch.ops.aten.mm.default(a, b);  a = None',
        "torch.ops.aten.mm.default",
        "Name.Function",
    ),
    (
        FxLexer,
        '    mm: "f32[4, 8]" = torch.ops.aten.mm.default(a, b);  a = None',
        '"f32[4, 8]"',
        "Keyword.Type",
    ),
    (FxLexer, '    relu: "f32[4]" = softmax.relu();  softmax = None', "relu", "Name"),
    (
        FxLexer,
        "    # File: a.py:47 in f, code: return x",
        "# File: a.py:47 in f, code: return x",
        "Comment.Single",
    ),
    (
        FxLexer,
        "    %t : [num_users=1] = call_function[target=torch.ops.aten.t.default](args = (%p,))",
        "call_function",
        "Keyword",
    ),
    (
        FxLexer,
        "    %t : [num_users=1] = call_function[target=torch.ops.aten.t.default](args = (%p,))",
        "%p",
        "Name.Variable",
    ),
    (
        HloLexer,
        "  ROOT %add.1 = f32[64,256]{1,0} add(%dot.0, %broadcast.2), dimensions={1}",
        "add",
        "Name.Function",
    ),
    (
        HloLexer,
        "  ROOT %add.1 = f32[64,256]{1,0} add(%dot.0, %broadcast.2), dimensions={1}",
        "f32",
        "Keyword.Type",
    ),
    (
        MlirLexer,
        "    %0 = torch.aten.tanh %arg0 : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>",
        "!torch.vtensor",
        "Keyword.Type",
    ),
    (
        OnnxLexer,
        '   ["node_a/F"] div = com.microsoft.FusedMatMul <alpha: float = 0.25> (q, k)',
        "com.microsoft.FusedMatMul",
        "Name.Function",
    ),
    (OnnxLexer, "main (float[64,256] x) => (float[64,256] y) {", "float", "Keyword.Type"),
    (
        TritonIRLexer,
        "    %4 = tt.load %3, %m_4 : tensor<1024x!tt.ptr<f32>> loc(#loc9)",
        "tt.load",
        "Name.Function",
    ),
    (
        TritonIRLexer,
        "    %4 = tt.load %3, %m_4 : tensor<1024x!tt.ptr<f32>> loc(#loc9)",
        "loc(#loc9)",
        "Comment.Special",
    ),
    (
        TritonIRLexer,
        "    %cst = arith.constant dense<0.0> : tensor<64x64xf32, #mma>",
        "#mma",
        "Name.Decorator",
    ),
    (
        TritonIRLexer,
        "    %cst = arith.constant dense<0.0> : tensor<64x64xf32, #mma>",
        "f32",
        "Keyword.Type",
    ),
    (
        PtxLexer,
        "\t@%p1 ld.global.v4.b32 { %r1, %r2 }, [ %rd1 + 0 ];",
        "ld.global.v4.b32",
        "Name.Function",
    ),
    (PtxLexer, "\tmov.u32 \t%r25, %ctaid.x;", "%ctaid.x", "Name.Builtin"),
    (PtxLexer, "\tmov.u32 \t%r25, %ctaid.x;", "%r25", "Name.Variable"),
    (
        PtxLexer,
        "\tcp.async.bulk.tensor.2d.shared::cluster.global.mbarrier [%r1], [%rd1];",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier",
        "Name.Function",
    ),
    (PtxLexer, "\t.reg .b32 \t%r<33>;", ".b32", "Keyword.Type"),
    (PtxLexer, "$L__BB0_2:", "$L__BB0_2", "Name.Label"),
    (PtxLexer, "\tmov.b32 \t%f1, 0f3F800000;", "0f3F800000", "Literal.Number.Float"),
    (
        SassLexer,
        "        /*0180*/              @!P0 LDG.E.128 R16, desc[UR4][R20.64] ;",
        "LDG.E.128",
        "Name.Function",
    ),
    (
        SassLexer,
        "        /*0180*/              @!P0 LDG.E.128 R16, desc[UR4][R20.64] ;",
        "R20.64",
        "Name.Variable",
    ),
    (
        SassLexer,
        "        /*0180*/              @!P0 LDG.E.128 R16, desc[UR4][R20.64] ;",
        "/*0180*/",
        "Comment.Special",
    ),
    (
        SassLexer,
        "        /*0010*/                   S2R R0, SR_TID.X ;",
        "SR_TID.X",
        "Name.Builtin",
    ),
    (SassLexer, "        /*0290*/                   BRA `(.L_x_0);", "`(.L_x_0)", "Name.Label"),
    (
        AmdgcnLexer,
        "\tglobal_load_dwordx4 v[0:3], v[0:1], off",
        "global_load_dwordx4",
        "Name.Function",
    ),
    (AmdgcnLexer, "\tglobal_load_dwordx4 v[0:3], v[0:1], off", "v[0:3]", "Name.Variable"),
    (AmdgcnLexer, "\ts_waitcnt vmcnt(0)                      ; wait", "; wait", "Comment.Single"),
    (AmdgcnLexer, "\tv_cmp_gt_i32_e32 vcc, s8, v0", "vcc", "Name.Builtin"),
]


def pieces(lexer: type[RegexLexer], text: str) -> list[tuple[_TokenType, str]]:
    return [(kind, value) for _, kind, value in lexer().get_tokens_unprocessed(text)]


@pytest.mark.parametrize(("lexer", "line", "piece", "kind"), LINES)
def test_what_matters_has_its_token(
    lexer: type[RegexLexer], line: str, piece: str, kind: str
) -> None:
    found = pieces(lexer, line)
    assert (kind, piece) in [(str(k).removeprefix("Token."), value) for k, value in found]
    assert not [value for k, value in found if k is Error]


@pytest.mark.parametrize("lexer", LEXERS)
@given(
    text=st.text(st.sampled_from("%@#!.:;<>[](){}\"'`/*-+,=_ \t\naxRPUv0147é\x00"), max_size=200)
)
def test_nothing_is_lost_or_refused(lexer: type[RegexLexer], text: str) -> None:
    found = pieces(lexer, text)
    assert "".join(value for _, value in found) == text
    # A line by itself has the colours that it has in its text.
    by_line = [
        piece
        for line in text.splitlines(keepends=True)
        for piece in pieces(lexer, line)
        if piece[1].strip()
    ]
    if "\x0b" not in text and "\x1c" not in text:
        assert [piece for piece in found if piece[1].strip()] == by_line


# What a backtracking expression would stumble over: long runs, and openings that never close.
HOSTILE = ("a", "a.", "%", '"', "/*", 'loc("', "1x", "a::", "`(", "'", "((", "-", " ", "R1.", "$")


@pytest.mark.slow
@pytest.mark.budget
@pytest.mark.parametrize("lexer", LEXERS)
def test_time_grows_with_length(lexer: type[RegexLexer]) -> None:
    lines = "\n".join(line for each, line, *_ in LINES if each is lexer) + "\n"
    texts = [lines * 40] + [unit * 1_500 for unit in HOSTILE]
    for text in texts:
        short, long = seconds(lexer, text), seconds(lexer, text * 4)
        # four times the text in about four times the time; a quadratic rule takes sixteen
        assert long < 9 * short + 0.005, text[:20]


def seconds(lexer: type[RegexLexer], text: str) -> float:
    """Of a processor, the shortest of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for _ in lexer().get_tokens_unprocessed(text):
            pass
        best = min(best, time.process_time() - start)
    return best


def test_each_is_registered_as_a_plug_in() -> None:
    import tomli

    project = tomli.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    named = project["project"]["entry-points"]["pygments.lexers"]
    classes = set()
    for alias, target in named.items():
        module, _, name = target.partition(":")
        lexer = getattr(import_module(module), name)
        assert alias in lexer.aliases
        classes.add(lexer)
    assert classes == set(LEXERS)
