"""A pattern for each rule; one brings the constant to the right, so that the others look there."""

from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp, SubiOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.dead_code_elimination import dce


def n(value):
    match value.owner:
        case ConstantOp(value=IntegerAttr(value=data)):
            return data.data
    return None


def const(number, type_):
    return (
        ConstantOp.from_int_and_width(number, type_, truncate_bits=True)
        if hasattr(type_, "width")
        else ConstantOp(IntegerAttr(number, type_))
    )


class ConstantToTheRight(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddiOp | MuliOp, rewriter):
        if n(op.lhs) is not None and n(op.rhs) is None:
            rewriter.replace(op, type(op)(op.rhs, op.lhs))


class Fold(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddiOp | MuliOp | SubiOp, rewriter):
        a, b = n(op.lhs), n(op.rhs)
        if a is not None and b is not None:
            got = {AddiOp: a + b, MuliOp: a * b, SubiOp: a - b}[type(op)]
            rewriter.replace(op, const(got, op.result.type))


class Neutral(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddiOp | MuliOp, rewriter):
        if n(op.rhs) == {AddiOp: 0, MuliOp: 1}[type(op)]:
            rewriter.replace(op, [], [op.lhs])


class Zero(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MuliOp | SubiOp, rewriter):
        if op.lhs == op.rhs if isinstance(op, SubiOp) else n(op.rhs) == 0:
            rewriter.replace(op, const(0, op.result.type))


class LessIsMore(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SubiOp, rewriter):
        if (c := n(op.rhs)) is not None:
            rewriter.replace(op, [k := const(-c, op.result.type), AddiOp(op.lhs, k)])


class Chain(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddiOp | MuliOp, rewriter):
        inner, c = op.lhs.owner, n(op.rhs)
        if c is None or type(inner) is not type(op) or (d := n(inner.rhs)) is None:
            return
        k = const(c + d if isinstance(op, AddiOp) else c * d, op.result.type)
        rewriter.replace(op, [k, type(op)(inner.lhs, k)])


def canonicalise(module: ModuleOp) -> None:
    every = [Fold(), ConstantToTheRight(), Neutral(), Zero(), LessIsMore(), Chain()]
    PatternRewriteWalker(GreedyRewritePatternApplier(every)).rewrite_module(module)
    dce(module)
