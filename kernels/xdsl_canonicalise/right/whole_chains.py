"""Follows a chain of sums or products to its end at once, and adds up all its constants."""

from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp, SubiOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.pattern_rewriter import PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern
from xdsl.transforms.dead_code_elimination import dce


def is_number(value):
    return isinstance(value.owner, ConstantOp) and isinstance(value.owner.value, IntegerAttr)


def the_number(value):
    return value.owner.value.value.data


class Chains(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddiOp | MuliOp | SubiOp, rewriter):
        if isinstance(op, SubiOp):
            if op.lhs == op.rhs:
                rewriter.replace(op, self.number(0, op))
            elif is_number(op.rhs):
                less = self.number(-the_number(op.rhs), op)
                rewriter.replace(op, [less, AddiOp(op.lhs, less)])
            return
        product = isinstance(op, MuliOp)
        total, end, found = int(product), op.result, 0
        while isinstance(end.owner, type(op)):
            left, right = end.owner.operands
            if is_number(left):
                left, right = right, left
            if not is_number(right):
                break
            total = total * the_number(right) if product else total + the_number(right)
            end, found = left, found + 1
        if not found:
            return
        if is_number(end):
            total = total * the_number(end) if product else total + the_number(end)
            rewriter.replace(op, self.number(total, op))
            return
        constant = self.number(total, op)
        kept = constant.value.value.data  # as the type holds it
        if kept == int(product):
            rewriter.replace(op, [], [end])
        elif product and kept == 0:
            rewriter.replace(op, constant)
        elif found > 1:
            rewriter.replace(op, [constant, type(op)(end, constant.result)])

    @staticmethod
    def number(value, op):
        return ConstantOp(IntegerAttr(value, op.result.type, truncate_bits=True))


def canonicalise(module: ModuleOp) -> None:
    PatternRewriteWalker(Chains()).rewrite_module(module)
    dce(module)
