"""Read off the text of a module what runs and what is written, without asking TVM."""

import ast
import math
from dataclasses import dataclass

import torch

from tutor.judge.spec import Case, Work

SIZES = {"float64": 8, "float32": 4, "float16": 2, "int32": 4, "int8": 1}
VIEWS = ("R.reshape",)
WHAT = ("units", "operations", "library calls", "bytes")


@dataclass(eq=False)
class Memory:
    """A result of a unit: its bytes, and whether another unit reads them."""

    bytes: int
    is_read: bool = False


def count(text):
    """Units, operations, library calls, and the bytes that units write for each other."""
    functions = {
        node.name: node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)
    }
    memories, held = [], {}
    units = operations = library = 0

    def made(kind):
        if isinstance(kind, ast.List) or ast.unparse(kind).startswith("R.Tuple"):
            return [made(each) for each in (kind.elts if isinstance(kind, ast.List) else kind.args)]
        memories.append(Memory(bytes_of(kind)))
        return memories[-1]

    def value_of(node):
        if isinstance(node, ast.Name):
            return held.get(node.id)
        if isinstance(node, ast.Tuple):
            return [value_of(each) for each in node.elts]
        if isinstance(node, ast.Subscript):
            of = value_of(node.value)
            return of[ast.literal_eval(node.slice)] if isinstance(of, list) else None
        if isinstance(node, ast.Call) and ast.unparse(node.func) in VIEWS:
            return value_of(node.args[0])
        return run(node) if isinstance(node, ast.Call) else None

    def run(node):
        nonlocal units, operations, library
        called = ast.unparse(node.func)
        words = {each.arg: each.value for each in node.keywords}
        if called in ("R.call_tir", "R.call_dps_packed"):
            given, kind, inside = [node.args[1]], words["out_ty"], 1
            library += called == "R.call_dps_packed"
        elif called.startswith("cls."):
            function = functions[called.removeprefix("cls.")]
            given, kind = node.args, function.returns
            inside = sum("R.call_tir" in ast.unparse(each.func) for each in ast.walk(function)
                         if isinstance(each, ast.Call))
        else:
            return None  # a constant, a shape
        units, operations = units + 1, operations + inside
        for each in given:
            mark(value_of(each))
        return made(kind)

    for node in functions["main"].body:
        for each in node.body if isinstance(node, ast.With) else [node]:
            name = each.targets[0] if isinstance(each, ast.Assign) else getattr(each, "target", None)
            if isinstance(name, ast.Name) and name.id != "cls":
                held[name.id] = value_of(each.value)
    return units, operations, library, sum(each.bytes for each in memories if each.is_read)


def mark(value):
    if isinstance(value, Memory):
        value.is_read = True
    for each in value if isinstance(value, list) else ():
        mark(each)


def bytes_of(kind):
    words = {each.arg: each.value for each in kind.keywords}
    shape = ast.literal_eval(kind.args[0])
    dtype = ast.literal_eval(words.get("dtype") or kind.args[1])
    return math.prod(shape) * SIZES[dtype]


def reference(source):
    return torch.tensor(count(source))


eager = reference


def work(source):
    return Work(bytes=len(source), flops=0)


def explain_wrong(got, source):
    """Return one sentence on the first number that is wrong."""
    for what, mine, right in zip(WHAT, got.tolist(), count(source), strict=False):
        if mine != right:
            return f"You count {mine} {what} in the place of {right}."
    return None


def check_found(found):
    """(code, sentence) where the count of a network is not that of its text, else None."""
    for name, each in found.items():
        right = list(count(each["text"]))
        if each["got"] != right:
            return (
                "wrong-values",
                f"Of the network of this day, {name}, you count {each['got']}. Its text says {right}:"
                " units, operations, library calls and bytes.",
            )
    return None


def figures(found):
    """The counts of the network, for the report."""
    counts = {name: count(each["text"]) for name, each in found.items()}
    return {
        name: f"{units} units of {operations} operations, {size:,} bytes from unit to unit"
        for name, (units, operations, _, size) in counts.items()
    }


def tensor(kind):
    """`2x3 float16` as Relax and TensorIR write it."""
    shape, dtype = kind.split()
    return f'(({shape.replace("x", ", ")},), "{dtype}")'


class Module:
    """The text of a module that grows: units of one operation, of several, and of a library."""

    def __init__(self, given="2x6 float32"):
        self.kinds = {"x": given, "w": given}
        self.lines, self.functions = [], []

    def loops(self, name, reads, writes):
        """A function with these inputs, which writes a zero into each result."""
        buffers = [*(self.kinds[each] for each in reads), *writes]
        names = [f"b{place}" for place in range(len(buffers))]
        given = ", ".join(
            f"{each}: T.Buffer{tensor(kind)}" for each, kind in zip(names, buffers, strict=True)
        )
        text = f"    @T.prim_func(private=True, s_tir=True)\n    def {name}({given}):\n"
        for each, kind in zip(names[len(reads) :], writes, strict=True):
            shape, dtype = kind.split()
            text += f"        {each}[{', '.join('0' for _ in shape.split('x'))}] = T.{dtype}(0)\n"
        self.functions.append(text)

    def one(self, result, name, reads, *writes):
        """A unit of one operation; several of what it writes make a tuple."""
        self.loops(name, reads.split(), writes)
        self.lines.append(f"{result} = {self.call(name, reads.split(), writes)}")
        self.keep(result, writes)

    def call(self, name, reads, writes):
        kinds = [f"R.Tensor{tensor(each)}" for each in writes]
        out = kinds[0] if len(kinds) == 1 else f"[{', '.join(kinds)}]"
        given = "".join(f"{each}, " for each in reads)
        return f"R.call_tir(cls.{name}, ({given.rstrip()}), out_ty={out})"

    def library(self, result, name, reads, writes):
        given = "".join(f"{each}, " for each in reads.split()).rstrip()
        self.lines.append(
            f'{result} = R.call_dps_packed("{name}", ({given}), out_ty=R.Tensor{tensor(writes)})'
        )
        self.keep(result, (writes,))

    def keep(self, result, writes):
        if len(writes) == 1:
            self.kinds[result] = writes[0]
        for place, kind in enumerate(writes):
            self.kinds[f"{result}[{place}]"] = kind

    def fused(self, result, names, reads, writes, called=""):
        """A unit of several operations, one after the other; the last one reads all inputs again.

        After the first one the value is viewed, in its own shape.
        """
        names, given = names.split(), reads.split()
        inner = dict(zip([f"p{place}" for place in range(len(given))], given, strict=True))
        self.kinds |= {each: self.kinds[outer] for each, outer in inner.items()}
        lines, before = [], []
        for place, name in enumerate(names):
            reads_now = list(inner) if place in (0, len(names) - 1) else []
            self.kinds[f"q{place}"] = writes
            self.loops(name, [*before, *reads_now], [writes])
            lines.append(f"q{place} = {self.call(name, [*before, *reads_now], [writes])}")
            before = [f"q{place}"]
            if place == 0 and len(names) > 1:
                shape = writes.split()[0].replace("x", ", ")
                self.kinds["view"] = writes
                lines.append(f"view = R.reshape(q0, R.shape([{shape}]))")
                before = ["view"]
        arguments = ", ".join(f"{each}: R.Tensor{tensor(self.kinds[each])}" for each in inner)
        name = called or "fused_" + "_".join(names)
        body = "".join(f"            {line}\n" for line in lines)
        self.functions.append(
            f"    @R.function(private=True)\n    def {name}({arguments}) -> R.Tensor{tensor(writes)}:\n"
            '        R.func_attr({"Primitive": True})\n        cls = Module\n'
            f"        with R.dataflow():\n{body}            R.output({before[0]})\n"
            f"        return {before[0]}\n"
        )
        self.lines.append(f"{result} = cls.{name}({', '.join(given)})")
        self.keep(result, (writes,))

    def line(self, text, kind=""):
        """A line that is no unit."""
        self.lines.append(text)
        if kind:
            self.kinds[text.split(" = ")[0]] = kind

    def text(self, result, kind=""):
        body = "".join(f"            {line}\n" for line in self.lines)
        kind = kind or f"R.Tensor{tensor(self.kinds[result])}"
        given = ", ".join(f"{each}: R.Tensor{tensor(self.kinds[each])}" for each in "xw")
        return (
            "@I.ir_module\nclass Module:\n" + "".join(self.functions)
            + f"    @R.function\n    def main({given}) -> {kind}:\n        cls = Module\n"
            f"        with R.dataflow():\n{body}            out = {result}\n"
            "            R.output(out)\n        return out\n"
        )


KIND = "2x6 float32"  # of 48 bytes


def chain():
    module = Module()
    module.one("a", "exp", "x", KIND)
    module.one("b", "add", "a w", KIND)
    module.one("c", "relu", "b", KIND)
    return module.text("c")


def one_unit():
    module = Module()
    module.fused("a", "exp add relu", "x w", KIND)
    return module.text("a")


def fused_and_single():
    module = Module()
    module.one("a", "conv", "x w", "4x5x3 float32")
    module.fused("b", "norm relu", "a", "4x5x3 float32")
    module.one("c", "pool", "b", "4x5 float32")
    module.fused("d", "matmul add", "c b", "4x2 float32", "tail")
    return module.text("d")


def two_readers():
    module = Module()
    module.one("a", "exp", "x", KIND)
    module.one("b", "tanh", "a", KIND)
    module.one("c", "add", "a b", KIND)
    module.one("d", "multiply", "a c", KIND)
    return module.text("d")


def nobody_reads():
    module = Module()
    module.one("a", "exp", "x", "7x3 float32")
    module.one("b", "tanh", "x", KIND)
    module.one("c", "add", "b w", KIND)
    return module.text("c")


def returned_and_read():
    module = Module()
    module.one("a", "exp", "x", KIND)
    module.one("b", "sum", "a", "2 float32")
    return module.text("(a, b)", 'R.Tuple(R.Tensor((2, 6), "float32"), R.Tensor((2,), "float32"))')


def returned_only():
    module = Module()
    module.one("a", "exp", "x", "9x9 float32")
    module.one("b", "sum", "x", "2 float32")
    return module.text(
        "(a, b)", 'R.Tuple(R.Tensor((9, 9), "float32"), R.Tensor((2,), "float32"))'
    )


def all_arguments():
    module = Module()
    module.one("a", "exp", "x", "3x2 float32")
    module.one("b", "tanh", "x", "5x2 float16")
    module.fused("c", "matmul add", "a b", "3x5 float32")
    return module.text("c")


def library_calls():
    module = Module()
    module.library("a", "cblas.matmul", "x w", "2x2 float32")
    module.fused("b", "add relu", "a", "2x2 float32")
    module.library("c", "cblas.matmul", "b b", "2x2 float32")
    return module.text("c")


def tuples():
    module = Module()
    module.one("a", "exp", "x", KIND)
    module.line("t = (a, w)")
    module.line("b = t[0]", KIND)
    module.one("c", "add", "b w", KIND)
    module.line("d = c", KIND)
    module.one("e", "relu", "d", KIND)
    return module.text("e")


def tuple_of_a_unit():
    module = Module()
    module.one("a", "topk", "x", "2x3 float32", "2x3 int32", "2x5 float16")
    module.line("b = a[0]", "2x3 float32")
    module.line("c = a[1]", "2x3 int32")
    module.one("d", "gather", "b c", "2x3 float32")
    return module.text("d")


def other_dtypes():
    module = Module()
    module.one("a", "cast", "x", "2x6 float16")
    module.one("b", "scale", "a", "2x6 int8")
    module.one("c", "sums", "b", "2 int32")
    module.one("d", "mean", "c", "2 float64")
    module.one("e", "back", "d", "2 float32")
    return module.text("e")


def views():
    module = Module()
    module.one("a", "exp", "x", KIND)
    module.line("b = R.reshape(a, R.shape([3, 4]))", "3x4 float32")
    module.line("v = R.reshape(b, R.shape([6, 2]))", "6x2 float32")
    module.one("c", "relu", "v", "6x2 float32")
    module.line("d = R.reshape(c, R.shape([12]))", "12 float32")
    return module.text("d")


def view_and_value():
    module = Module()
    module.one("a", "exp", "x", KIND)
    module.line("b = R.reshape(a, R.shape([12]))", "12 float32")
    module.one("c", "relu", "b", "12 float32")
    module.one("d", "sum", "a", "2 float32")
    module.one("e", "scale", "c d", "12 float32")
    return module.text("e")


def constants():
    module = Module()
    module.line('k = R.const([[1.0, 2.0], [3.0, 4.0]], "float32")', "2x2 float32")
    module.one("a", "matmul", "k x", "2x6 float32")
    module.one("b", "add", "a w", "2x6 float32")
    return module.text("b")


def a_function_called_twice():
    module = Module()
    module.fused("a", "scale relu", "x", KIND)
    module.line("b = cls.fused_scale_relu(a)", KIND)
    module.line("c = cls.fused_scale_relu(b)", KIND)
    module.one("d", "add", "c a", KIND)
    return module.text("d")


def drawn(g):
    """Units one after the other, of sorts and sizes that are drawn."""

    def draw(high):
        return int(torch.randint(0, high, (1,), generator=g, device=g.device))

    module, names = Module(), ["x", "w"]
    dtypes = ("float32", "float16", "int8", "int32")
    for row in range(6):
        kind = f"{2 + draw(5)}x{2 + draw(7)} {dtypes[draw(4)]}"
        a, b = (names[-1 - draw(min(4, len(names)))] for _ in "ab")
        sort = draw(5)
        if sort == 0:
            module.fused(f"v{row}", f"f{row} g{row} h{row}"[: 5 + 3 * draw(2)], f"{a} {b}", kind)
        elif sort == 1:
            module.library(f"v{row}", f"library.f{row}", f"{a} {b}", kind)
        elif sort == 2:
            module.line(f"t{row} = ({a}, {b})")
            module.line(f"v{row} = t{row}[1]", module.kinds[b])
        else:
            module.one(f"v{row}", f"k{row}", f"{a} {b}", kind)
        names.append(f"v{row}")
    return (module.text(names[-1]),)


def case(name, make):
    return Case(name, lambda g: (make(),))


CASES = (
    case("three units", chain),
    case("one unit of three operations", one_unit),
    case("single and fused", fused_and_single),
    case("a value with three readers", two_readers),
    case("a value that nobody reads", nobody_reads),
    case("returned, and read", returned_and_read),
    case("returned, and not read", returned_only),
    case("a fused function with two values", all_arguments),
    case("calls of a library", library_calls),
    case("a tuple, and a second name", tuples),
    case("a unit with three results", tuple_of_a_unit),
    case("other dtypes", other_dtypes),
    case("views", views),
    case("a view and the value itself", view_and_value),
    case("constants", constants),
    case("one function called three times", a_function_called_twice),
    *(Case(f"drawn {number + 1}", drawn) for number in range(2)),
)
