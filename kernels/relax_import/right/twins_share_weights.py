"""Makes a tree of twins that share the weights; hands the inputs over one call before main."""

import copy

import torch
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program


def to_tvm(x: torch.Tensor):
    """A tensor of TVM: without gaps, and aligned as TVM wants it."""
    return tvm.runtime.from_dlpack(x.detach().contiguous().clone())


def twin_of(part: torch.nn.Module) -> torch.nn.Module:
    """A module in eval mode with the same weights, and with a twin of each of its parts."""
    twin = copy.copy(part)
    twin.training = False
    # A new dictionary: the shallow copy has that of the module itself.
    twin._modules = {
        name: None if each is None else twin_of(each) for name, each in part._modules.items()
    }
    return twin


def to_relax(model: torch.nn.Module, example: tuple) -> tvm.IRModule:
    """The model in eval mode as Relax: its weights inside."""
    program = torch.export.export(twin_of(model), example)
    return from_exported_program(
        program, unwrap_unit_return_tuple=len(program.graph_signature.user_outputs) == 1
    )


def run(module: tvm.IRModule, inputs: tuple) -> list:
    """The results of `main`, as tensors of PyTorch."""
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tvm.cpu())
    machine.set_input("main", *(to_tvm(x) for x in inputs))
    machine.invoke_stateful("main")
    result = machine.get_outputs("main")
    results = result if isinstance(result, tuple | list) else (result,)
    return list(map(torch.from_dlpack, results))


class Layer(torch.nn.Module):
    """What relax_import runs."""

    def __init__(self, weight, bias):
        super().__init__()
        self.weight = torch.nn.Parameter(weight.clone())
        self.bias = torch.nn.Parameter(bias.clone())

    def forward(self, x):
        return torch.relu(x @ self.weight + self.bias)


def relax_import(x, weight, bias):
    """relu(x @ weight + bias) by TVM. Leave this as it is."""
    module = to_relax(Layer(weight, bias), (x,))
    return run(module, (x,))[0]
