"""Runs the learner's `to_relax` and `run` on four models, and `run` on modules of others.

Plain values only leave the process.
"""

import copy

import torch
from tvm import relax, tirx


class Two(torch.nn.Module):
    """Two linear layers."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(12, 10), torch.nn.Linear(10, 5)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class Normed(torch.nn.Module):
    """A batch norm that trains, and one that does not, whatever its model does."""

    def __init__(self):
        super().__init__()
        self.wide = torch.nn.Linear(12, 8)
        self.norm, frozen = torch.nn.BatchNorm1d(8), torch.nn.BatchNorm1d(8)
        self.tail = torch.nn.Sequential(frozen, torch.nn.Dropout(0.5))  # a part with parts
        for norm, mean in ((self.norm, 0.5), (frozen, -0.3)):
            norm.running_mean.fill_(mean)
            norm.running_var.fill_(2.0)

    def forward(self, x):
        return self.tail(self.norm(self.wide(x)))


class Several(torch.nn.Module):
    """Three results, one of them of integers."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(12, 6)

    def forward(self, x):
        y = self.inner(x)
        return torch.tanh(y), y.sum(-1), y.argmax(-1)


class Pair(torch.nn.Module):
    """Two inputs, no weights."""

    def forward(self, x, y):
        return torch.exp(x) * y


def probe(module, device):
    torch.manual_seed(7)
    x, y = torch.randn(9, 12), torch.randn(9, 12)
    wide = torch.randn(12, 9, requires_grad=True)
    tall = torch.randn(10, 12)
    training = Normed()
    training.tail[0].eval()
    return {
        "two linear layers in eval mode": tried(module, Two().eval(), (x,), again=True),
        "two batch norms and a dropout, in training but for one batch norm": tried(
            module, training, (x,)
        ),
        "a linear layer with three results, in training": tried(module, Several(), (x,)),
        "two inputs that are views, without weights": tried(
            module, Pair(), (wide.t(), tall[1:]), (x, y)
        ),
        "a tuple of one": one_in_a_tuple(module, x),
    }


def tried(module, model, inputs, example=None, again=False):
    """What `to_relax` makes of a model, and what `run` computes with it; `again` with another main."""
    right = copy.deepcopy(model).eval()(*inputs)
    right = [each.detach() for each in (right if isinstance(right, tuple) else (right,))]
    modes = [part.training for part in model.modules()]
    made = module.to_relax(model, example or inputs)
    kept = modes == [part.training for part in model.modules()]
    functions = sorted(each.name_hint for each in made.functions)
    lowered = [n for n in functions if isinstance(made[n], tirx.PrimFunc)]
    if "main" not in functions:
        return {"functions": functions}
    main = made["main"]
    return {
        "functions": functions,
        "lowered": lowered + lowered_calls(main),
        "parameters": [str(each) for each in main.params],
        "inputs": len(inputs),
        "tuple": fields_of(main.ret_ty),
        "results": len(right),
        "modes kept": kept,
        **compared(module.run(made, inputs), right),
        "exchanged": exchanged(module, made, *inputs) if again else None,
    }


def fields_of(kind):
    """The number of fields of a type that is a tuple; 0 for any other."""
    return len(kind.fields) if hasattr(kind, "fields") else 0


def lowered_calls(main):
    """The calls of `main` that are no operation of Relax on tensors."""
    found = []

    def visit(each):
        if isinstance(each, relax.Call):
            name = str(getattr(each.op, "name", each.op))
            if name in ("relax.call_tir", "relax.call_dps_packed") or not name.startswith("relax."):
                found.append(name)

    relax.analysis.post_order_visit(main.body, visit)
    return found


def compared(got, right):
    """How a list of results differs from the right one."""
    kinds = [type(each).__name__ for each in got] if isinstance(got, list) else []
    if not isinstance(got, list) or not all(isinstance(each, torch.Tensor) for each in got):
        return {"got": type(got).__name__, "kinds": kinds, "count": -1, "off": 0.0}
    shapes = [each.shape for each in got]
    if shapes != [each.shape for each in right]:
        same = len(got) == len(right)
        return {"got": "list", "kinds": kinds, "count": len(got), "off": float(same)}
    for one, other in zip(got, right, strict=True):
        if one.dtype != other.dtype:
            return {
                "got": "list",
                "kinds": [str(one.dtype), str(other.dtype)],
                "count": -2,
                "off": 0.0,
            }
    off = max(float((a - b).abs().max()) for a, b in zip(got, right, strict=True))
    return {"got": "list", "kinds": kinds, "count": len(got), "off": off}


def exchanged(module, made, x):
    """`run` of a module again, after its `main` has got the weights of another model."""
    from tvm.relax.frontend.torch import from_exported_program

    model = Two().eval()
    other = from_exported_program(torch.export.export(model, (x,)), unwrap_unit_return_tuple=True)
    made.update_func(made.get_global_var("main"), other["main"])
    return compared(module.run(made, (x,)), [model(x).detach()])


def one_in_a_tuple(module, x):
    """`run` of a module that another imported, with a tuple of one."""
    from tvm.relax.frontend.torch import from_exported_program

    model = Two().eval()
    made = from_exported_program(torch.export.export(model, (x,)))
    return compared(module.run(made, (x,)), [model(x).detach()])
