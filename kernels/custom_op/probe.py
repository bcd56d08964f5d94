"""Looks at the learner's operator, in the learner's process. Plain values only leave it."""

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._python_dispatch import TorchDispatchMode

NAME = "tutor::row_norm"


def probe(module, device):
    operators = getattr(torch.ops, "tutor", None)
    found = {"registered": hasattr(operators, "row_norm")}
    if not found["registered"]:
        return found
    x = torch.linspace(-2, 2, 15, device=device).reshape(5, 3)
    found["kept"] = _kept(module)
    found["asked"], found["returned"] = _asked(module, x)
    found |= _compiled(module, x)
    if found.get("operators") != [NAME]:
        return found
    called = [_calls_it(module, t) for t in (x.clone(), x.clone().requires_grad_())]
    found["called"], found["called_for_gradient"] = called
    found["fakes"] = [_fake(each) for each in (x, x.T, x[:2], x[:0])]
    found["fixed_rows"] = _fixed_rows(x)
    found |= _gradient(module, x.clone())
    if found.get("slope_right"):
        found |= _checked(x)
    return found


def _kept(module):
    """Say if `norm_rows` is still there and gives what the starter's gives, to the last bit."""
    values = np.linspace(-3, 2, 35, dtype=np.float32).reshape(5, 7)
    try:
        got = module.norm_rows(values)
    except Exception:
        return 0
    want = np.sqrt((values * values).sum(axis=1))
    return int(type(got) is np.ndarray and got.dtype == want.dtype and np.array_equal(got, want))


def _asked(module, x):
    """Say of a call of the operator, and of `row_norm`, if it returns what the library's routine gives:
    here, twice the norm."""
    given, calls = module.norm_rows, []

    def counted(values):
        calls.append(1)
        return 2 * given(values)

    module.norm_rows = counted
    try:
        got = torch.ops.tutor.row_norm.default(x).detach()
        returned = [module.row_norm(t).detach() for t in (x.clone(), x.clone().requires_grad_())]
    except Exception:
        return 1, 1  # what stops it is told by what follows
    finally:
        module.norm_rows = given
    twice = 2 * x.detach().norm(dim=1)
    right = [torch.allclose(each, twice, rtol=1e-4) for each in (got, *returned)]
    return int(bool(calls) and right[0]), int(all(right[1:]))


class Operators(TorchDispatchMode):
    """Notes the operators that arrive while it is on."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.add(func._schema.name)
        return func(*args, **(kwargs or {}))


def _calls_it(module, x):
    """Tell if `row_norm(x)`, not compiled, calls the operator."""
    try:
        with Operators() as seen:
            module.row_norm(x)
    except Exception:
        return True  # what stops it is told by what follows
    return NAME in seen.names


def _compiled(module, x):
    """Graphs of a function around the operator, and which registered operators they call."""
    graphs = []

    def keep(graph, inputs):
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    try:
        torch.compile(lambda t: module.row_norm(t * 2) + 1, backend=keep)(x)
    except Exception as error:
        return {
            "graphs": 0,
            "error": str(error).partition("\n")[0][:200],
            "needs_fake": "fake impl" in str(error),
        }
    targets = [n.target for g in graphs for n in g.graph.nodes if n.op == "call_function"]
    names = {name for name in map(_operator_name, targets) if not name.startswith("aten::")}
    return {"graphs": len(graphs), "operators": sorted(names - {""})}


def _operator_name(target):
    """`namespace::name` of a registered operator, called with or without its overload; else ""."""
    if isinstance(target, torch._ops.OpOverload):
        return target._schema.name
    return getattr(target, "_qualified_op_name", "")


def _fake(x):
    """[given, (shape, dtype) of the fake output, (shape, dtype) of the real one], or an error."""
    operator = torch.ops.tutor.row_norm.default
    real = operator(x)
    try:
        with FakeTensorMode() as mode:
            fake = operator(mode.from_tensor(x))
        described = [list(fake.shape), str(fake.dtype)]
    except Exception as error:
        described = ["an error", str(error).partition("\n")[0][:120]]
    return [list(x.shape), described, [list(real.shape), str(real.dtype)]]


def _fixed_rows(x):
    """Return the fake output's number of rows for an x whose rows are a symbol; 0 if it stays one."""
    try:
        with FakeTensorMode(shape_env=ShapeEnv()) as mode:
            rows = torch.ops.tutor.row_norm.default(mode.from_tensor(x)).shape[0]
    except Exception:
        return 0  # what stops it is told by what follows
    return rows if isinstance(rows, int) else 0


def _gradient(module, x):
    x[3], x[4] = 0.0, 1e-12 * x[4]  # the derivative does not depend on how long a row is
    x.requires_grad_()
    weights = torch.tensor([1.0, -2.0, 0.5, 3.0, 0.25], device=x.device)
    try:
        (module.row_norm(x) * weights).sum().backward()
    except Exception as error:
        return {"gradient": "none", "error": str(error).partition("\n")[0][:200]}
    if x.grad is None:
        return {"gradient": "none", "error": "the result does not lead back to x"}
    exact = x.detach().double().requires_grad_()
    (torch.linalg.vector_norm(exact, dim=1) * weights.double()).sum().backward()
    if list(x.grad.shape) != list(x.shape):
        return {"gradient": "shape", "error": f"{list(x.grad.shape)} for x of {list(x.shape)}"}
    off = (x.grad.double() - exact.grad).abs()
    row, column = divmod(int(torch.nan_to_num(off, nan=1e9).argmax()), 3)
    return {
        "gradient": "there",
        "zero_row": bool(torch.isnan(x.grad[3]).any()),
        "slope_right": bool((off < 1e-5).all()),
        "worst": [row, column, float(x.grad[row, column]), float(exact.grad[row, column])],
    }


def _checked(x):
    """Which of opcheck's tests fail on a contiguous input, a view and one that needs a gradient."""
    inputs = (x, x.T, x.clone().requires_grad_())
    failed = {}
    for each in inputs:
        results = torch.library.opcheck(
            torch.ops.tutor.row_norm.default, (each,), raise_exception=False
        )
        for name, result in results.items():
            if result != "SUCCESS":
                failed.setdefault(name, str(result).partition("\n")[0][:200])
    return {"failed": sorted(failed.items())}
