"""Makes each node by hand: bindings, a block, a function."""

import torch
import tvm
from tvm import relax

OPERATIONS = {
    "exp": relax.op.exp,
    "tanh": relax.op.tanh,
    "relu": relax.op.nn.relu,
    "add": relax.op.add,
    "multiply": relax.op.multiply,
    "matmul": relax.op.matmul,
}


def build(inputs: dict, lines: list, results: list) -> tvm.IRModule:
    """The program as a module of Relax."""
    sizes = [size for given in inputs.values() for size in given if isinstance(size, str)]
    unknown = {size: tvm.tirx.Var(size, "int64") for size in dict.fromkeys(sizes)}
    newest = {
        name: relax.Var(name, relax.TensorType([unknown.get(s, s) for s in given], "float32"))
        for name, given in inputs.items()
    }
    parameters = list(newest.values())
    typing = relax.BlockBuilder()  # infers the type of a call, and builds nothing
    bindings = []

    def bind(kind, name, value):
        bindings.append(relax.VarBinding(kind(name, value.ty), value))
        return bindings[-1].var

    for at, (name, operation, operands) in enumerate(lines):
        given = [
            newest[each] if each in newest else relax.const(float(each), "float32")
            for each in operands
        ]
        call = typing.normalize(OPERATIONS[operation](*given))
        newest[name] = bind(relax.DataflowVar, f"v{at}", call)
    # A variable that is none of dataflow is what leaves the block.
    found = {name: bind(relax.Var, name, newest[name]) for name in dict.fromkeys(results)}
    returned = [found[name] for name in results]
    whole = typing.normalize(relax.Tuple(returned)) if len(returned) > 1 else returned[0]
    body = relax.SeqExpr([relax.DataflowBlock(bindings)], whole)
    main = relax.Function(parameters, body, whole.ty).with_attr("global_symbol", "main")
    return relax.transform.Normalize()(tvm.IRModule({"main": main}))


def read(program: str) -> tuple:
    """The inputs with their sizes, the lines, the results."""
    first, *rows, last = program.strip().splitlines()
    inputs = {}
    for word in first.split()[1:]:
        name, sizes = word.rstrip("]").split("[")
        inputs[name] = [int(s) if s.isdigit() else s for s in sizes.split(",")]
    lines = [(row.split()[0], row.split()[2], row.split()[3:]) for row in rows]
    return inputs, lines, last.split()[1:]


def run(module: tvm.IRModule, given: list) -> list:
    """The results of main, as tensors of PyTorch."""
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tvm.cpu())
    moved = [tvm.runtime.from_dlpack(x.contiguous().clone()) for x in given]
    result = machine["main"](*moved)
    single = isinstance(result, tvm.runtime.Tensor)
    return [torch.from_dlpack(each) for each in ([result] if single else result)]


def relax_build(program: str, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """All results of a program, one behind the other."""
    results = run(build(*read(program)), [x, y])
    return torch.cat([each.flatten() for each in results])
