import torch
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program


def to_tvm(x: torch.Tensor):
    """A tensor of TVM: without gaps, and aligned as TVM wants it."""
    return tvm.runtime.from_dlpack(x.detach().contiguous().clone())


def to_relax(model: torch.nn.Module, example: tuple, axes: tuple, most: int) -> tvm.IRModule:
    """The model as Relax, for any batch from 1 to `most`."""
    # One object for all inputs: so the program says that their batches are equal.
    batch = torch.export.Dim("batch", min=1, max=most)
    sizes = tuple(None if axis is None else {axis: batch} for axis in axes)
    # An example with a batch of 1 would make the export take the size for the number 1.
    wide = tuple(
        x if axis is None else x.index_select(axis, torch.tensor([0, 0]))
        for x, axis in zip(example, axes, strict=True)
    )
    program = torch.export.export(model, wide, dynamic_shapes=sizes)
    return from_exported_program(program, unwrap_unit_return_tuple=True)


def specialise(module: tvm.IRModule, sizes: tuple) -> tvm.IRModule:
    """The module, and in it one more function for each of the sizes."""
    functions = {place.name_hint: function for place, function in module.functions.items()}
    (letter,) = relax.analysis.defined_symbolic_vars(module["main"])
    for size in sizes:
        bound = relax.transform.BindSymbolicVars({letter: size}, "main")(module)["main"]
        functions[f"main_{size}"] = bound.with_attr("global_symbol", f"main_{size}")
    return tvm.IRModule(functions)


def run(machine, inputs: tuple, axes: tuple, most: int, sizes: tuple) -> torch.Tensor:
    """The result of one call, by the function that fits."""
    batch = next(x.shape[a] for x, a in zip(inputs, axes, strict=True) if a is not None)
    # TVM keeps the bounds as attributes, and compares no call with them.
    if not 1 <= batch <= most:
        raise ValueError(f"a batch of {batch} is not within 1 and {most}")
    name = f"main_{batch}" if batch in sizes else "main"
    return torch.from_dlpack(machine[name](*map(to_tvm, inputs)))


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
