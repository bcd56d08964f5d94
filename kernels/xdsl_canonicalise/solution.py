from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.dead_code_elimination import dce


def read_number(value) -> int | None:
    """Return the number of an integer constant; None for another value."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None


def make_constant(number: int, like) -> arith.ConstantOp:
    """Make a constant of the type of a value; what is too large wraps."""
    return arith.ConstantOp(IntegerAttr(number, like.type, truncate_bits=True))


class SumsAndProducts(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddiOp | arith.MuliOp, rewriter: PatternRewriter):
        x, c = op.lhs, read_number(op.rhs)
        if c is None:  # the constant may stand on the left
            x, c = op.rhs, read_number(op.lhs)
        if c is None:
            return
        adds = isinstance(op, arith.AddiOp)
        if (other := read_number(x)) is not None:
            rewriter.replace(op, make_constant(other + c if adds else other * c, x))
        elif c == (0 if adds else 1):
            rewriter.replace(op, (), (x,))
        elif c == 0:
            rewriter.replace(op, make_constant(0, x))
        elif isinstance(x.owner, type(op)):
            # Two constants in one chain: one operation on their sum or product.
            inner = x.owner
            for y, before in ((inner.lhs, inner.rhs), (inner.rhs, inner.lhs)):
                if (first := read_number(before)) is not None:
                    both = make_constant(first + c if adds else first * c, x)
                    rewriter.replace(op, (both, type(op)(y, both)))
                    return


class Differences(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.SubiOp, rewriter: PatternRewriter):
        if op.lhs == op.rhs:
            rewriter.replace(op, make_constant(0, op.lhs))
        elif (c := read_number(op.rhs)) is not None:
            # As a sum it meets the rules for sums, also with two constants.
            minus = make_constant(-c, op.lhs)
            rewriter.replace(op, (minus, arith.AddiOp(op.lhs, minus)))


def canonicalise(module: ModuleOp) -> None:
    """Apply the rules wherever they fit, and delete what nobody reads."""
    patterns = GreedyRewritePatternApplier([SumsAndProducts(), Differences()])
    PatternRewriteWalker(patterns).rewrite_module(module)
    dce(module)
