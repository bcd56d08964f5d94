"""Renames the function first and binds it alone; the example is of zeros, as large as may be."""

import torch
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program


def to_tvm(x: torch.Tensor):
    """A tensor of TVM: without gaps, and aligned as TVM wants it."""
    return tvm.runtime.from_dlpack(x.detach().contiguous().clone())


def to_relax(model: torch.nn.Module, example: tuple, axes: tuple, most: int) -> tvm.IRModule:
    """The model as Relax, for any batch from 1 to `most`."""
    batch = torch.export.Dim("b", min=1, max=most)
    wide, sizes = [], []
    for x, axis in zip(example, axes, strict=True):
        if axis is None:
            wide.append(x)
            sizes.append(None)
        else:
            shape = list(x.shape)
            shape[axis] = most
            wide.append(torch.zeros(shape, dtype=x.dtype, device=x.device))
            sizes.append([batch if at == axis else None for at in range(x.dim())])
    program = torch.export.export(model, tuple(wide), dynamic_shapes=sizes, strict=True)
    return from_exported_program(program, unwrap_unit_return_tuple=True)


def specialise(module: tvm.IRModule, sizes: tuple) -> tvm.IRModule:
    """The module, and in it one more function for each of the sizes."""
    functions = dict(module.functions.items())
    for size in sizes:
        name = f"main_{size}"
        renamed = tvm.IRModule({name: module["main"].with_attr("global_symbol", name)})
        letter = relax.analysis.defined_symbolic_vars(renamed[name])[0]
        bound = relax.transform.BindSymbolicVars({letter.name: size}, name)(renamed)
        functions[tvm.ir.GlobalVar(name)] = bound[name]
    return tvm.IRModule(functions)


def run(machine, inputs: tuple, axes: tuple, most: int, sizes: tuple) -> torch.Tensor:
    """The result of one call, by the function that fits."""
    at = next(at for at, axis in enumerate(axes) if axis is not None)
    batch = inputs[at].shape[axes[at]]
    if batch not in range(1, most + 1):
        raise ValueError(batch)
    names = {size: f"main_{size}" for size in sizes}
    result = machine[names.get(batch, "main")](*map(to_tvm, inputs))
    return torch.utils.dlpack.from_dlpack(result)


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
