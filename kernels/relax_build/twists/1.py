"""Writes TVMScript, and lets TVM read it."""

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
    newest = {name: name for name in inputs}
    rows = []
    for at, (name, operation, operands) in enumerate(lines):
        read_by_it = [
            newest[each] if each in newest else f'R.const({float(each)}, "float32")'
            for each in operands
        ]
        word = "R.nn.relu" if operation == "relu" else f"R.{operation}"
        newest[name] = f"v{at}"
        rows.append(f"v{at} = {word}({', '.join(read_by_it)})")
    found = [newest[name] for name in results]
    rows.append(f"out = {found[0]}" if len(found) == 1 else f"out = ({', '.join(found)})")
    given = ", ".join(
        f"{name}: R.Tensor(({', '.join(repr(s) for s in sizes)},), 'float32')"
        for name, sizes in inputs.items()
    )
    body = "".join(f"            {row}\n" for row in rows)
    return tvm.script.from_source(
        f"@I.ir_module\nclass Module:\n    @R.function\n    def main({given}):\n"
        f"        with R.dataflow():\n{body}            R.output(out)\n        return out\n"
    )


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
