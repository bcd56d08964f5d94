"""Puts an accelerator with other arithmetic in the place of the learner's, and counts what it is
asked for while programs are built and called. Plain values leave the process."""

import random
from collections import Counter

import torch
import tvm
from tvm import relax

SHAPES = {"x": (4, 8), "w": (8, 16), "b": (16,), "v": (16, 16), "r": (4, 16)}
K = 'R.const([0.5, -1.0, 2.0, 0.25] * 4, "float32")'
L = 'R.const([3.0, 1.5, -0.5, 1.0] * 4, "float32")'
PROGRAMS = {
    "a layer": "a = R.matmul(x, w); c = R.add(a, b); out = R.nn.relu(c)",
    "a layer whose bias stands first": "a = R.matmul(x, w); c = R.add(b, a); out = R.nn.relu(c)",
    "a layer whose bias is a constant": f"a = R.matmul(x, w); c = R.add(a, {K}); out = R.nn.relu(c)",
    "a layer whose sum is read again": (
        "a = R.matmul(x, w); c = R.add(a, b); d = R.nn.relu(c); out = R.subtract(c, d)"
    ),
    "a difference of a vector and a matrix": "out = R.subtract(b, r)",
    "a relu alone": "out = R.nn.relu(r)",
    "two regions": (
        "a = R.subtract(r, b); c = R.tanh(a); d = R.matmul(c, v); e = R.nn.relu(d); out = R.tanh(e)"
    ),
    "three regions of one input": (
        "a = R.nn.relu(v); c = R.tanh(a); d = R.matmul(c, c); e = R.tanh(d); out = R.add(e, e)"
    ),
    "four steps in a region": (
        "a = R.subtract(b, r); c = R.matmul(a, v); d = R.nn.relu(c); out = R.subtract(d, a)"
    ),
    "one tensor that is read three times": (
        "a = R.subtract(r, b); c = R.subtract(a, r); out = R.subtract(r, c)"
    ),
    "one step twice in a region": "a = R.matmul(r, v); out = R.matmul(a, v)",
    "one region that is called twice": (
        "a = R.matmul(r, v); c = R.tanh(a); d = R.matmul(c, v); out = R.tanh(d)"
    ),
    "one constant in two steps": f"a = R.subtract(r, {K}); out = R.subtract(a, {K})",
    "two constants": f"a = R.subtract({K}, r); c = R.tanh(a); d = R.add(c, {L}); out = R.tanh(d)",
    "two constants in a region": f"a = R.subtract(r, {K}); c = R.nn.relu(a); out = R.subtract({L}, c)",
    "two results": (
        "a = R.subtract(r, b); c = R.matmul(a, v); d = R.tanh(a); out = R.subtract(d, c)"
    ),
    "three results": (
        "a = R.subtract(r, b); c = R.matmul(a, v); d = R.nn.relu(c); e = R.tanh(d); f = R.tanh(c); "
        "g = R.tanh(a); h = R.subtract(e, f); out = R.subtract(h, g)"
    ),
    "three axes": ("a = R.matmul(r, v); out = R.subtract(b, a)", {"r": (2, 4, 16)}),
    "vectors": ("a = R.subtract(b, r); c = R.nn.relu(a); out = R.add(c, b)", {"r": (16,)}),
    "one constant in two different steps": (
        "a = R.matmul(r, v); c = R.add(a, b); d = R.nn.relu(c); e = R.matmul(d, v); "
        "out = R.subtract(e, b)",
        {},
        "vb",
    ),
    "one constant in two regions": (
        "a = R.matmul(r, v); c = R.tanh(a); d = R.subtract(b, c); e = R.tanh(d); "
        "f = R.matmul(e, v); g = R.nn.relu(f); out = R.subtract(g, b)",
        {},
        "vb",
    ),
    "nothing for the accelerator": "out = R.tanh(r)",
}


def program(lines, shapes=None, bound=""):
    """A module; arguments in `bound` have become constants, each of which is one object."""
    given = SHAPES | (shapes or {})
    given = ", ".join(f'{name}: R.Tensor({shape}, "float32")' for name, shape in given.items())
    body = "".join(f"      {line}\n" for line in lines.split("; "))
    module = tvm.script.from_source(
        f"@I.ir_module\nclass Module:\n  @R.function\n  def main({given}):\n"
        f"    with R.dataflow():\n{body}      R.output(out)\n    return out\n"
    )
    torch.manual_seed(43)
    values = {name: (torch.randn(SHAPES[name]) / 2).numpy() for name in bound}
    return relax.transform.BindParams("main", values)(module)


def drawn(number):
    pick = random.Random(4300 + number)
    names, lines = ["r"], []
    for at in range(10):
        a, c = names[-1], pick.choice(names)
        forms = (
            f"R.matmul({a}, v)",
            f"R.add({a}, b)",
            f"R.subtract(b, {a})",
            f"R.subtract({a}, {c})",
            f"R.subtract({c}, {a})",
            f"R.nn.relu({a})",
            f"R.subtract({a}, {K})",
            f"R.tanh({a})",
        )
        lines.append(f"t{at} = {forms[7] if at % 5 == 3 else pick.choice(forms)}")
        names.append(f"t{at}")
    return "; ".join([*lines, f"out = R.tanh({names[-1]})"])


class Watched:
    """The accelerator of the judge: it counts, its registers are no places, its numbers are its own."""

    def __init__(self):
        self.tensors, self.counts = {}, Counter()

    def keep(self, name, tensor):
        self.counts[name] += 1
        register = 7001 + 13 * len(self.tensors)
        self.tensors[register] = tensor
        return register

    def put(self, tensor):
        return self.keep("put", tensor.clone())

    def matmul(self, a, b):
        return self.keep("matmul", odd_matmul(self.tensors[a], self.tensors[b]))

    def add(self, a, b):
        return self.keep("add", odd_add(self.tensors[a], self.tensors[b]))

    def subtract(self, a, b):
        return self.keep("subtract", odd_subtract(self.tensors[a], self.tensors[b]))

    def relu(self, a):
        return self.keep("relu", odd_relu(self.tensors[a]))

    def get(self, a, out):
        self.counts["get"] += 1
        out.copy_(self.tensors[a])


def odd_matmul(a, b):
    return a @ b / 4 + 0.5


def odd_add(a, b):
    return 1.125 * a + b


def odd_subtract(a, b):
    return a - b + 0.125


def odd_relu(a):
    return a.clamp(min=0.0625)


ODD = {
    "relax.matmul": odd_matmul,
    "relax.add": odd_add,
    "relax.subtract": odd_subtract,
    "relax.nn.relu": odd_relu,
    "relax.tanh": torch.tanh,
}


def probe(module, device):
    given = module.NPU
    programs = PROGRAMS | {f"eleven lines, drawn ({n + 1})": drawn(n) for n in range(5)}
    try:
        return {
            name: tried(module, program(*([one] if isinstance(one, str) else one)))
            for name, one in programs.items()
        }
    finally:
        module.NPU = given


def tried(module, given):
    module.NPU = Watched()
    found = {"error": "", "calls": [], "off": [], "must": []}
    made = module.partition(given)
    constants = []

    def generate(functions, options, names):
        constants.extend(names)
        return module.generate(functions, options, names)

    tvm.register_global_func("relax.ext.npu", generate, override=True)
    try:
        built = tvm.compile(relax.transform.RunCodegen()(made), target="llvm")
        machine = relax.VirtualMachine(built, tvm.cpu())
        found["build"], found["constants"] = taken(module.NPU), len(constants)
        for seed in (1, 2):
            torch.manual_seed(seed)
            inputs = [filled(each.ty) for each in made["main"].params]
            must = Counter()
            right = evaluate(made["main"], inputs, made, must)
            result = machine["main"](*(tvm.runtime.from_dlpack(each.clone()) for each in inputs))
            found["calls"].append(taken(module.NPU))
            found["must"].append({"put": 0, "get": 0, **must})
            found["off"].append(float((torch.from_dlpack(result) - right).abs().max()))
    except Exception as error:
        return found | {"error": in_words(error)}
    return found


def in_words(error):
    """The error's type and its last line that is no note on backtraces or on texts of programs."""
    lines = [line.strip().rstrip(".") for line in str(error).replace("\\n", "\n").splitlines()]
    said = [line for line in lines if line and "backtrace" not in line and line[0] != "#"]
    return f"{type(error).__name__}: {' '.join(said[-1:])}"[:240]


def taken(npu):
    """Return what the accelerator was asked for since the last look."""
    counts, npu.counts = npu.counts, Counter()
    return {"put": 0, "get": 0, **counts}


def filled(kind):
    return torch.randn([int(size) for size in kind.shape]) / 2


def evaluate(function, inputs, made, must):
    """Compute a function by the judge's arithmetic; `must` gets what its regions ask for."""
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
        if isinstance(expression.op, tvm.ir.Op):
            name = expression.op.name
            must[name.split(".")[-1]] += 1
            return ODD[name](*args)
        if not isinstance(expression.op, tvm.ir.GlobalVar):
            return evaluate(value(expression.op), args, made, must)
        result = evaluate(made[expression.op], args, made, must)
        must["put"] += len(args)
        must["get"] += len(result) if isinstance(result, tuple) else 1
        return result

    for block in function.body.blocks:
        for binding in block.bindings:
            known.append((binding.var, value(binding.value)))
    return value(function.body.body)
