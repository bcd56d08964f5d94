"""Puts the bound functions in by a builder; the example is one row twice."""

import torch
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program


def to_tvm(x: torch.Tensor):
    """A tensor of TVM: without gaps, and aligned as TVM wants it."""
    return tvm.runtime.from_dlpack(x.detach().contiguous().clone())


def to_relax(model: torch.nn.Module, example: tuple, axes: tuple, most: int) -> tvm.IRModule:
    """The model as Relax, for any batch from 1 to `most`."""
    batch = torch.export.Dim("batch", min=1, max=most)

    def rows(x, axis):
        return x if axis is None else torch.stack([x.select(axis, 0)] * 2, axis)

    program = torch.export.export(
        model,
        tuple(map(rows, example, axes)),
        dynamic_shapes=tuple({} if a is None else {a: batch} for a in axes),
    )
    return from_exported_program(program, unwrap_unit_return_tuple=True)


def specialise(module: tvm.IRModule, sizes: tuple) -> tvm.IRModule:
    """The module, and in it one more function for each of the sizes."""
    builder = relax.BlockBuilder(tvm.IRModule(dict(module.functions.items())))
    for size in sizes:
        letters = relax.analysis.defined_symbolic_vars(module["main"])
        bound = module["main"].bind_symbolic_vars(dict.fromkeys(letters, size))
        builder.add_func(bound.with_attr("global_symbol", f"main_{size}"), f"main_{size}")
    return builder.get()


def run(machine, inputs: tuple, axes: tuple, most: int, sizes: tuple) -> torch.Tensor:
    """The result of one call, by the function that fits."""
    found = {x.shape[a] for x, a in zip(inputs, axes, strict=True) if a is not None}
    batch = max(found)
    if not 0 < batch < most + 1:
        raise ValueError(f"{batch} rows")
    name = "main" + f"_{batch}" * (batch in sizes)
    return torch.from_dlpack(machine[name](*[to_tvm(x) for x in inputs]))


class Layer(torch.nn.Module):
    """What symbolic_batch runs."""

    def forward(self, x, weight, y):
        return torch.tanh(x @ weight) * y


def symbolic_batch(x, weight, y, batch, most, sizes):
    """tanh(x @ weight) * y by TVM; x and y have a batch. Leave this as it is."""
    axes, model = (0, None, 0), Layer().eval()
    module = to_relax(model, (x[:batch], weight, y[:batch]), axes, most)
    built = tvm.compile(specialise(module, sizes), target="llvm")
    return run(relax.VirtualMachine(built, tvm.cpu()), (x, weight, y), axes, most, sizes)
