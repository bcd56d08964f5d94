"""Looks at the modules that the learner's `call` makes. Plain values only leave the process."""

import re

import tvm_ffi
from tvm import relax, tirx

PROGRAMS = {  # name: program, the sizes of its results in TVM's words
    "a turned matrix": (
        "inputs x[n,m] y[n]\ndef turn a[n,m] -> float32[m,n] : a[j,i]\nt = turn x\nreturn t",
        "(m, n) float32",
    ),
    "loops that are called twice": (
        "inputs x[n] y[m]\ndef add a[p] b[p] -> float32[p] : a[i] + b[i]\n"
        "t = add x x\nu = add y y\nreturn t u",
        "(n,) float32, (m,) float32",
    ),
    "a number, and two results": (
        "inputs x[n,8] y[m]\n"
        "def part a[p,q] k b[r] -> int32[r,q] float32[p,k] : whole(a[0,j] * b[i]) ; a[i,j]\n"
        "t u = part x 3 y\nv w = part x m y\nreturn t u w",
        "(m, 8) int32, (n, 3) float32, (n, m) float32",
    ),
    "a line that nobody reads, and two equal lines": (
        "inputs x[n] y[m]\ndef pad a[p] -> float32[p+2] : a[i % p]\n"
        "def neg a[p] -> float32[p] : 0 - a[i]\nt = pad y\nu = neg x\nv = neg x\nw = pad v\nreturn u w",
        "(n,) float32, (n + 2,) float32",
    ),
}


def probe(module, device):
    return {name: seen(module, *each) for name, each in PROGRAMS.items()}


def refused(made):
    """What TVM says of a module that is not well formed; "" of one that is."""
    try:
        return "" if relax.analysis.well_formed(made) is not False else "it is not well formed"
    except ValueError as error:
        return str(error).strip().splitlines()[-1][-220:]


def worded(ty):
    """A tensor's type in few words."""
    found = re.search(r"Tensor\((\(.*\)), dtype=\"(\w+)\"", str(ty))
    return f"{found[1]} {found[2]}" if found else str(ty)


def seen(module, text, wanted):
    rows = text.splitlines()[1:-1]
    given = dict(module.loops_of(row) for row in rows if row.startswith("def "))
    lines = [row.split(" = ")[1].split() for row in rows if not row.startswith("def ")]
    made = module.build(text)
    main = made["main"]
    calls, operands, leaving = [], [], 0
    functions = {v.name_hint: f for v, f in made.functions.items() if isinstance(f, tirx.PrimFunc)}
    tensors = {parameter.name: parameter for parameter in main.params}
    for block in main.body.blocks:
        for binding in block.bindings:
            value = binding.value
            if not isinstance(binding, relax.VarBinding):
                calls.append("match_cast")
                continue
            leaving += not isinstance(binding.var, relax.DataflowVar)
            if not isinstance(value, relax.Call):
                if not isinstance(value, relax.Tuple | relax.TupleGetItem | relax.Var):
                    calls.append(type(value).__name__)
                continue
            if value.op.name != "relax.call_tir":
                calls.append(value.op.name)
                continue
            name = value.args[0].name_hint
            calls.append(name)
            words = lines[len(calls) - 1][1:] if len(calls) <= len(lines) else []
            same = len(words) == len(value.args[1].fields) and all(
                word not in tensors or tensors[word].same_as(field)
                for word, field in zip(words, value.args[1].fields, strict=True)
            )
            if not same:
                operands.append(name)
    fields = main.ret_ty.fields
    return {
        "calls": calls,
        "wanted calls": [words[0] for words in lines],
        "functions": len(made.functions) - 1,
        "wanted functions": len(given),
        "changed": [
            name
            for name, loops in given.items()
            if name not in functions
            or not tvm_ffi.structural_equal(
                functions[name].without_attr("global_symbol"), loops, map_free_vars=True
            )
        ],
        "operands": operands,
        "leaving": leaving,
        "refused": refused(made),
        "result": ", ".join(map(worded, fields)),
        "wanted result": wanted,
    }
