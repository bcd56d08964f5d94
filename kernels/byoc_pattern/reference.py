"""Which regions must come out is read off the text of a program: TVM is not asked."""

import ast
import random

import torch

from tutor.judge.spec import Case, Work

NAMES = ("npu.dense_bias_relu", "npu.dense_bias", "npu.dense")
INSIDE = {
    "npu.dense_bias_relu": ["matmul", "add", "nn.relu"],
    "npu.dense_bias": ["matmul", "add"],
    "npu.dense": ["matmul"],
}
OPERATIONS = {
    "R.add": torch.add,
    "R.multiply": torch.mul,
    "R.subtract": torch.sub,
    "R.nn.relu": torch.relu,
    "R.tanh": torch.tanh,
}


def reference(source):
    found = [name for name, _ in regions_of(source)]
    return torch.tensor([found.count(name) for name in NAMES])


eager = reference


def work(source):
    return Work(bytes=len(source), flops=0)


def explain_wrong(got, source):
    for name, have, want in zip(NAMES, got.tolist(), reference(source).tolist(), strict=True):
        if have != want:
            return f"`{name}` has {have} {'region' if have == 1 else 'regions'} in place of {want}."
    return None


def regions_of(source):
    """Each region that must come out: its instruction, and the shapes that it reads."""
    kinds, lines, returned = read(source)
    readers = {name: [other for other, value in lines if name in names_in(value)] for name in kinds}
    found = []
    for name, value in lines:
        if called(value) != "R.matmul" or not is_dense(value, kinds, name):
            continue
        shapes = [kind_of(each, kinds).shape for each in value.args]
        instruction = "npu.dense"
        step = follower(name, "R.add", readers, returned, lines)
        if step and (bias := bias_of(dict(lines)[step], name, kinds)) is not None:
            instruction, last = "npu.dense_bias", step
            shapes.append(bias)
            if follower(last, "R.nn.relu", readers, returned, lines):
                instruction = "npu.dense_bias_relu"
        found.append((instruction, [tuple(each) for each in shapes]))
    return found


def is_dense(value, kinds, name):
    factors = [kind_of(each, kinds) for each in value.args]
    return all(each.ndim == 2 for each in factors) and all(
        each.dtype == torch.float32 for each in (*factors, kinds[name])
    )


def follower(name, operation, readers, returned, lines):
    """The line that is the only reader of `name`, if it is this operation."""
    if name in returned or len(readers[name]) != 1:
        return None
    (reader,) = readers[name]
    return reader if called(dict(lines)[reader]) == operation else None


def bias_of(value, product, kinds):
    """The shape of the bias in this sum; None where there is none."""
    left, right = value.args
    other = right if getattr(left, "id", "") == product else left
    kind = kind_of(other, kinds)
    return kind.shape if kind.shape == kinds[product].shape[1:] else None


def read(source):
    """Of a program: each value by name as a tensor, the lines, and the names that are returned."""
    function = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef))
    kinds, lines, returned = {}, [], set()
    for each in function.args.args:
        shape, dtype = map(ast.literal_eval, each.annotation.args)
        kinds[each.arg] = torch.zeros(shape, dtype=getattr(torch, dtype))
    for statement in function.body[0].body:
        if isinstance(statement, ast.Assign):
            name, value = statement.targets[0].id, statement.value
            if isinstance(value, ast.Tuple):
                returned |= {each.id for each in value.elts}
            else:
                lines.append((name, value))
                kinds[name] = computed(value, kinds)
    returned |= names_in(function.body[-1].value)
    return kinds, lines, returned


def computed(value, kinds):
    args = [kind_of(each, kinds) for each in value.args]
    name = called(value)
    if name == "R.matmul":
        wanted = {each.arg: ast.literal_eval(each.value) for each in value.keywords}
        return (args[0] @ args[1]).to(getattr(torch, wanted.get("out_dtype", ""), args[0].dtype))
    return args[0].mean(0) if name == "R.mean" else OPERATIONS[name](*args)


def kind_of(node, kinds):
    """A tensor like an argument of an operation, which is a name or a constant."""
    if isinstance(node, ast.Name):
        return kinds[node.id]
    return torch.tensor(ast.literal_eval(node.args[0]), dtype=torch.float32)


def called(value):
    return ast.unparse(value.func)


def names_in(value):
    return {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}


def check_found(found):
    """(code, sentence) where a program has other regions, calls or results than it must have."""
    for name, each in found.items():
        about = f"Of the program with {name}" + ("," if "," in name else "")
        if each["error"]:
            return "wrong-values", f"{about} an error is raised: {each['error']}."
        for told in (fault_of(each, about), fault_of_run(each, about)):
            if told:
                return "wrong-values", told
    return None


def fault_of(each, about):
    must = regions_of(each["source"])
    for name, inside, shapes, results in each["regions"]:
        reads = " and ".join(f"[{', '.join(map(str, shape))}]" for shape in shapes)
        if name not in INSIDE:
            return (
                f"{about} a region is called `{name}`, and the accelerator has no such instruction."
            )
        if inside != INSIDE[name]:
            does = ", ".join(f"`{operation}`" for operation in inside)
            return f"{about} a region `{name}` holds {does}."
        if results != 1:
            return f"{about} a region `{name}` returns {results} tensors. One is asked for."
        have = (name, [tuple(shape) for shape in shapes])
        if have not in must:
            told = f"{about} `{name}` takes tensors of {reads}"
            instead = [other for other, of in must if of[:2] == have[1][:2]]
            if instead:
                return f"{told}. That product is one for `{instead[0]}`."
            return f"{told}. That product is none for the accelerator."
        must.remove(have)
    if must:
        name, shapes = must[0]
        reads = " and ".join(f"[{', '.join(map(str, shape))}]" for shape in shapes)
        return f"{about} a region `{name}` that reads tensors of {reads} is missing."
    return None


def fault_of_run(each, about):
    if each["calls"] != len(each["regions"]):
        return (
            f"{about} the accelerator was called {each['calls']} times for "
            f"{len(each['regions'])} regions."
        )
    if not each["off"] <= 1e-4:
        return f"{about} the results are not those of the program without regions."
    return None


def program(lines, out="out", returned="", **kinds):
    """The text of a program; `kinds` has shapes of its arguments, float32 if not said otherwise."""
    given = {"x": (5, 8), "w": (8, 4), "b": (4,), "r": (5, 4), "v": (4, 4)} | kinds
    given = ", ".join(f"{name}: {tensor(kind)}" for name, kind in given.items())
    body = "".join(f"      {line}\n" for line in lines.split("; "))
    return (
        f"@I.ir_module\nclass Module:\n  @R.function\n  def main({given}):\n"
        f"    with R.dataflow():\n{body}      R.output({out})\n    return {returned or out}\n"
    )


def tensor(kind):
    shape, dtype = kind if kind and isinstance(kind[0], tuple) else (kind, "float32")
    return f'R.Tensor({shape}, "{dtype}")'


def draw(seed):
    """A program of eight lines; what nobody reads is returned."""

    def make(g):
        pick = random.Random(int(torch.randint(1 << 30, (1,), generator=g)) + seed)
        names, lines = ["x"], []
        for at in range(8):
            a = names[-1] if pick.random() < 0.75 else pick.choice(names)
            forms = (
                f"R.matmul({a}, w)", f"R.matmul({a}, v)", f"R.add({a}, b)", f"R.add(b, {a})",
                f"R.nn.relu({a})", f"R.nn.relu({a})", f"R.add({a}, {pick.choice(names)})",
                f"R.add({a}, one)", f"R.tanh({a})",
            )  # fmt: skip
            lines.append(f"t{at} = {pick.choice(forms[:2] if at == 0 else forms)}")
            names.append(f"t{at}")
        unread = [
            n for n in names[1:] if not any(f"{n}," in line or f"{n})" in line for line in lines)
        ]
        if len(unread) == 1:
            return (program("; ".join(lines), unread[0], x=(3, 4), w=(4, 4), one=(1,)),)
        lines.append(f"out = ({', '.join(unread)})")
        return (program("; ".join(lines), x=(3, 4), w=(4, 4), one=(1,)),)

    return make


def case(name, lines, **kinds):
    return Case(name, lambda g: (program(lines, **kinds),))


CASES = (
    case("a layer", "a = R.matmul(x, w); c = R.add(a, b); out = R.nn.relu(c)"),
    case("two layers",
         "a = R.matmul(x, w); c = R.add(a, b); d = R.nn.relu(c); "
         "e = R.matmul(d, v); f = R.add(e, b); out = R.tanh(f)"),
    case("the bias first", "a = R.matmul(x, w); c = R.add(b, a); out = R.nn.relu(c)"),
    case("a residual", "a = R.matmul(x, w); c = R.add(a, r); out = R.nn.relu(c)"),
    case("a product and its relu", "a = R.matmul(x, w); out = R.nn.relu(a)"),
    case("the sum is read again",
         "a = R.matmul(x, w); c = R.add(a, b); d = R.nn.relu(c); out = R.multiply(d, c)"),
    case("the product is read again",
         "a = R.matmul(x, w); c = R.add(a, b); d = R.nn.relu(c); out = R.multiply(d, a)"),
    case("three products of one",
         "a = R.matmul(x, w); c = R.matmul(a, v); d = R.matmul(c, v); out = R.tanh(d)"),
    Case("drawn 1", draw(1)),
    Case("drawn 2", draw(2)),
)  # fmt: skip
