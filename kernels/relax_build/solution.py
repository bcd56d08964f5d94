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
    builder = relax.BlockBuilder()
    # One variable for each letter, wherever it stands: so x[n,8] and y[n,8] have equal sizes.
    letters = {each for sizes in inputs.values() for each in sizes if isinstance(each, str)}
    unknown = {each: tvm.tirx.Var(each, "int64") for each in letters}
    values = {}
    for name, sizes in inputs.items():
        known = [unknown.get(size, size) for size in sizes]
        values[name] = relax.Var(name, relax.TensorType(known, "float32"))
    with builder.function("main", list(values.values())):
        with builder.dataflow():
            for name, operation, operands in lines:
                read_by_it = [
                    values[each] if each in values else relax.const(float(each), "float32")
                    for each in operands
                ]
                # A name may be set again: from here on it means the new variable.
                values[name] = builder.emit(OPERATIONS[operation](*read_by_it))
            found = [values[name] for name in results]
            # Only what is emitted as an output may be read outside the block.
            returned = builder.emit_output(found[0] if len(found) == 1 else relax.Tuple(found))
        builder.emit_func_output(returned)
    return builder.get()


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
