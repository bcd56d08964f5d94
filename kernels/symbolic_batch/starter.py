import torch
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program


def to_tvm(x: torch.Tensor):
    """A tensor of TVM: without gaps, and aligned as TVM wants it."""
    return tvm.runtime.from_dlpack(x.detach().contiguous().clone())


def to_relax(model: torch.nn.Module, example: tuple, axes: tuple, most: int) -> tvm.IRModule:
    """The model as Relax, for any batch from 1 to `most`."""
    # As it stands, each size is a number. Which are to
    # be unknown, and which of these are equal?
    program = torch.export.export(model, example)
    return from_exported_program(program, unwrap_unit_return_tuple=True)


def specialise(module: tvm.IRModule, sizes: tuple) -> tvm.IRModule:
    """The module, and in it one more function for each of the sizes."""
    # What is bound, in which function, and what is
    # the name of the result?
    return module


def run(machine, inputs: tuple, axes: tuple, most: int, sizes: tuple) -> torch.Tensor:
    """The result of one call, by the function that fits."""
    # Which batch is it, and who checks it?
    return torch.from_dlpack(machine["main"](*map(to_tvm, inputs)))


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
