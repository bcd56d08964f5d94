"""Small exercises of the kind `pass`, one for each subject, as texts: a test writes them as a course."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Small:
    """An exercise: what it rewrites, its reference, the right pass, and wrong ones with their code and a
    part of what is said of them."""

    subject: str
    needs: str
    reference: str
    right: str
    wrong: dict[str, tuple[str, str, str]]


BOTH_SIGNS = """\
            node.replace_all_uses_with(inner.args[0])
            program.graph.erase_node(node)
            program.graph.erase_node(inner)
"""
ONE_SIGN = """\
            node.replace_all_uses_with(inner)
            program.graph.erase_node(node)
"""
FX = Small(
    "fx",
    "",
    """
from tutor.judge.cases.fx_graphs import drawn_cases, graph_case
from tutor.judge.spec import Rewrite

REWRITE = Rewrite(idempotent=True)
CASES = (
    graph_case("minus minus", "return (-(-x)).sin()", "Both signs go."),
    graph_case("one minus", "return -x"),
    *drawn_cases(2, 2),
)


def most(program, *inputs):
    return 1 if "(-(-x))" in program else 99
""",
    """
def simplify(program):
    for node in list(program.graph.nodes):
        inner = node.args[0] if node.name.startswith("neg") else None
        if inner is not None and inner.name.startswith("neg"):
            node.replace_all_uses_with(inner.args[0])
            program.graph.erase_node(node)
            program.graph.erase_node(inner)
    program.recompile()
    return program
""",
    {
        "one_sign_stays": (BOTH_SIGNS, ONE_SIGN, "“minus minus”: a result differs"),
        "nothing": (
            "if inner is not None and",
            "if False and",
            "3 operations are left, 1 would do",
        ),
        "returns_nothing": ("    return program\n", "", "`simplify` returned NoneType"),
    },
)
XDSL = Small(
    "xdsl",
    "xdsl",
    """
from tutor.judge.cases.drawn_programs import arith, draw_arith
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="nothing", idempotent=True)


def most(program, *inputs):
    return 0 if "subi %x, %x" in program else 99


def zero(g):
    return (arith(["%v = arith.subi %x, %x : i32"], "%v"), *draw_arith()(g)[1:])


CASES = (
    Case("x - x", zero, "It is 0."),
    *(Case(f"drawn {number}", draw_arith(10)) for number in range(6)),
)
""",
    """
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.pattern_rewriter import PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern


class Zero(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.SubiOp, rewriter):
        if op.lhs == op.rhs:
            rewriter.replace(op, arith.ConstantOp(IntegerAttr(0, i32)))


def simplify(program):
    PatternRewriteWalker(Zero()).rewrite_module(program)
""",
    {
        "it_is_one": (
            "IntegerAttr(0",
            "IntegerAttr(1",
            "a result differs: 1, and 0 is right. It is 0.",
        ),
        "any_difference": ("op.lhs == op.rhs", "op", "a result differs"),
        "nothing": ("if op.lhs == op.rhs", "if False", "1 operation is left, 0 would do"),
    },
)
RELAX = Small(
    "relax",
    "tvm",
    """
from tutor.judge.cases.drawn_programs import draw_relax, relax
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="new", rtol=1e-6)


def most(program, *inputs):
    return 1 if "relu(R.nn.relu(" in program else 99


def twice(g):
    return (relax(["v = R.nn.relu(R.nn.relu(x))"], "v"), *draw_relax()(g)[1:])


CASES = (
    Case("relu of relu", twice, "One relu is enough."),
    *(Case(f"drawn {number}", draw_relax(4)) for number in range(2)),
)
""",
    """
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator


@mutator
class Once(PyExprMutator):
    def visit_call_(self, call):
        call = super().visit_call_(call)
        inner = call.args[0] if call.args else None
        if isinstance(inner, relax.Var):
            inner = self.lookup_binding(inner)
        if call.op.name == "relax.nn.relu" and isinstance(inner, relax.Call):
            if inner.op.name == "relax.nn.relu":
                return inner
        return call


def simplify(program):
    made = Once(program)
    for name, function in program.functions.items():
        made.builder_.update_func(name, made.visit_expr(function))
    return relax.transform.DeadCodeElimination()(made.builder_.get())
""",
    {
        "drops_both": ("return inner\n", "return inner.args[0]\n", "a result differs"),
        "nothing": (
            '"relax.nn.relu" and',
            '"relax.nn.gelu" and',
            "2 operations are left, 1 would do",
        ),
        "returns_nothing": ("    return relax.t", "    relax.t", "must be an IRModule"),
    },
)
ONNX = Small(
    "onnx",
    "onnx",
    """
from tutor.judge.cases.drawn_programs import draw_onnx, onnx
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(idempotent=True)


def most(program, *inputs):
    # The last one names the model's output.
    return program.count("=") - program.count("Identity")


def chain(g):
    lines = ["a = Identity (x)", "b = Identity (a)", "c = Add (b, y)"]
    return (onnx(lines, "c"), *draw_onnx()(g)[1:])


def cost(operations):
    return sum(each.times for each in operations) - 1


CASES = (
    Case("a chain", chain, "An Identity gives what it gets."),
    *(Case(f"drawn {number}", draw_onnx()) for number in range(5)),
)
""",
    """
def simplify(program):
    graph, same = program.graph, {}
    kept = []
    for node in graph.node:
        for at, name in enumerate(node.input):
            node.input[at] = same.get(name, name)
        last = node.output[0] in {place.name for place in graph.output}
        if node.op_type == "Identity" and not last:
            same[node.output[0]] = node.input[0]
        else:
            kept.append(node)
    del graph.node[:]
    graph.node.extend(kept)
    return program
""",
    {
        "readers_forgotten": ("same.get(name, name)", "name", "not in order"),
        "all_of_one_input": (
            'node.op_type == "Identity"',
            'node.op_type in ("Identity", "Relu")',
            "differs",
        ),
        "nothing": ('node.op_type == "Identity"', "False", "would do"),
    },
)
STABLEHLO = Small(
    "stablehlo",
    "xla",
    """
import torch
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="new", idempotent=True)
KIND = "tensor<2x3xf32>"


def most(program, *inputs):
    return 0 if "negate %v" in program else 99


def negated(*lines):
    def make(g):
        body = "".join(f"  {line} : {KIND}\\n" for line in lines)
        text = f"func.func @main(%x: {KIND}) -> {KIND} {{\\n{body}  return %w : {KIND}\\n}}\\n"
        return text, torch.randn(2, 3, generator=g)

    return make


CASES = (
    Case("twice", negated("%v = stablehlo.negate %x", "%w = stablehlo.negate %v"), "Both go."),
    *(
        Case(each, negated(f"%v = stablehlo.{each} %x", "%w = stablehlo.tanh %v"))
        for each in ("negate", "floor", "sine", "abs", "cosine")
    ),
)
""",
    """
import re


def simplify(program):
    kind = r" : tensor<2x3xf32>\\n"
    both = r"  %v = stablehlo.negate %x" + kind + r"  %w = stablehlo.negate %v" + kind
    if not re.search(both, program):
        return program
    return re.sub(both, "", program).replace("%w", "%x")
""",
    {
        "one_sign_stays": (
            'return re.sub(both, "", program).replace("%w", "%x")',
            'return re.sub("  %w = stablehlo.negate %v" + kind, "", program).replace("%w", "%v")',
            "a result differs",
        ),
        "not_in_order": ('.replace("%w", "%x")', "", "undeclared SSA value"),
        "nothing": ("if not re.search(both, program):", "if True:", "would do"),
        "returns_nothing": ("        return program\n", "        return\n", "must be a text of"),
    },
)
SMALL = {each.subject: each for each in (FX, XDSL, RELAX, ONNX, STABLEHLO)}
