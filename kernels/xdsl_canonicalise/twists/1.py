"""A loop over all operations, again and again, until a round changes nothing."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.rewriter import Rewriter


def number_of(value):
    op = value.owner
    known = isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr)
    return op.value.value.data if known else None


def with_constant(op):
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if number_of(other) is not None:
            return value, number_of(other)
    return None, None


def put(op, value):
    """Let the readers of the operation read the value, and delete the operation."""
    op.result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def number_for(op, number):
    made = arith.ConstantOp(IntegerAttr(number, op.result.type, truncate_bits=True))
    op.parent.insert_op_before(made, op)
    return made.result


def sum_for(op, kind, value, number):
    made = kind(value, number_for(op, number))
    op.parent.insert_op_before(made, op)
    return made.result


def changed(op) -> bool:
    if isinstance(op, arith.SubiOp):
        if op.lhs == op.rhs:
            put(op, number_for(op, 0))
            return True
        c = number_of(op.rhs)
        if c is not None:
            put(op, sum_for(op, arith.AddiOp, op.lhs, -c))
        return c is not None
    if not isinstance(op, arith.AddiOp | arith.MuliOp):
        return False
    x, c = with_constant(op)
    if c is None:
        return False
    adds = isinstance(op, arith.AddiOp)
    if (d := number_of(x)) is not None:
        put(op, number_for(op, c + d if adds else c * d))
    elif c == (0 if adds else 1):
        put(op, x)
    elif c == 0:
        put(op, number_for(op, 0))
    elif type(x.owner) is type(op) and with_constant(x.owner)[1] is not None:
        y, d = with_constant(x.owner)
        put(op, sum_for(op, type(op), y, c + d if adds else c * d))
    else:
        return False
    return True


def is_dead(op):
    plain = op.name.startswith("arith.")
    return plain and not any(result.uses.get_length() for result in op.results)


def canonicalise(module) -> None:
    again = True
    while again:
        again = False
        for op in list(module.walk()):
            if is_dead(op):
                Rewriter.erase_op(op)
                again = True
            else:
                again |= changed(op)
