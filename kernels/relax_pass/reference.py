"""How many operations must stay is read off the text of a program: TVM is not asked."""

import ast
from dataclasses import dataclass, field

import torch

from tutor.judge.cases.drawn_programs import draw_numbers, draw_relax, relax
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="new", rtol=1e-6, idempotent=True)

SHAPE = (2, 3)  # of x and y
ROW = "R.mean({a}, axis=[0], keepdims=True)"  # [1, 3]
ZERO = 'R.const(0.0, "float32")'
ZEROS = 'R.const([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "float32")'
WHOLE_FORMS = (  # no products: they would leave the range of int32
    "R.add({a}, {b})",
    "R.subtract({a}, {b})",
    "R.maximum({a}, {b})",
    "R.nn.relu({a})",
    "R.nn.relu(R.nn.relu({a}))",
    f"R.add({{a}}, {ZERO})",
    f"R.add({ZERO}, R.nn.relu({{a}}))",
    f"R.nn.relu(R.add({{a}}, {ZEROS}))",
)
FORMS = (*WHOLE_FORMS, "R.multiply({a}, {b})", f"R.add({ROW}, {ZEROS})")


@dataclass(eq=False)
class Value:
    """What a line names: an operation of other values, a constant, or an argument (without a name)."""

    name: str = ""
    shape: tuple[int, ...] = SHAPE
    reads: list["Value"] = field(default_factory=list)
    is_zero: bool = False


def most(program, *inputs):
    """How many operations are left of all functions once the rules have been applied everywhere."""
    functions = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.FunctionDef)]
    return sum(_count_left(each) for each in functions if _is_relax(each))


def check_rewrite(program, before, after):
    """Return a sentence if operations are gone that both rules leave, else None."""
    have = sum(each.times for each in after if each.kind.startswith("call"))
    must = most(program)
    if have >= must:
        return None
    left = "1 operation is" if have == 1 else f"{have} operations are"
    return f"{left} left, and both rules leave {must}: everything else stays."


def _is_relax(function):
    return any(ast.unparse(each).startswith("R.function") for each in function.decorator_list)


def _count_left(function):
    names = {each.arg: Value() for each in function.args.args}
    result = None
    for node in ast.walk(function):  # the lines of a block in their order
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = _value_of(node.value, names)
        elif isinstance(node, ast.Return):
            result = node.value
    # A function's `return` stands outside its block, and so before the block's lines in a walk.
    left, waiting = set(), [_value_of(result, names)]
    while waiting:
        value = waiting.pop()
        if value.name and value not in left:
            left.add(value)
            waiting += value.reads
    return len(left)


def _value_of(node, names):
    if isinstance(node, ast.Name):
        return names.get(node.id, Value())
    called = ast.unparse(node.func)
    if called == "R.const":
        numbers = torch.tensor(ast.literal_eval(node.args[0]))
        return Value(shape=tuple(numbers.shape), is_zero=not numbers.any())
    if called == "R.call_tir":
        return Value("tir", reads=[_value_of(each, names) for each in node.args[1].elts])
    reads = [_value_of(each, names) for each in node.args]
    if called == "R.mean":
        return Value(called, (1, *reads[0].shape[1:]), reads)
    if called == "R.nn.relu" and reads[0].name == "R.nn.relu":
        return reads[0]
    shape = torch.broadcast_shapes(*(each.shape for each in reads))
    if called == "R.add":
        for zero, other in (reads, reads[::-1]):
            if zero.is_zero and other.shape == shape:
                return other
    return Value(called, tuple(shape), reads)


def case(name, lines, why, dtype="float32"):
    """A case of these lines, whose last one defines what is returned."""
    last = lines[-1].split(" = ")[0]
    return Case(name, lambda g: (relax(lines, last, dtype), *tensors(g, dtype)), why)


def tensors(g, dtype="float32"):
    return tuple(draw_numbers(g, dtype) for _ in "xy")


def in_dtype(text, dtype):
    """The same with constants of another dtype."""
    text = text.replace('"float32"', f'"{dtype}"')
    return text if dtype.startswith("float") else text.replace("0.0", "0")


def two_functions(g):
    """A module in which `main` calls another function of Relax and one of TensorIR."""
    kind = 'R.Tensor((2, 3), "float32")'
    text = relax(
        [
            "v = cls.helper(x)",
            f"w = R.call_tir(cls.double, (v,), out_ty={kind})",
            "u = R.nn.relu(R.nn.relu(w))",
        ],
        "u",
    )
    head, body = text.split("    @R.function\n")
    body = body.replace("        with R.dataflow", "        cls = Module\n        with R.dataflow", 1)
    return (
        f"{head}"
        "    @T.prim_func(private=True, s_tir=True)\n"
        '    def double(a: T.Buffer((2, 3), "float32"), b: T.Buffer((2, 3), "float32")):\n'
        "        for i, j in T.grid(2, 3):\n"
        '            with T.sblock("b"):\n'
        '                v_i, v_j = T.axis.remap("SS", [i, j])\n'
        "                b[v_i, v_j] = a[v_i, v_j] * T.float32(2)\n"
        f"    @R.function(private=True)\n    def helper(z: {kind}) -> {kind}:\n"
        "        with R.dataflow():\n"
        f"            p = R.nn.relu(R.add(z, {ZERO}))\n            q = R.nn.relu(p)\n"
        "            R.output(q)\n        return q\n"
        f"    @R.function\n{body}",
        *tensors(g),
    )


CASES = (
    case("relu of relu", ["v = R.nn.relu(R.nn.relu(x))"], "One relu is enough."),
    case("three with names",
         ["a = R.nn.relu(x)", "b = R.nn.relu(a)", "c = R.nn.relu(b)", "d = R.multiply(c, y)"],
         "Each reads the one before by its name."),
    case("the inner relu is read again",
         ["a = R.nn.relu(x)", "b = R.nn.relu(a)", "c = R.subtract(a, y)", "d = R.multiply(b, c)"],
         "The inner relu has another reader, and one relu serves both."),
    case("another operation between", ["v = R.nn.relu(R.negative(R.nn.relu(x)))"],
         "A sign stands between the two: both relus stay."),
    case("a sign of a sign", ["a = R.negative(R.negative(x))", "b = R.multiply(a, y)"],
         "The rule is about relu."),
    case("nobody reads the exponential",
         ["a = R.exp(y)", "b = R.nn.relu(x)", "c = R.nn.relu(b)", "d = R.negative(c)"],
         "It is computed and read by nobody."),
    case("zero on the right", [f"a = R.add(x, {ZERO})", "b = R.multiply(a, y)"],
         "x + 0 is x."),
    case("zero on the left", [f"a = R.add({ZERO}, x)", "b = R.multiply(a, y)"],
         "0 + x is x."),
    case("a zero with a name", [f"z = {ZERO}", "a = R.add(x, z)", "b = R.multiply(a, y)"],
         "`z` is a variable that is bound to the constant."),
    case("a row of zeros",
         ['a = R.add(x, R.const([0.0, 0.0, 0.0], "float32"))', "b = R.multiply(a, y)"],
         "The row is added to both rows of x, and the sum has the shape of x."),
    case("a column of zeros, which makes it larger",
         [f"a = R.add({ROW.format(a='x')}, R.const([[0.0], [0.0]], \"float32\"))"],
         "A row [1, 3] and a column [2, 1] have a sum of two rows and three columns."),
    case("a very small number",
         ["a = R.subtract(x, x)", 'b = R.add(a, R.const(1e-30, "float32"))',
          'c = R.multiply(b, R.const(1e30, "float32"))'],
         "The constant is small and not 0."),
    case("the zeros make it larger", [f"a = R.add({ROW.format(a='x')}, {ZEROS})"],
         "The sum of a row [1, 3] and zeros [2, 3] has two rows. The row alone has one."),
    case("two elements are not 0",
         ['a = R.add(x, R.const([0.0, 1.0, -1.0], "float32"))', "b = R.multiply(a, y)"],
         "The constant has elements that are not 0."),
    case("times zero", [f"a = R.multiply(x, {ZERO})", "b = R.add(a, y)"],
         "The rule is about a sum."),
    case("zero minus x", [f"a = R.subtract({ZERO}, x)", "b = R.add(a, y)"],
         "The rule is about a sum."),
    case("a zero between two relus",
         ["a = R.nn.relu(x)", f"b = R.add(a, {ZERO})", "c = R.nn.relu(b)", "d = R.multiply(c, y)"],
         "Once the zero has gone, one relu reads the other."),
    case("zeros of float16",
         [in_dtype(f"a = R.add(R.nn.relu(x), {ZERO})", "float16"), "b = R.nn.relu(a)",
          in_dtype(f"c = R.add({ZEROS}, b)", "float16"), "d = R.multiply(c, y)"],
         "A constant of float16 has elements that are 0, too.", "float16"),
    case("zeros and a two of int32",
         ['a = R.add(R.const(2, "int32"), x)', in_dtype(f"b = R.add({ZERO}, a)", "int32"),
          in_dtype(f"c = R.add(b, {ZEROS})", "int32"), "d = R.maximum(c, y)"],
         "Integers have a zero, too; the sum with 2 stays, and stays one of int32.", "int32"),
    Case("two functions, and one of TensorIR", two_functions,
         "`helper` is a function of Relax too; `double` is none."),
    *(Case(f"drawn {number + 1}", draw_relax(7, FORMS)) for number in range(4)),
    *(Case(f"drawn, of {dtype}",
           draw_relax(7, [in_dtype(form, dtype) for form in forms], dtype))
      for forms, dtype in ((FORMS, "float16"), (WHOLE_FORMS, "int32"))),
)  # fmt: skip
