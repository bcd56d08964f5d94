import ast
import random

import torch

from tutor.judge.spec import Case, Work

OPERATIONS = {
    "R.matmul": torch.matmul,
    "R.add": torch.add,
    "R.subtract": torch.sub,
    "R.nn.relu": torch.relu,
    "R.tanh": torch.tanh,
}
SHAPES = {"x": (4, 8), "w": (8, 16), "b": (16,), "v": (16, 16), "r": (4, 16)}
NUMBERS = "[0.5, -1.0, 2.0, 0.25] * 4"  # a constant of 16 numbers


def reference(source, *tensors):
    function = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef))
    known = dict(zip([each.arg for each in function.args.args], tensors, strict=True))
    for statement in function.body[0].body:
        if isinstance(statement, ast.Assign):
            value = statement.value
            args = [_value(each, known) for each in value.args]
            known[statement.targets[0].id] = OPERATIONS[ast.unparse(value.func)](*args)
    return known["out"]


def _value(node, known):
    if isinstance(node, ast.Name):
        return known[node.id]
    numbers = ast.literal_eval(ast.unparse(node.args[0].left)) * node.args[0].right.value
    return torch.tensor(numbers, dtype=known["x"].dtype)


eager = reference


def work(source, *tensors):
    read = sum(each.numel() for each in tensors)
    return Work(bytes=4 * (read + 64) + len(source), flops=1)


def scale(source, *tensors):
    return 50.0


def check_found(found):
    """(code, sentence) where the accelerator was used otherwise than asked, else None."""
    for name, each in found.items():
        about = f"Of the program with {name}" + ("," if "," in name else "")
        if each["error"]:
            return "wrong-values", f"{about} an error is raised: {each['error']}."
        for told in (fault_of_build(each, about), fault_of_calls(each, about)):
            if told:
                return "wrong-values", told
    return None


def fault_of_build(each, about):
    got, constants = each["build"], each["constants"]
    if got["get"]:
        return f"{about} the code generator carries results back before `main` is called."
    if got["put"] != constants:
        return (
            f"{about} the regions hold {constants} "
            f"{'constant' if constants == 1 else 'constants'}, and the code generator "
            f"carried {got['put']} tensors to the accelerator."
        )
    return None


def fault_of_calls(each, about):
    for at, (got, must) in enumerate(zip(each["calls"], each["must"], strict=True)):
        when = ("the first call of `main`", "the second call of `main`")[at]
        for name in ("matmul", "add", "subtract", "relu"):
            if got.get(name, 0) != must.get(name, 0):
                return (
                    f"{about} `NPU.{name}` ran {got.get(name, 0)} times in {when}. "
                    f"The regions ask for {must.get(name, 0)}."
                )
        if got["put"] != must["put"]:
            return (
                f"{about} {got['put']} tensors were carried to the accelerator in {when}. "
                f"The regions have {must['put']} inputs."
            )
        if got["get"] != must["get"]:
            return (
                f"{about} {got['get']} tensors were carried back in {when}. "
                f"The regions have {must['get']} results."
            )
        if not each["off"][at] <= 1e-4:
            return (
                f"{about} the results of {when} are not what the accelerator computes. "
                "The judge's accelerator computes other numbers than PyTorch."
            )
    return None


def program(lines):
    given = ", ".join(f'{name}: R.Tensor({shape}, "float32")' for name, shape in SHAPES.items())
    body = "".join(f"      {line}\n" for line in lines.replace("NUMBERS", NUMBERS).split("; "))
    return (
        f"@I.ir_module\nclass Module:\n  @R.function\n  def main({given}):\n"
        f"    with R.dataflow():\n{body}      R.output(out)\n    return out\n"
    )


def tensors(g):
    return tuple(torch.randn(s, generator=g, device=g.device) / 2 for s in SHAPES.values())


def case(name, lines):
    return Case(name, lambda g: (program(lines), *tensors(g)))


def drawn(number):
    """Ten lines, of which each reads the one before."""

    def make(g):
        pick = random.Random(int(torch.randint(1 << 30, (1,), generator=g)) + number)
        names, lines = ["r"], []
        for at in range(9):
            a, c = names[-1], pick.choice(names)
            forms = (
                f"R.matmul({a}, v)", f"R.add({a}, b)", f"R.subtract(b, {a})",
                f"R.subtract({a}, {c})", f"R.subtract({c}, {a})", f"R.nn.relu({a})",
                f"R.tanh({a})", f'R.subtract({a}, R.const(NUMBERS, "float32"))',
            )  # fmt: skip
            lines.append(f"t{at} = {forms[6] if at % 4 == 2 else pick.choice(forms)}")
            names.append(f"t{at}")
        lines.append(f"out = R.tanh({names[-1]})")
        return (program("; ".join(lines)), *tensors(g))

    return make


CASES = (
    case("a layer", "a = R.matmul(x, w); c = R.add(a, b); out = R.nn.relu(c)"),
    case("a difference", "out = R.subtract(b, r)"),
    case("two regions", "a = R.subtract(r, b); c = R.tanh(a); d = R.matmul(c, v); out = R.tanh(d)"),
    case("two steps in a region", "a = R.subtract(b, r); out = R.matmul(a, v)"),
    case("one region twice",
         "a = R.matmul(r, v); c = R.tanh(a); d = R.matmul(c, v); out = R.tanh(d)"),
    case("a constant", 'a = R.subtract(R.const(NUMBERS, "float32"), r); out = R.tanh(a)'),
    case("two results",
         "a = R.subtract(r, b); c = R.matmul(a, v); d = R.tanh(a); out = R.subtract(d, c)"),
    Case("drawn 1", drawn(1)),
    Case("drawn 2", drawn(2)),
)  # fmt: skip
