"""Read off the text of a program what must stay, without asking TVM."""

import ast
import re
from collections import Counter
from dataclasses import dataclass, field

import torch

from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="new", rtol=1e-4, idempotent=True)

SHAPE = (2, 2, 2, 3)  # of all tensors: two images, two channels, two rows, three columns
KIND = 'R.Tensor((2, 2, 2, 3), "float32")'
CONSTANTS = {  # what stands for drawn numbers in the lines below
    "W": (2, 2, 1, 1),
    "W3": (2, 2, 3, 3),
    "WG": (2, 1, 1, 1),
    "WL": (1, 1, 3, 3),
    "WO": (4, 2, 1, 1),
    "WR": (2, 2, 1, 3),
    "G": (2,),
    "V": (2,),
    "G3": (3,),
    "V3": (3,),
    "G4": (4,),
    "V4": (4,),
}


@dataclass(eq=False)
class Value:
    """A value that a line names: an operation of others, a constant, a tuple, or an argument."""

    name: str = ""
    reads: list["Value"] = field(default_factory=list)
    words: dict = field(default_factory=dict)
    is_constant: bool = False


def check_rewrite(program, before, after):
    """A sentence where more operations are left of a sort than the rule leaves, else None."""
    may = count_needed(program)
    left = Counter(each.name for each in after)
    for name in sorted(left, key=lambda name: name != "nn.batch_norm"):
        if left[name] > may[name]:
            verb = "is" if left[name] == 1 else "are"
            return f"{left[name]} `{name}` {verb} left, and {may[name]} would do."
    return None


def count_needed(program):
    """How many operations of each name are left once each pair that may be folded has been."""
    functions = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.FunctionDef)]
    needed = Counter()
    for function in functions:
        if any(ast.unparse(each).startswith("R.function") for each in function.decorator_list):
            needed += _count_in(function)
    return needed


def _count_in(function):
    names = {each.arg: Value() for each in function.args.args}
    result = None
    for node in ast.walk(function):  # the lines of a block in their order
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = _value_of(node.value, names)
        elif isinstance(node, ast.Return):
            result = node.value
    # A function's `return` stands outside its block, and so before the block's lines in a walk.
    readers, live, waiting = Counter(), set(), [_value_of(result, names)]
    readers[waiting[0]] += 1
    while waiting:
        value = waiting.pop()
        if value in live:
            continue
        live.add(value)
        for each in value.reads:
            readers[each] += 1
            waiting.append(each)
    kept = Counter()
    for value in live:
        if value.name:
            kept["add" if _may_fold(value, readers) else value.name] += 1
    return kept


def _may_fold(norm, readers):
    if norm.name != "nn.batch_norm" or norm.words.get("training", True):
        return False
    conv = norm.reads[0]
    return (
        conv.name == "nn.conv2d"
        and conv.words.get("data_layout", "NCHW") == "NCHW"
        and norm.words["axis"] == 1
        and readers[conv] == 1
        and all(each.is_constant for each in (conv.reads[1], *norm.reads[1:]))
    )


def _value_of(node, names):
    if isinstance(node, ast.Name):
        return names.get(node.id, Value())
    if isinstance(node, ast.Tuple):
        return Value(reads=[_value_of(each, names) for each in node.elts])
    if isinstance(node, ast.Subscript):
        return Value(reads=[_value_of(node.value, names)])
    if not isinstance(node, ast.Call):  # a number
        return Value()
    called = ast.unparse(node.func)
    if called == "R.const":
        return Value(is_constant=True)
    if called == "R.call_tir":
        reads = [_value_of(each, names) for each in node.args[1].elts]
        return Value(node.args[0].attr, reads)
    words = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
    reads = [_value_of(each, names) for each in node.args]
    return Value(called.removeprefix("R.").removeprefix("cls."), reads, words)


def numbers(g, shape, least=None):
    """A constant's text. With `least` its numbers are between that and 2."""
    drawn = torch.randn(shape, generator=g, device=g.device, dtype=torch.float64)
    if least is not None:
        drawn = least + (2 - least) * torch.rand(shape, generator=g, device=g.device)
    digits = re.sub(r"-?\d+\.[\de-]+", lambda at: f"{float(at[0]):.2f}", str(drawn.tolist()))
    return f'R.const({digits}, "float32")'


def fill(line, g):
    """The line with drawn numbers: W is weights, N (N3, N4) the four vectors of a batch norm."""
    line = re.sub(r"\bN(\d?)\b", r"V\1, V\1, V\1, G\1", line)
    line = line.replace(" norm(", " R.nn.batch_norm(").replace(" conv(", " R.nn.conv2d(")
    return re.sub(
        rf"\b({'|'.join(CONSTANTS)})\b",
        lambda at: numbers(g, CONSTANTS[at[0]], 0.1 if at[0].startswith("G") else None),
        line,
    )


REST = "axis=1, training=False"
WIDE = "padding=2, dilation=2"


def function_text(lines, result, g, name="main", given="x y", results=KIND):
    """The text of a function with these lines, which returns what is named."""
    head = "@R.function" if name == "main" else "@R.function(private=True)"
    body = "".join(f"            {fill(line, g)}\n" for line in lines)
    arguments = ", ".join(f"{each}: {KIND if len(each) < 2 else MORE[each]}" for each in given.split())
    return (
        f"    {head}\n    def {name}({arguments}) -> {results}:\n        cls = Module\n"
        f"        with R.dataflow():\n{body}            out = {result}\n"
        "            R.output(out)\n        return out\n"
    )


MORE = {  # arguments beside images
    "weights": 'R.Tensor((2, 2, 1, 1), "float32")',
    **dict.fromkeys(("gamma", "beta", "mean", "variance"), 'R.Tensor((2,), "float32")'),
}
HEAD = "@I.ir_module\nclass Module:\n"


def case(name, lines, why, result="", given="x y", results=KIND):
    """A case of these lines; what the last one defines is returned, if nothing else is said."""
    lines = [part.strip() for part in lines.split(";")]
    last = result or lines[-1].split(" = ")[0]

    def make(g):
        text = HEAD + function_text(lines, last, g, "main", given, results)
        return text, *(tensor(g, each) for each in given.split())

    return Case(name, make, why)


def tensor(g, name="x"):
    shape = tuple(map(int, re.findall(r"\d+", MORE[name])[:-1])) if name in MORE else SHAPE
    drawn = torch.randn(shape, generator=g, device=g.device)
    return drawn.abs() + 0.1 if name == "variance" else drawn


def two_functions(g):
    """A module in which `main` calls another function of Relax and one of TensorIR."""
    loops = (
        "    @T.prim_func(private=True, s_tir=True)\n"
        '    def double(a: T.Buffer((2, 2, 2, 3), "float32"), b: T.Buffer((2, 2, 2, 3), "float32")):\n'
        "        for i, j, k, l in T.grid(2, 2, 2, 3):\n"
        '            with T.sblock("b"):\n'
        '                v_i, v_j, v_k, v_l = T.axis.remap("SSSS", [i, j, k, l])\n'
        "                b[v_i, v_j, v_k, v_l] = a[v_i, v_j, v_k, v_l] * T.float32(2)\n"
    )
    helper = ["a = conv(z, W)", f"b = norm(a, N, {REST})", "c = b[0]"]
    main = [
        "v = cls.helper(x)",
        f"w = R.call_tir(cls.double, (v,), out_ty={KIND})",
        "a = conv(w, W)",
        f"b = norm(a, N, {REST})",
        "c = R.nn.relu(b[0])",
    ]
    text = HEAD + loops + function_text(helper, "c", g, "helper", "z")
    return text + function_text(main, "c", g), tensor(g), tensor(g)


def drawn(g):
    """Steps drawn by dice: pairs, relus, sums, and convolutions that are read again."""

    def draw(high):
        return int(torch.randint(0, high, (1,), generator=g, device=g.device))

    lines, names = [], ["x", "y"]
    for row in range(3):
        a, b = (names[-1 - draw(min(3, len(names)))] for _ in "ab")
        weights, words = (("W", ""), ("WG", ", groups=2"))[draw(2)]
        pair = [f"c{row} = conv({a}, {weights}{words})",
                f"n{row} = norm(c{row}, N, epsilon={(1e-5, 0.1)[draw(2)]}, {REST})",
                f"v{row} = n{row}[0]"]
        forms = (pair, pair, [f"v{row} = R.nn.relu(R.add({a}, {b}))"],
                 [*pair[:2], f"v{row} = R.add(n{row}[0], c{row})"])
        lines += forms[draw(4)]
        names.append(f"v{row}")
    return HEAD + function_text(lines, names[-1], g), tensor(g), tensor(g)


CASES = (
    case("one pair", f"a = conv(x, W); n = norm(a, N, {REST}); b = n[0]",
         "A convolution and its batch norm."),
    case("groups, and steps of two",
         f"a = conv(x, WG, groups=2, strides=2); n = norm(a, N, {REST}); b = n[0]",
         "With two groups each row of the weights has one input channel, and `strides` are 2.",
         results='R.Tensor((2, 2, 1, 2), "float32")'),
    case("two pairs, and a sum around the second",
         f"a = conv(x, W); n = norm(a, N, {REST}); b = R.nn.relu(n[0]); c = conv(b, W3, {WIDE}); "
         f"m = norm(c, N, {REST}); d = R.nn.relu(R.add(m[0], b))",
         "Both convolutions have a batch norm behind them, and one reader; the second has a dilation."),
    case("a large epsilon",
         f"a = conv(x, W); n = norm(a, N, epsilon=0.5, {REST}); b = n[0]",
         "The epsilon is an attribute, and here it is 0.5."),
    case("without the scale, and without the shift",
         f"a = conv(x, W); n = norm(a, N, scale=False, {REST}); c = conv(n[0], W); "
         f"m = norm(c, N, center=False, {REST}); b = m[0]",
         "With `scale=False` a batch norm does not multiply by gamma, with `center=False` it does "
         "not add beta."),
    case("in training", "a = conv(x, W); n = norm(a, N, axis=1, training=True); b = n[0]",
         "In training the statistics are those of the batch."),
    case("a relu between", f"a = conv(x, W); r = R.nn.relu(a); n = norm(r, N, {REST}); b = n[0]",
         "A relu stands between convolution and batch norm."),
    case("the convolution is read again",
         f"a = conv(x, W); n = norm(a, N, {REST}); b = R.add(n[0], a)",
         "The sum reads what the convolution computes, before the batch norm."),
    case("the convolution is a result too",
         f"a = conv(x, W); n = norm(a, N, {REST}); b = n[0]",
         "The function returns what the convolution computes, too.",
         "(b, a)", results=f"R.Tuple({KIND}, {KIND})"),
    case("one batch norm behind the other",
         f"a = conv(x, W); n = norm(a, N, {REST}); m = norm(n[0], N, {REST}); b = m[0]",
         "The second batch norm reads no convolution."),
    case("weights and gamma are arguments",
         f"a = conv(x, weights); n = norm(a, N, {REST}); c = conv(n[0], W); "
         f"m = norm(c, gamma, V, V, G, {REST}); b = m[0]",
         "Weights of one convolution and gamma of the other pair are arguments: nobody knows their "
         "numbers yet.", given="x weights gamma"),
    case("beta, mean and variance are arguments",
         f"a = conv(x, W); n = norm(a, V, beta, V, G, {REST}); c = conv(n[0], W); "
         f"m = norm(c, V, V, mean, G, {REST}); d = conv(m[0], W); "
         f"o = norm(d, V, V, V, variance, {REST}); b = o[0]",
         "Of each of the three batch norms one vector is an argument: beta, the mean, the variance.",
         given="x beta mean variance"),
    case("more channels out than in",
         f"a = conv(x, WO); n = norm(a, N4, {REST}); b = n[0]",
         "The convolution reads two channels and makes four.",
         results='R.Tensor((2, 4, 2, 3), "float32")'),
    case("filters of one row and three columns",
         f"a = conv(x, WR, padding=(0, 1)); n = norm(a, N, {REST}); b = n[0]",
         "The filters are 1 × 3."),
    case("over the rows of images",
         "a = conv(x, W); n = norm(a, N, axis=2, training=False); b = n[0]",
         "`axis=2` gives each row of an image its own statistics."),
    case("channels last",
         'a = conv(x, WL, data_layout="NHWC", kernel_layout="HWIO"); '
         f"n = norm(a, N, {REST}); b = n[0]",
         "In the layout NHWC the axis 1 is the rows of images, and the weights are HWIO."),
    case("channels last, over the channels",
         'a = conv(x, WL, data_layout="NHWC", kernel_layout="HWIO"); '
         "n = norm(a, N3, axis=3, training=False); b = n[0]",
         "The batch norm is over the channels, and the layout is NHWC: it stays, as rule 4 asks for "
         "NCHW."),
    case("a transposed convolution",
         f"a = R.nn.conv2d_transpose(x, W); n = norm(a, N, {REST}); b = n[0]",
         "The operation is `nn.conv2d_transpose`."),
    case("all three results are read",
         f"a = conv(x, W); n = norm(a, N, {REST}); b = R.multiply(n[0], R.nn.relu(n[0])); "
         "c = R.subtract(n[1], n[2]); d = R.add(b, R.reshape(c, (1, 2, 1, 1)))",
         "The first result is read twice; the others are the running mean and variance."),
    Case("two functions, and one of TensorIR", two_functions,
         "`helper` is a function of Relax too; `double` is none."),
    Case("drawn", drawn, "Pairs, relus and sums, drawn by dice."),
)
