"""A list of work: readers of what was moved are looked at again."""

from collections import deque

from xdsl.dialects import arith, scf


def harmless(op):
    if isinstance(op, arith.DivSIOp | arith.RemSIOp | arith.FloorDivSIOp):
        by = op.rhs.owner
        return isinstance(by, arith.ConstantOp) and by.value.value.data not in (0, -1)
    return op.dialect_name() == "arith"


def empty(loop):
    work = deque(loop.body.block.ops)
    while work:
        op = work.popleft()
        if op.parent is not loop.body.block or not harmless(op):
            continue
        if any(loop.is_ancestor(value.owner) for value in op.operands):
            continue
        op.detach()
        loop.parent.insert_op_before(op, loop)
        work.extend(use.operation for result in op.results for use in result.uses)


def hoist(module):
    for loop in [op for op in module.walk() if isinstance(op, scf.ForOp)][::-1]:
        empty(loop)
