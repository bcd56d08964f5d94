"""Collects pairs of letters and sizes; normalises the call before it emits it."""

import torch
import tvm
import tvm_ffi
from tvm import relax, te, tirx


def put_in(size, known: dict):
    """The size, with the value of each letter in its place."""
    return tvm_ffi.structural_map(size, (tirx.Var, lambda letter: known.get(letter, letter)))


def stands_for(parameter, operand) -> list:
    """Pairs of a letter of the loops and what stands for it."""
    if not hasattr(parameter, "shape"):
        return [(parameter, operand)]
    pairs = zip(parameter.shape, operand.ty.shape.values, strict=True)
    return [pair for pair in pairs if type(pair[0]) is tirx.Var]


def call(builder: relax.BlockBuilder, name: str, loops: tirx.PrimFunc, operands: list) -> relax.Var:
    """A call of the loops: what the builder's emit returns."""
    place, types = builder.add_func(loops, name), []
    *read, last = loops.params
    read = [*read, last][: len(operands)]
    pairs = [pair for both in zip(read, operands, strict=True) for pair in stands_for(*both)]
    for at in range(len(operands), len(loops.params)):
        shape = []
        for size in loops.params[at].shape:
            shape.append(put_in(size, dict(pairs)))
        types.append(relax.TensorType(relax.ShapeExpr(shape), loops.params[at].dtype))
    value = relax.op.call_tir(place, relax.Tuple(operands), types)
    return builder.emit(builder.normalize(value))


def loops_of(text: str) -> tuple:
    """The name and the loops of a line `def turn a[p,q] -> float32[q,p] : a[j,i]`."""
    head, bodies = text.removeprefix("def ").split(" : ")
    left, right = head.split(" -> ")
    name, *reads = left.split()
    letters = {each: te.var(each, "int64") for each in "abcdefghijklmnopqrstuvwxyz"}

    def sizes(word):
        inside = word.split("[")[1].rstrip("]")
        known = [eval(each, {}, dict(letters)) for each in inside.split(",")]
        return [tirx.IntImm("int64", s) if isinstance(s, int) else s for s in known]

    given = {}
    for word in reads:
        tensor = word.split("[")[0]
        given[tensor] = te.placeholder(sizes(word), name=tensor) if "[" in word else letters[tensor]
    seen = {**letters, **given, "whole": lambda value: value.astype("int32")}
    filled = []
    for at, (word, body) in enumerate(zip(right.split(), bodies.split(" ; "), strict=True)):
        rank = word.count(",") + 1
        element = eval(f"lambda {', '.join('ij'[:rank])}: {body}", dict(seen))
        filled.append(te.compute(sizes(word), element, name=f"out{at}"))
    function = te.create_prim_func([*given.values(), *filled])
    return name, function.without_attr("global_symbol")


def build(program: str) -> tvm.IRModule:
    """The program as a module of Relax. It calls `call` for each line."""
    first, *rows, last = program.strip().splitlines()
    letters, values, loops = {}, {}, {}
    for word in first.split()[1:]:
        name, inside = word.rstrip("]").split("[")
        sizes = [
            tirx.IntImm("int64", int(s))
            if s.isdigit()
            else letters.setdefault(s, tirx.Var(s, "int64"))
            for s in inside.split(",")
        ]
        values[name] = relax.Var(name, relax.TensorType(sizes, "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", list(values.values())):
        with builder.dataflow():
            for row in rows:
                if row.startswith("def "):
                    name, function = loops_of(row)
                    loops[name] = function
                    continue
                names, words = (part.split() for part in row.split(" = "))
                operands = [
                    values[w]
                    if w in values
                    else letters[w]
                    if w in letters
                    else tirx.IntImm("int64", int(w))
                    for w in words[1:]
                ]
                made = call(builder, words[0], loops[words[0]], operands)
                parts = [made] if len(names) == 1 else [made[at] for at in range(len(names))]
                values.update(zip(names, parts, strict=True))
            results = relax.Tuple([values[name] for name in last.split()[1:]])
            returned = builder.emit_output(results)
        builder.emit_func_output(returned)
    return builder.get()


def call_tir(program: str, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """All results of a program, one behind the other, as float32."""
    machine = relax.VirtualMachine(tvm.compile(build(program), "llvm"), tvm.cpu())
    moved = [tvm.runtime.from_dlpack(each.contiguous().clone()) for each in (x, y)]
    results = machine["main"](*moved)
    return torch.cat([torch.from_dlpack(each).flatten().float() for each in results])
