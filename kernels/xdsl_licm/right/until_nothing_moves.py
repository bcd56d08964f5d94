"""Looks for one operation that may move, moves it, and begins again; in whichever order."""

from xdsl.dialects import arith, scf
from xdsl.ir import Block


def defined_in(value, loop):
    """Say if the value is computed in the loop, at any depth."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent_block()
    while block is not None:
        op = block.parent_op()
        if op is loop:
            return True
        block = op.parent_block() if op is not None else None
    return False


def allowed(op):
    match op:
        case arith.DivSIOp() | arith.RemSIOp() | arith.FloorDivSIOp():
            match op.rhs.owner:
                case arith.ConstantOp(value=attribute):
                    return abs(2 * attribute.value.data + 1) > 1
            return False
        case _:
            return op.name.partition(".")[0] == "arith"


def find(module):
    for loop in module.walk():
        if isinstance(loop, scf.ForOp):
            for op in loop.body.block.ops:
                if allowed(op) and not any(defined_in(value, loop) for value in op.operands):
                    return op, loop
    return None


def hoist(module) -> None:
    while found := find(module):
        op, loop = found
        op.detach()
        loop.parent_block().insert_op_before(op, loop)
