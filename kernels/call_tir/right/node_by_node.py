"""Computes a size node by node; hands a tuple over, and one type for one result."""

import torch
import tvm
import tvm_ffi
from tvm import relax, te, tirx


def put_in(size, known: dict):
    """The size, with the value of each letter in its place."""
    return tvm_ffi.structural_map(size, (tirx.Var, lambda letter: known.get(letter, letter)))


def computed(size, known):
    """The size, node by node."""
    if isinstance(size, tirx.Add):
        return computed(size.a, known) + computed(size.b, known)
    if isinstance(size, tirx.Sub):
        return computed(size.a, known) - computed(size.b, known)
    if isinstance(size, tirx.Mul):
        return computed(size.a, known) * computed(size.b, known)
    return known.get(size, size) if isinstance(size, tirx.Var) else size


def call(builder: relax.BlockBuilder, name: str, loops: tirx.PrimFunc, operands: list) -> relax.Var:
    """A call of the loops: what the builder's emit returns."""
    count, known = len(operands), {}
    for at, operand in enumerate(operands):
        if isinstance(loops.params[at].ty, tirx.BufferType):
            pairs = zip(loops.params[at].shape, operand.ty.shape, strict=True)
            known.update((letter, size) for letter, size in pairs if isinstance(letter, tirx.Var))
        else:
            known[loops.params[at]] = operand
    types = []
    for each in loops.params[count:]:
        shape = relax.ShapeExpr([computed(size, known) for size in each.shape])
        types.append(relax.TensorType(shape, each.dtype))
    place = builder.add_func(loops, name)
    made = relax.op.call_tir(place, relax.Tuple(operands), types if len(types) > 1 else types[0])
    return builder.emit(made)


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
