"""Compiles functions with the learner's backend and keeps what it noted. Plain values only leave it."""

import copy

import torch
from torch.utils._python_dispatch import TorchDispatchMode


def probe(module, device):
    found = {"watched": _plain(module.log)}  # what the calls of `watch` have left
    for name, given in (("methods", _methods), ("breaks", _breaks), ("sizes", _sizes),
                        ("integers", _integers)):  # fmt: skip
        function, calls = given()
        found[name] = _noted(module, function, calls)
    found["training"] = _training(module)
    found["written"] = _written(module)
    found["ran"], found["as_is"], found["called"], found["handed"] = _run_as_it_is(module)
    found["watch"] = _what_watch_returns(module)
    return found


def _written(module):
    """Whether a function that writes to its argument has written to it."""
    torch._dynamo.reset()
    x = torch.ones(3)
    torch.compile(lambda x: x.mul_(2), backend=module.backend)(x)
    return x.tolist() == [2.0, 2.0, 2.0]


class Operators(TorchDispatchMode):
    """Notes the operators that arrive while it is on."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


def _run_as_it_is(module):
    """Operators that arrive while the backend's callable runs, and while the graph itself does; which
    functions of the graph it calls (the name, and whether a compiler is at work) in a run before, as a
    compiler may give way to the mode that notes operators; and what the log gains before any run."""
    ran, as_is, called, seen, handed = Operators(), Operators(), [], [], []

    def telling(function):
        def tell(*args, **kwargs):
            called.append((function.__name__, torch.compiler.is_compiling()))
            return function(*args, **kwargs)

        tell.__name__ = function.__name__
        return tell

    def backend(graph, inputs):
        given = torch.fx.GraphModule(graph, copy.deepcopy(graph.graph))
        for node in graph.graph.nodes:
            if node.op == "call_function":
                node.target = telling(node.target)
        graph.recompile()
        known = len(module.log)
        run = module.backend(graph, inputs)
        handed.extend(_plain(module.log[known:]))

        def both(*args):
            called.clear()
            got = run(*args)
            seen.extend(called)
            with as_is:
                given.forward(*args)
            with ran:
                run(*args)
            return got

        return both

    torch._dynamo.reset()
    torch.compile(lambda x: (torch.nn.functional.silu(x) * 2 - x.exp()).T, backend=backend)(
        torch.linspace(-1, 1, 12).reshape(3, 4)
    )
    return ran.names[:100], as_is.names, seen[:100], handed


def _what_watch_returns(module):
    """Whose numbers `watch` returns once the weights of `model` are doubled and, where it compiles
    with the `backend` of the file, what the backend's callable returns is larger by 1; "cleared",
    where a record that stood in the log is gone."""
    ran, given = [], module.backend
    x, earlier = torch.linspace(-1, 1, 48).reshape(3, 16), {"ops": [], "inputs": [], "runs": 0}
    module.log.append(earlier)

    def larger(graph, inputs):
        run = given(graph, inputs)

        def by_one(*args):
            ran.append(True)
            return [each + 1 for each in run(*args)]

        return by_one

    torch._dynamo.reset()
    module.backend = larger
    with torch.no_grad():
        module.model.w.mul_(2)
    try:
        got = module.watch(x).detach()
        plain = module.model(x).detach()
    finally:
        module.backend = given
        with torch.no_grad():
            module.model.w.div_(2)
        torch._dynamo.reset()
    if not any(each is earlier for each in module.log):
        return "cleared"
    if torch.allclose(got, plain + 1 if ran else plain, atol=1e-5):
        return "compiled"
    return "eager" if torch.allclose(got, plain, atol=1e-5) else "other"


def _noted(module, function, calls):
    """The log after the calls, with its state before the first run."""
    torch._dynamo.reset()
    module.log.clear()
    compiled = torch.compile(function, backend=module.backend)
    for arguments in calls:
        compiled(*arguments)
    return _plain(module.log)


def _plain(log):
    """Records as plain values; anything else as its type."""
    out = []
    for record in copy.copy(log):
        if not isinstance(record, dict):
            out.append({"type": type(record).__name__})
            continue
        shown = {}
        for key in ("ops", "inputs", "runs"):
            value = record.get(key)
            if isinstance(value, list):
                value = [v if isinstance(v, str) else type(v).__name__ for v in value]
            elif value is not None and type(value) is not int:
                value = type(value).__name__
            shown[key] = value
        kept = record.keys() - shown.keys()
        out.append(shown | {"more": {str(key): type(record[key]).__name__ for key in kept}})
    return out


def _methods():
    def function(x):
        return x.exp().clamp(min=2).exp().mul_(3) - torch.tanh(torch.tanh(x))

    return function, [(torch.ones(3, 4),)] * 2


def _breaks():
    def function(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos() + 1

    return function, [(torch.ones(2, 3),)] * 3


def _sizes():
    return (lambda x: x * x.shape[0]), [(torch.ones(n, 4),) for n in (5, 6, 7)]


def _integers():
    return (lambda x, i: x[i]), [(torch.ones(9), torch.arange(5))]


def _training(module):
    torch._dynamo.reset()
    module.log.clear()
    w = torch.linspace(-1, 1, 6, requires_grad=True)
    torch.compile(lambda w: (w.sin() * w).sum(), backend=module.backend)(w).backward()
    if w.grad is None:
        return {"grad": False}
    want = w.detach().cos() * w.detach() + w.detach().sin()
    return {"grad": bool(torch.allclose(w.grad, want)), "graphs": len(module.log)}
