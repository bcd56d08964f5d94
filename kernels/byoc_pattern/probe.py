"""Partitions programs by the learner's patterns, and runs them with an accelerator that counts its
calls. Plain values leave the process."""

import random

import torch
import tvm
from tvm import relax

LAYER = "a = R.matmul(x, w); c = R.add(a, b); out = R.nn.relu(c)"
SUM = "a = R.matmul(x, w); out = R.add(a, b)"
W = 'R.const([[1.0, -2.0, 3.0, 0.5], [0.0, 1.0, 2.0, -1.0], [2.0, 0.5, -1.0, 1.0]], "float32")'
DOUBLE = {"x": ((5, 8), "float64"), "w": ((8, 4), "float64"), "b": ((4,), "float64")}
PROGRAMS = {
    "a layer": (LAYER, {}),
    "a layer of other sizes": (LAYER, {"x": (1, 6), "w": (6, 7), "b": (7,)}),
    "a layer whose bias stands first": (
        "a = R.matmul(x, w); c = R.add(b, a); out = R.nn.relu(c)",
        {},
    ),
    "a layer whose bias is a constant": (
        'a = R.matmul(x, w); c = R.add(a, R.const([1.0, -2.0, 3.0, 0.5], "float32")); '
        "out = R.nn.relu(c)",
        {},
    ),
    "a layer whose w is a constant": (
        f"a = R.matmul(x, {W}); c = R.add(a, b); out = R.nn.relu(c)",
        {"x": (5, 3)},
    ),
    "a product whose x is a constant": (f"a = R.matmul({W}, v); out = R.tanh(a)", {}),
    "a matrix in the place of the bias": (
        "a = R.matmul(x, w); c = R.add(r, a); out = R.nn.relu(c)",
        {},
    ),
    "a scalar in the place of the bias": (
        'a = R.matmul(x, w); out = R.add(a, R.const(2.0, "float32"))',
        {},
    ),
    "a vector of one number in the place of the bias": (LAYER, {"b": (1,)}),
    "a vector of one number, and no relu": (SUM, {"b": (1,)}),
    "a matrix of one row in the place of the bias": (LAYER, {"b": (1, 4)}),
    "a matrix in the place of the bias, and no relu": (SUM, {"b": (5, 4)}),
    "a product with one column, and a bias of one number": (LAYER, {"w": (8, 1), "b": (1,)}),
    "three axes in x": (LAYER, {"x": (2, 5, 8)}),
    "three axes in x, and only a product": ("out = R.matmul(x, w)", {"x": (2, 5, 8)}),
    "three axes in w": (LAYER, {"w": (2, 8, 4)}),
    "a vector x and a matrix w": (LAYER, {"x": (8,)}),
    "a matrix x and a vector w": ("a = R.matmul(x, w); out = R.tanh(a)", {"w": (8,)}),
    "two vectors": ("a = R.matmul(x, w); out = R.tanh(a)", {"x": (8,), "w": (8,)}),
    "three axes in x and a vector w": (
        "a = R.matmul(x, w); out = R.tanh(a)",
        {"x": (3, 5, 8), "w": (8,)},
    ),
    "three axes in x, a vector w and a bias": (LAYER, {"x": (3, 5, 8), "w": (8,), "b": (5,)}),
    "a vector x and three axes in w": (
        "a = R.matmul(x, w); out = R.tanh(a)",
        {"x": (8,), "w": (3, 8, 4)},
    ),
    "a vector x, three axes in w and a bias": (LAYER, {"x": (8,), "w": (3, 8, 4)}),
    "float64": (LAYER, DOUBLE),
    "factors of float16 and a product of float32": (
        'a = R.matmul(x, w, out_dtype="float32"); c = R.add(a, b); out = R.nn.relu(c)',
        {"x": ((5, 8), "float16"), "w": ((8, 4), "float16")},
    ),
    "factors of float32 and a product of float64": (
        'a = R.matmul(x, w, out_dtype="float64"); out = R.tanh(a)',
        {},
    ),
    "a sum that is read again": (
        "a = R.matmul(x, w); c = R.add(a, b); d = R.nn.relu(c); out = R.subtract(d, c)",
        {},
    ),
    "a product that is read again": (
        "a = R.matmul(x, w); c = R.add(a, b); d = R.nn.relu(c); out = R.subtract(d, a)",
        {},
    ),
    "a product that is read again, and no relu": (
        "a = R.matmul(x, w); c = R.add(a, b); out = R.subtract(c, a)",
        {},
    ),
    "a bias that is made of the product": (
        "a = R.matmul(x, w); m = R.mean(a, axis=[0]); out = R.add(a, m)",
        {},
    ),
    "a sum that is returned as well, in a tuple of the block": (
        "a = R.matmul(x, w); c = R.add(a, b); d = R.nn.relu(c); out = (d, c)",
        {},
    ),
    "a sum that is returned as well, from the block": (
        "a = R.matmul(x, w); c = R.add(a, b); out = R.nn.relu(c)",
        {"out": "c, out", "returned": "(out, c)"},
    ),
    "a product that is returned as well, from the block": (
        "a = R.matmul(x, w); out = R.add(a, b)",
        {"out": "a, out", "returned": "(out, a)"},
    ),
    "the sum of two products": (
        "a = R.matmul(x, w); c = R.matmul(r, v); d = R.add(a, c); out = R.nn.relu(d)",
        {},
    ),
    "a product that is added to itself": ("a = R.matmul(x, w); out = R.add(a, a)", {}),
    "a product and its relu, without a bias": ("a = R.matmul(x, w); out = R.nn.relu(a)", {}),
    "a sum and a relu without a product": ("a = R.add(r, b); out = R.nn.relu(a)", {}),
    "a product of a tensor with itself": (
        "a = R.matmul(v, v); c = R.add(a, b); out = R.nn.relu(c)",
        {},
    ),
    "a square product": (LAYER, {"x": (4, 8)}),
    "rows and columns exchanged in the bias": (
        "a = R.matmul(x, w); m = R.mean(r, axis=[0]); c = R.add(a, m); out = R.nn.relu(c)",
        {"r": (9, 1)},
    ),
    "two layers and what lies between them": (
        "a = R.matmul(x, w); c = R.add(a, b); d = R.nn.relu(c); e = R.tanh(d); f = R.matmul(e, v); "
        "g = R.add(f, b); h = R.matmul(g, v); out = R.add(h, r)",
        {},
    ),
}


def tensor(kind):
    shape, dtype = kind if kind and isinstance(kind[0], tuple) else (kind, "float32")
    return f'R.Tensor({shape}, "{dtype}")'


def program(lines, out="out", returned="", **kinds):
    given = {"x": (5, 8), "w": (8, 4), "b": (4,), "r": (5, 4), "v": (4, 4)} | kinds
    given = ", ".join(f"{name}: {tensor(kind)}" for name, kind in given.items())
    body = "".join(f"      {line}\n" for line in lines.split("; "))
    return (
        f"@I.ir_module\nclass Module:\n  @R.function\n  def main({given}):\n"
        f"    with R.dataflow():\n{body}      R.output({out})\n    return {returned or out}\n"
    )


def drawn(number):
    pick = random.Random(380 + number)
    names, lines = ["x"], []
    for at in range(9):
        a = names[-1] if pick.random() < 0.8 else pick.choice(names)
        forms = (
            f"R.matmul({a}, v)",
            f"R.add({a}, b)",
            f"R.add(b, {a})",
            f"R.nn.relu({a})",
            f"R.add({a}, {pick.choice(names)})",
            f"R.tanh({a})",
        )
        lines.append(f"t{at} = {forms[0] if at % 3 == 0 else pick.choice(forms)}")
        names.append(f"t{at}")
    text = " ".join(lines)
    unread = [n for n in names[1:] if text.count(f"{n},") + text.count(f"{n})") == 0]
    if len(unread) > 1:
        lines.append(f"out = ({', '.join(unread)})")
    n = 4 + number
    sizes = {"x": (3, n), "v": (n, n), "b": (n,)}
    return "; ".join(lines), {**sizes, "out": "out" if len(unread) > 1 else unread[0]}


def probe(module, device):
    programs = PROGRAMS | {f"nine lines, drawn ({n + 1})": drawn(n) for n in range(6)}
    return {
        # Other sizes and dtypes decide where a region is, and are not run.
        name: tried(module, program(lines, **more), runs=not more or "out" in more)
        for name, (lines, more) in programs.items()
    }


def tried(module, source, runs):
    given = tvm.script.from_source(source)
    torch.manual_seed(38)
    inputs = [filled(each.ty) for each in given["main"].params]
    right = flat(evaluate(given["main"], inputs))
    found = {"source": source, "error": "", "regions": [], "calls": 0, "off": 0.0}
    try:
        made = module.partition(given)
        relax.analysis.well_formed(made)
        found["regions"] = regions_of(made)
        if not runs:
            return found | {"calls": len(found["regions"])}
        found["calls"], got = run(made, inputs)
    except Exception as error:  # what TVM makes of patterns that let a tensor out
        return found | {"error": in_words(error)}
    off = [float((a - b).abs().max()) for a, b in zip(got, right, strict=True)]
    return found | {"off": max(off)}


def in_words(error):
    """The error's type and its last line that is no note on backtraces or on texts of programs."""
    lines = [line.strip().rstrip(".") for line in str(error).replace("\\n", "\n").splitlines()]
    said = [line for line in lines if line and "backtrace" not in line and line[0] != "#"]
    return f"{type(error).__name__}: {' '.join(said[-1:])}"[:240]


def filled(kind):
    shape = [int(size) for size in kind.shape]
    return torch.randn(shape).to(getattr(torch, str(kind.dtype)))


def flat(value):
    return list(value) if isinstance(value, tuple | list) else [value]


def regions_of(made):
    """Of each call of a region in main: instruction, operations, shapes that it reads, results."""
    found = []
    for block in made["main"].body.blocks:
        for binding in block.bindings:
            called = getattr(binding.value, "op", None)
            if not isinstance(called, tvm.ir.GlobalVar):
                continue
            outer = made[called]
            (inner,) = [
                each.value
                for part in outer.body.blocks
                for each in part.bindings
                if isinstance(each.value, relax.Function)
            ]
            operations, shapes = inside(inner)
            results = len(outer.ret_ty.fields) if hasattr(outer.ret_ty, "fields") else 1
            name = (inner.attrs or {}).get("Composite", "")
            found.append([str(name), operations, shapes, results])
    return found


def inside(function):
    """The operations of a region, and the shapes of what they read from outside."""
    bindings = [each for block in function.body.blocks for each in block.bindings]
    own = [each.var for each in bindings]
    operations, shapes = [], []
    for each in bindings:
        if not isinstance(each.value, relax.Call):
            continue
        operations.append(each.value.op.name.removeprefix("relax."))
        shapes += [
            [int(size) for size in arg.ty.shape]
            for arg in each.value.args
            if not any(arg.same_as(other) for other in own)
        ]
    return operations, shapes


def run(made, inputs):
    """(calls of the accelerator, results) of a partitioned program."""
    calls = []

    def generate(functions, options, names):
        for function in functions:

            def compute(*tensors, function=function):
                calls.append(function)
                tensors = [torch.from_dlpack(each) for each in tensors]
                count = len(function.params)
                results = flat(evaluate(function, tensors[:count]))
                for out, result in zip(tensors[count:], results, strict=True):
                    out.copy_(result)

            tvm.register_global_func(str(function.attrs["global_symbol"]), compute, override=True)
        return []

    tvm.register_global_func("relax.ext.npu", generate, override=True)
    built = tvm.compile(relax.transform.RunCodegen()(made), target="llvm")
    machine = relax.VirtualMachine(built, tvm.cpu())
    result = machine["main"](*(tvm.runtime.from_dlpack(each.clone()) for each in inputs))
    results = [result] if isinstance(result, tvm.runtime.Tensor) else result
    return len(calls), [torch.from_dlpack(each) for each in results]


OPERATIONS = {
    "relax.add": torch.add,
    "relax.subtract": torch.sub,
    "relax.multiply": torch.mul,
    "relax.nn.relu": torch.relu,
    "relax.tanh": torch.tanh,
}


def evaluate(function, inputs):
    """What a function of Relax computes, by PyTorch."""
    known = list(zip(function.params, inputs, strict=True))

    def value(expression):
        for variable, found in known:
            if expression.same_as(variable):
                return found
        if isinstance(expression, tvm.ir.GenericConst):
            return torch.from_numpy(expression.value.numpy())
        if isinstance(expression, relax.Tuple):
            return tuple(map(value, expression.fields))
        if isinstance(expression, relax.TupleGetItem):
            return value(expression.tuple_value)[expression.index]
        if isinstance(expression, relax.Function):
            return expression
        args = [value(each) for each in expression.args]
        if not isinstance(expression.op, tvm.ir.Op):
            return evaluate(value(expression.op), args)
        name = expression.op.name
        if name == "relax.matmul":
            product = args[0].double() @ args[1].double()
            return product.to(getattr(torch, str(expression.ty.dtype)))
        return args[0].mean(0) if name == "relax.mean" else OPERATIONS[name](*args)

    for block in function.body.blocks:
        for binding in block.bindings:
            known.append((binding.var, value(binding.value)))
    return value(function.body.body)
