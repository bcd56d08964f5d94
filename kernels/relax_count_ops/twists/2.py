"""Walks the bindings; no visitor."""

from collections import Counter

import torch
import tvm
from tvm import relax


def count_ops(module: tvm.IRModule) -> Counter:
    """How often each operation runs in one call of main."""
    return count_in(module, module["main"])


def count_in(module: tvm.IRModule, function: relax.Function, times: int = 1) -> Counter:
    """How often each operation runs in so many calls of a function."""
    counts = Counter()
    values = [each.value for block in function.body.blocks for each in block.bindings]
    for call in (each for each in values if isinstance(each, relax.Call)):
        name = call.op.name_hint if hasattr(call.op, "name_hint") else call.op.name
        if isinstance(call.op, tvm.ir.GlobalVar):
            counts += count_in(module, module[name], times)
        elif name == "relax.call_tir":
            counts[call.args[0].name_hint] += times
        else:
            counts[name[len("relax.") :]] += times
    return counts


def relax_count_ops(source: str, names: str) -> torch.Tensor:
    """The counts of these names, and the sum of all."""
    counts = count_ops(tvm.script.from_source(source))
    asked = [counts[name] for name in names.split()]
    return torch.tensor([*asked, sum(counts.values())])
