"""A table: what each operation does with two numbers, and the number that changes nothing."""

import operator

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.pattern_rewriter import PatternRewriteWalker, RewritePattern
from xdsl.transforms.dead_code_elimination import dce

TABLE = {
    arith.AddiOp: (operator.add, 0),
    arith.MuliOp: (operator.mul, 1),
}


def number_of(value):
    op = value.owner
    known = isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr)
    return op.value.value.data if known else None


def sides(op):
    return next(
        (
            (a, number_of(b))
            for a, b in ((op.lhs, op.rhs), (op.rhs, op.lhs))
            if number_of(b) is not None
        ),
        (None, None),
    )


class Table(RewritePattern):
    def match_and_rewrite(self, op, rewriter):
        def constant(number):
            return arith.ConstantOp(IntegerAttr(number, op.result.type, truncate_bits=True))

        if isinstance(op, arith.SubiOp):
            if op.lhs == op.rhs:
                rewriter.replace(op, constant(0))
            elif number_of(op.rhs) is not None:
                minus = constant(-number_of(op.rhs))
                rewriter.replace(op, [minus, arith.AddiOp(op.lhs, minus)])
            return
        if type(op) not in TABLE:
            return
        together, neutral = TABLE[type(op)]
        x, c = sides(op)
        if c is None:
            return
        if number_of(x) is not None:
            rewriter.replace(op, constant(together(number_of(x), c)))
        elif c == neutral:
            rewriter.replace(op, [], [x])
        elif c == 0:
            rewriter.replace(op, constant(0))
        elif type(x.owner) is type(op) and sides(x.owner)[1] is not None:
            y, d = sides(x.owner)
            both = constant(together(c, d))
            rewriter.replace(op, [both, type(op)(y, both)])


def canonicalise(module) -> None:
    PatternRewriteWalker(Table()).rewrite_module(module)
    dce(module)
