"""Splits each body into what stays and what goes, by the set of values that stay."""

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.traits import ConstantLike

DIVIDES = {arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp}


def goes(op, staying) -> bool:
    if op.dialect_name() != "arith" or staying & set(op.operands):
        return False
    if type(op) not in DIVIDES:
        return True
    divisor = ConstantLike.get_constant_value(op.operands[1])
    return isinstance(divisor, IntegerAttr) and divisor.value.data not in {0, -1}


def depth(op) -> int:
    parent = op.parent_op()
    return 0 if parent is None else 1 + depth(parent)


def hoist(module: ModuleOp) -> None:
    for loop in sorted(
        (op for op in module.walk() if isinstance(op, scf.ForOp)), key=depth, reverse=True
    ):
        staying, going = set(loop.body.block.args), []
        for op in loop.body.block.ops:
            if goes(op, staying):
                going.append(op)
            else:
                staying |= set(op.results)
        for op in going:
            op.detach()
        loop.parent.insert_ops_before(going, loop)
