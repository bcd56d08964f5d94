"""Writes down once what each function runs itself; a matrix of calls says how often each runs."""

from collections import Counter

import torch
import tvm
from tvm import relax


def count_ops(module: tvm.IRModule) -> Counter:
    """How often each operation runs in one call of main."""
    functions = {
        each.name_hint: function
        for each, function in module.functions.items()
        if isinstance(function, relax.Function)
    }
    names = list(functions)
    calls = torch.zeros(len(names), len(names), dtype=torch.int64)
    own = []
    for row, function in enumerate(functions.values()):
        run = [what_runs(value) for value in relax.analysis.get_var2val(function).values()]
        own.append(Counter(name for kind, name in run if kind == "operation"))
        for kind, name in run:
            if kind == "function":
                calls[row, names.index(name)] += 1
    # A function runs as often as the functions that call it, one level of calls after another.
    level = torch.tensor([int(name == "main") for name in names])
    times = torch.zeros_like(level)
    while level.any():
        times += level
        level = (level[:, None] * calls).sum(0)
    counts = Counter()
    for often, operations in zip(times.tolist(), own, strict=True):
        for name, number in operations.items():
            counts[name] += often * number
    return counts


def what_runs(value) -> tuple:
    """Return what a binding runs: a function of Relax, an operation or nothing, and its name."""
    match value:
        case relax.Call(op=tvm.ir.GlobalVar() as called):
            return "function", called.name_hint
        case relax.Call(op=tvm.ir.Op(name="relax.call_tir"), args=args):
            return "operation", args[0].name_hint
        case relax.Call(op=tvm.ir.Op(name=name)):
            return "operation", name.removeprefix("relax.")
    return "nothing", ""


def relax_count_ops(source: str, names: str) -> torch.Tensor:
    """The counts of these names, and the sum of all."""
    counts = count_ops(tvm.script.from_source(source))
    asked = [counts[name] for name in names.split()]
    return torch.tensor([*asked, sum(counts.values())])
