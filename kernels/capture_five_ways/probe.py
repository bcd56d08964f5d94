"""Watches which captures a survey makes. Plain values only leave the learner's process."""

import inspect
import sys

import torch
from torch.fx.experimental.proxy_tensor import make_fx

CAPTURES = {
    "make_fx": make_fx,
    "symbolic_trace": torch.fx.Tracer.trace,
    "export": torch.export.export,
    "dynamo": torch.compile,
    "jit_trace": torch.jit.trace,
}
SOURCE = "def tripled(x):\n    return torch.tanh(x) * 3\n"


def probe(module, device):
    names = {inspect.unwrap(capture).__code__: name for name, capture in CAPTURES.items()}
    seen, backends, calls = set(), set(), []

    def watch(frame, event, arg):
        name = names.get(frame.f_code) if event == "call" else None
        if name is None:
            return
        seen.add(name)
        if name == "dynamo":
            backends.add(frame.f_locals.get("backend"))

    def counting(model=None, **settings):
        if model is None:
            return lambda model: counting(model, **settings)
        compiled = compile_by_dynamo(model, **settings)

        def call(*inputs):
            calls.append(inputs)
            return compiled(*inputs)

        return call

    x = torch.linspace(-1, 1, 6, device=device).reshape(3, 2)
    torch._dynamo.reset()
    compile_by_dynamo, torch.compile = torch.compile, counting
    sys.setprofile(watch)
    try:
        module.survey(SOURCE, x, x + 1)
    finally:
        sys.setprofile(None)
        torch.compile = compile_by_dynamo
    return {
        "seen": sorted(seen),
        "backends": sorted(b for b in backends if isinstance(b, str)),
        "calls_of_compiled": len(calls),
    }
