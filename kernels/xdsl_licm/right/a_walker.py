"""A pattern for loops; the walker visits what is inside a loop before the loop itself."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.scf import ForOp
from xdsl.pattern_rewriter import PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint


def harmless(op):
    if op.name in ("arith.divsi", "arith.remsi", "arith.floordivsi"):
        by = op.operands[1].owner
        return isinstance(by, ConstantOp) and by.value.value.data not in (0, -1)
    return op.name.startswith("arith.")


class Hoist(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, loop: ForOp, rewriter):
        body = loop.body.block
        inside = set(body.args)
        for op in tuple(body.ops):
            if harmless(op) and inside.isdisjoint(op.operands):
                op.detach()
                rewriter.insert_op(op, InsertPoint.before(loop))
            else:
                inside.update(op.results)


def hoist(module: ModuleOp) -> None:
    PatternRewriteWalker(Hoist(), apply_recursively=False, walk_regions_first=True).rewrite_module(
        module
    )
