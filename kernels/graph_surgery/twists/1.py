"""Makes a new graph with a Transformer."""

import operator

import torch
import torch.nn.functional as F


class Changed(torch.fx.Transformer):
    def call_function(self, target, args, kwargs):
        if target in (torch.relu, F.relu):
            return super().call_function(F.silu, (*args, *kwargs.values())[:1], {})
        out = super().call_function(target, args, kwargs)
        return self.clamped(out) if target in (torch.matmul, operator.matmul) else out

    def call_method(self, target, args, kwargs):
        if target == "relu":
            return super().call_function(F.silu, args, {})
        return super().call_method(target, args, kwargs)

    def call_module(self, target, args, kwargs):
        called = self.fetch_attr(target)
        if isinstance(called, torch.nn.ReLU):
            return super().call_function(F.silu, args, {})
        out = super().call_module(target, args, kwargs)
        return self.clamped(out) if isinstance(called, torch.nn.Linear) else out

    def clamped(self, out):
        return super().call_function(torch.clamp, (out, -1.0, 1.0), {})


def operate(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace each ReLU by SiLU, and clamp each matrix product."""
    new = Changed(module).transform()
    new.delete_all_unused_submodules()
    return new


def run(x: torch.Tensor, source: str) -> torch.Tensor:
    """Operate on a text's class `Net` and run it on x. Leave it as is."""
    names = {"torch": torch, "F": F}
    exec(source, names)
    return operate(torch.fx.symbolic_trace(names["Net"]()))(x)
