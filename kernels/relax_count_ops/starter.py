from collections import Counter

import torch
import tvm
from tvm import relax


def count_ops(module: tvm.IRModule) -> Counter:
    """How often each operation runs in one call of main."""
    counts = Counter()

    def visit(expression):
        if isinstance(expression, relax.Call):
            # Called: an operation, loops,
            # or another function.
            counts[str(expression.op.name)] += 1

    relax.analysis.post_order_visit(module["main"], visit)
    return counts


def relax_count_ops(source: str, names: str) -> torch.Tensor:
    """The counts of these names, and the sum of all."""
    counts = count_ops(tvm.script.from_source(source))
    asked = [counts[name] for name in names.split()]
    return torch.tensor([*asked, sum(counts.values())])
