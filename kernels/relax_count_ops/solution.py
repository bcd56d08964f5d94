from collections import Counter

import torch
import tvm
from tvm import relax


def count_ops(module: tvm.IRModule) -> Counter:
    """How often each operation runs in one call of main."""
    return count_in(module, module["main"])


def count_in(module: tvm.IRModule, function: relax.Function) -> Counter:
    """How often each operation runs in one call of a function."""
    counts = Counter()

    def visit(expression):
        if not isinstance(expression, relax.Call):
            return
        called = expression.op
        if isinstance(called, tvm.ir.GlobalVar):
            # The visitor sees the call, and not what is behind it. Each call runs all of it again.
            counts.update(count_in(module, module[called]))
        elif called.name == "relax.call_tir":
            # What is run is the function of loops, which the first argument names.
            counts[expression.args[0].name_hint] += 1
        else:
            counts[called.name.removeprefix("relax.")] += 1

    relax.analysis.post_order_visit(function, visit)
    return counts


def relax_count_ops(source: str, names: str) -> torch.Tensor:
    """The counts of these names, and the sum of all."""
    counts = count_ops(tvm.script.from_source(source))
    asked = [counts[name] for name in names.split()]
    return torch.tensor([*asked, sum(counts.values())])
