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


class Sums(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter):
        # One case of the first rule. Where else does
        # a rule fit a sum?
        if read_number(op.rhs) == 0:
            rewriter.replace(op, (), (op.lhs,))


# Write patterns for products and differences, too.


def canonicalise(module: ModuleOp) -> None:
    """Apply the rules wherever they fit, and delete what nobody reads."""
    patterns = GreedyRewritePatternApplier([Sums()])
    PatternRewriteWalker(patterns).rewrite_module(module)
    dce(module)
