"""One function says what a result becomes; one pattern for all three operations asks it."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.pattern_rewriter import PatternRewriteWalker, RewritePattern
from xdsl.traits import ConstantLike
from xdsl.transforms.dead_code_elimination import dce


def number_of(value):
    attribute = ConstantLike.get_constant_value(value)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def split(op):
    """(value, constant) of a sum or a product with one; None for another."""
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if (number := number_of(other)) is not None:
            return value, number
    return None


def answer(op):
    """What the result is: a value, a number, or (value, class, number); None for no change."""
    if isinstance(op, arith.SubiOp):
        if op.lhs is op.rhs:
            return 0
        subtracted = number_of(op.rhs)
        return None if subtracted is None else (op.lhs, arith.AddiOp, -subtracted)
    if not isinstance(op, arith.AddiOp | arith.MuliOp) or not (parts := split(op)):
        return None
    value, number = parts
    plus = isinstance(op, arith.AddiOp)
    known = number_of(value)
    if known is not None:
        return known + number if plus else known * number
    if number == 1 - plus:
        return value
    if number == 0:
        return 0
    if type(value.owner) is type(op) and (below := split(value.owner)):
        first, before = below
        return first, type(op), before + number if plus else before * number
    return None


class Rules(RewritePattern):
    def match_and_rewrite(self, op, rewriter):
        match answer(op):
            case None:
                return
            case int(number):
                attribute = IntegerAttr(number, op.result.type, truncate_bits=True)
                rewriter.replace(op, arith.ConstantOp(attribute))
            case (value, kind, number):
                attribute = IntegerAttr(number, op.result.type, truncate_bits=True)
                constant = arith.ConstantOp(attribute)
                rewriter.replace(op, [constant, kind(value, constant.result)])
            case value:
                rewriter.replace(op, [], [value])


def canonicalise(module) -> None:
    PatternRewriteWalker(Rules()).rewrite_module(module)
    dce(module)
