"""By recursion: the regions inside come first, then the loops of this one."""

from xdsl.dialects import arith, scf


def harmless(op):
    if isinstance(op, arith.DivSIOp | arith.RemSIOp | arith.FloorDivSIOp):
        by = op.rhs.owner
        return isinstance(by, arith.ConstantOp) and by.value.value.data not in (0, -1)
    return op.dialect_name() == "arith"


def tidy(region):
    for block in region.blocks:
        for op in list(block.ops):
            for inner in op.regions:
                tidy(inner)
            if isinstance(op, scf.ForOp):
                empty(op)


def empty(loop):
    inside = set(loop.body.block.args)
    for op in list(loop.body.block.ops):
        if harmless(op) and not inside.intersection(op.operands):
            op.detach()
            loop.parent.insert_op_before(op, loop)
        else:
            inside.update(op.results)


def hoist(module):
    for region in module.regions:
        tidy(region)
