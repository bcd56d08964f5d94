from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation


def may_run_early(op: Operation) -> bool:
    """Say if the operation does no harm where it did not run before."""
    # Constants do none. Which others?
    return isinstance(op, arith.ConstantOp)


def is_invariant(op: Operation, loop: scf.ForOp) -> bool:
    """Say if all that the operation reads is computed outside of the loop."""
    raise NotImplementedError


def hoist(module: ModuleOp) -> None:
    """Move what each turn of a loop computes anew in front of the loop."""
    # One loop: the first that the walk meets.
    loop = next((op for op in module.walk() if isinstance(op, scf.ForOp)), None)
    if loop is None:
        return
    for op in list(loop.body.block.ops):
        if may_run_early(op) and is_invariant(op, loop):
            op.detach()
            loop.parent.insert_op_before(op, loop)
