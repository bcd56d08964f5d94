"""A visitor that goes on into called functions."""

from collections import Counter

import torch
import tvm
from tvm import relax


def count_ops(module: tvm.IRModule) -> Counter:
    """How often each operation runs in one call of main."""
    counting = Counting(module)
    counting.visit_expr(module["main"])
    return counting.counts


@relax.expr_functor.visitor
class Counting(relax.PyExprVisitor):
    """Counts what one call of a function runs."""

    def __init__(self, module):
        super().__init__()
        self.module, self.counts = module, Counter()

    def visit_call_(self, call):
        if isinstance(call.op, tvm.ir.GlobalVar):
            self.visit_expr(self.module[call.op])
        elif call.op.name == "relax.call_tir":
            self.counts[call.args[0].name_hint] += 1
        else:
            self.counts[call.op.name.removeprefix("relax.")] += 1


def relax_count_ops(source: str, names: str) -> torch.Tensor:
    """The counts of these names, and the sum of all."""
    counts = count_ops(tvm.script.from_source(source))
    asked = [counts[name] for name in names.split()]
    return torch.tensor([*asked, sum(counts.values())])
