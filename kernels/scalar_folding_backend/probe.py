"""Gives graphs to the learner's `fold`, and asks whether the backend uses it. Plain values leave it."""

import torch
from torch.fx.experimental.proxy_tensor import make_fx

GRAPHS = {
    "x * 2 * 3": lambda x: x * 2 * 3,
    "x * 2 * 3 * 0.25 * 5": lambda x: x * 2 * 3 * 0.25 * 5,
    "x + 1 + 2 + 3": lambda x: x + 1 + 2 + 3,
    "x * 0.1 * 0.3": lambda x: x * 0.1 * 0.3,
    "x + 0.1 + 0.2": lambda x: x + 0.1 + 0.2,
    "x - 1 - 2": lambda x: x - 1 - 2,
    "x / 2 / 4": lambda x: x / 2 / 4,
    "x * 2 * 3 + 1 + 2": lambda x: x * 2 * 3 + 1 + 2,
    "x * 2 + 1 * 3 + 1": lambda x: (x * 2 + 1) * 3 + 1,
    "y = x * 2; y * 3 + y": lambda x: (x * 2) * 3 + x * 2,
    "y = x * 2; y * 3, y": lambda x: _twice(x * 2),
    "two tensors": lambda x: x * x * x,
    "alpha": lambda x: torch.add(torch.add(x, 3, alpha=2), 4),
    "alpha of the outer sum": lambda x: torch.add(torch.add(x, 3), 4, alpha=2),
    "1e30 * 1e30": lambda x: x * 1e30 * 1e30,
    "1e-30 * 1e-30": lambda x: x * 1e-30 * 1e-30,
    "1e-30 * -1e-30": lambda x: x * 1e-30 * -1e-30,
    "1e-30 * 1e-12": lambda x: x * 1e-30 * 1e-12,
    "3e38 + 3e38": lambda x: x + 3e38 + 3e38,
    "1e-50 + 2e-50": lambda x: x + 1e-50 + 2e-50,
    "times 0": lambda x: x * 0 * 5,
    "back to nothing": lambda x: x + 2 + -2,
    "times one": lambda x: (x * 1).sin() * x,
    "around a sine": lambda x: (x * 2 * 3).sin() * 2 * 3,
}
X = torch.linspace(-2, 2, 9)


def _twice(y):
    return y * 3, y


def probe(module, device):
    found = {"graphs": {name: _folded(module, f) for name, f in GRAPHS.items()}}
    seen, fold = [], module.fold

    def counting(graph):
        seen.append(len(graph.graph.nodes))
        return fold(graph)

    module.fold = counting
    module.run(X, "x * 2 * 3 * x.sin()")
    module.fold = fold
    found["uses"] = len(seen)
    found["runs"] = _runs_what_it_folds(module)
    return found


def _runs_what_it_folds(module):
    """Say if the backend's results are twice as large where `fold` doubles them in the graph."""
    fold, graphs = module.fold, []

    def doubling(graph):
        out = fold(graph)
        if not graphs:  # the forward graph
            graphs.append(out)
            (output,) = out.graph.find_nodes(op="output")
            with out.graph.inserting_before(output):
                twice = out.graph.call_function(
                    torch.ops.aten.mul.Tensor, (output.args[0][0], 2.0)
                )
            output.args = ((twice, *output.args[0][1:]),)
            out.recompile()
        return out

    module.fold = doubling
    try:
        got = module.run(X, "x * 2 * 3 + x.sin()")[0]
    except Exception:
        return True  # what stops it is told by the cases
    finally:
        module.fold = fold
    return not graphs or bool(torch.allclose(got, 2 * (X * 6 + X.sin()), atol=1e-4))


def _folded(module, function):
    """[calls left, whether values are as before, whether the graph is in order]"""
    graph = make_fx(function)(X)
    want = function(X)
    out = module.fold(graph)
    if out is not graph:
        same = isinstance(out, torch.fx.GraphModule)
        return {"type": "another GraphModule" if same else type(out).__name__}
    try:
        out.graph.lint()
        stale = out.graph.python_code("self").src != out.code
        got = out(X)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    pairs = zip(_parts(got), _parts(want), strict=True)
    same = all(torch.allclose(g, w, rtol=1e-5, equal_nan=True) for g, w in pairs)
    calls = sum(n.op == "call_function" for n in out.graph.nodes)
    x = next(n for n in out.graph.nodes if n.op == "placeholder")
    return {"calls": calls, "same": same, "readers": len(x.users), "stale": stale}


def _parts(value):
    return value if isinstance(value, tuple | list) else (value,)
