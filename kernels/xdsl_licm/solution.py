from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

DIVISIONS = (arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp)


def may_run_early(op: Operation) -> bool:
    """Say if the operation does no harm where it did not run before."""
    if isinstance(op, DIVISIONS):
        divisor = op.rhs.owner
        return isinstance(divisor, arith.ConstantOp) and divisor.value.value.data not in (0, -1)
    # Operations on memory, loops and calls are of other dialects.
    return op.dialect_name() == "arith"


def is_invariant(op: Operation, loop: scf.ForOp) -> bool:
    """Say if all that the operation reads is computed outside of the loop."""
    # An argument of the loop's block has that block as owner, and the loop is an ancestor of it.
    return not any(loop.is_ancestor(operand.owner) for operand in op.operands)


def hoist(module: ModuleOp) -> None:
    """Move what each turn of a loop computes anew in front of the loop."""
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    # The walk meets an outer loop before those in it. From the inside out, an operation can leave
    # the inner loop first, and then the outer one.
    for loop in reversed(loops):
        for op in list(loop.body.block.ops):
            if may_run_early(op) and is_invariant(op, loop):
                op.detach()
                loop.parent.insert_op_before(op, loop)
