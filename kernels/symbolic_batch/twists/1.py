"""Lets the function bind its letter."""

import torch
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program


def to_tvm(x: torch.Tensor):
    """A tensor of TVM: without gaps, and aligned as TVM wants it."""
    return tvm.runtime.from_dlpack(x.detach().contiguous().clone())


def to_relax(model: torch.nn.Module, example: tuple, axes: tuple, most: int) -> tvm.IRModule:
    """The model as Relax, for any batch from 1 to `most`."""
    (batch,) = torch.export.dims("rows", min=1, max=most)
    wide, sizes = [], []
    for x, axis in zip(example, axes, strict=True):
        wide.append(x if axis is None else x.repeat_interleave(2, axis))
        sizes.append({} if axis is None else {axis: batch})
    # Twice the batch may be more than `most`: then two rows of it.
    wide = [
        x if a is None else x.index_select(a, torch.tensor([0, 1]))
        for x, a in zip(wide, axes, strict=True)
    ]
    program = torch.export.export(model, tuple(wide), dynamic_shapes=tuple(sizes))
    return from_exported_program(program, unwrap_unit_return_tuple=True)


def specialise(module: tvm.IRModule, sizes: tuple) -> tvm.IRModule:
    """The module, and in it one more function for each of the sizes."""
    wider, main = tvm.IRModule(dict(module.functions.items())), module["main"]
    letter = relax.analysis.defined_symbolic_vars(main)[0].name
    for size in sizes:
        bound = main.bind_symbolic_vars({letter: size})
        wider[f"main_{size}"] = bound.with_attr("global_symbol", f"main_{size}")
    return wider


def run(machine, inputs: tuple, axes: tuple, most: int, sizes: tuple) -> torch.Tensor:
    """The result of one call, by the function that fits."""
    (batch, *_) = [x.size(a) for x, a in zip(inputs, axes, strict=True) if a is not None]
    if batch < 1 or batch > most:
        raise ValueError(f"batch {batch}: 1 to {most} are possible")
    call = machine["main" if batch not in sizes else "main_" + str(batch)]
    return torch.from_dlpack(call(*[to_tvm(x) for x in inputs]))


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
