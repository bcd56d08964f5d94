"""A case as a learner writes it: a short call such as `softmax(zeros(f32[4, 1025]))`, read as data.

Nothing of it is evaluated: the text is parsed, and each node is one of these.

    f32[4, 1025]                a tensor of normal numbers: dtype and shape
    f32[4, 100][200, 2]         the same with strides
    zeros(…), ones(…), large(…), negative(…), counting(…)
    full(…, -inf)               one number everywhere
    one(…, nan)                 normal numbers, and this one among them
    values(f32[2, 2], 1, 0, 0, 1)   these numbers in row-major order, from the first on again
    128, 1e-5, True, None, "x"  an argument that is no tensor

The name of the function may be left out: `x=f32[4, 1025]`.
"""

import ast
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from tutor.base.errors import UsageError
from tutor.base.python_trees import parse_python
from tutor.xray.model.input_specs import DTYPES

MOST_CASES = 12
MOST_TEXT = 300  # characters of a case
MOST_FILE = 20_000  # characters of a file of cases
MOST_ELEMENTS = 1 << 16  # of one tensor
MOST_EXTENT = 1 << 20  # elements from the first to the last that strides reach
MOST_SIZES = 6
MOST_VALUES = 64
LARGEST_NUMBER = 1 << 31  # of an argument that is no tensor

# What may stand in a tensor, and what it means to a reader.
FILLS = {
    "normal": "normal numbers",
    "zeros": "zeros",
    "ones": "ones",
    "large": "normal numbers times 10,000",
    "negative": "numbers below -100",
    "counting": "0, 1, 2, …",
    "full": "one number everywhere",
    "one": "normal numbers, and one other among them",
    "values": "numbers that are written out",
}
_TAKES = {"full": (1, 1), "one": (1, 1), "values": (1, MOST_VALUES)}
_SPECIAL = {"nan": math.nan, "inf": math.inf}
_BY_TORCH_NAME = {name: short for short, (name, _, _) in DTYPES.items()}
_KNOWN = ("f32", "f16", "bf16", "f64", "i64", "i32", "i16", "i8", "u8", "bool")

Plain: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True)
class TensorText:
    """A tensor of a case. `dtype` as in `input_specs.DTYPES`; strides `()`: contiguous. `fill` is a key
    of `FILLS`, `numbers` are those that it takes."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] = ()
    fill: str = "normal"
    numbers: tuple[float, ...] = ()

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def extent(self) -> int:
        """How many elements of memory it spans."""
        if not self.strides or not self.elements:
            return self.elements
        steps = zip(self.shape, self.strides, strict=True)
        return 1 + sum((size - 1) * step for size, step in steps)


Value: TypeAlias = TensorText | Plain


@dataclass(frozen=True)
class CaseText:
    """A case that was read: its text in one line, and its arguments in the order of the signature."""

    text: str
    args: tuple[Value, ...]
    line: int = 0  # of a file of cases


def parse_case(text: str, entry: str) -> CaseText:
    """Return the case that `text` writes for the function of the signature `entry`, `softmax(x)`.

    Raises `UsageError` with one sentence on what cannot be read, is too large, or is missing.
    """
    written = " ".join(text.split())
    if len(written) > MOST_TEXT:
        raise UsageError(f"a case has at most {MOST_TEXT} characters, this one {len(written)}")
    return CaseText(written, _read_call(_parse_call(written, entry), entry))


def parse_cases(texts: Iterable[str], entry: str) -> tuple[CaseText, ...]:
    """Return the cases, at most `MOST_CASES`. Raises `UsageError` as `parse_case`, with its number."""
    cases: list[CaseText] = []
    for number, text in enumerate(texts, 1):
        if number > MOST_CASES:
            raise UsageError(f"at most {MOST_CASES} cases are played")
        try:
            cases.append(parse_case(text, entry))
        except UsageError as error:
            raise UsageError(f"case {number}: {error}") from None
    return tuple(cases)


def parse_case_file(source: str, entry: str) -> tuple[CaseText, ...]:
    """Return the cases of a file whose function `cases` holds one call a line. Nothing of it runs.

    Raises `UsageError` with the line of what is no case.
    """
    if len(source) > MOST_FILE:
        raise UsageError(f"a file of cases has at most {MOST_FILE} characters")
    try:
        tree = parse_python(source)
    except SyntaxError as error:
        raise UsageError(f"line {error.lineno or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise UsageError("the file cannot be read as Python") from None
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "cases"]
    if len(found) != 1:
        raise UsageError("the file has no function `cases`, in which one call a line stands")
    cases: list[CaseText] = []
    for node in found[0].body:
        if _says_nothing(node):
            continue
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            raise UsageError(
                f"line {node.lineno}: only calls such as `{_example(entry)}` stand here; nothing is run"
            )
        called = ast.unparse(node.value.func)
        if called not in (entry.split("(", 1)[0], *FILLS):
            raise UsageError(
                f"line {node.lineno}: `{_short(called)}` is called; a case is a call such as "
                f"`{_example(entry)}`"
            )
        if len(cases) == MOST_CASES:
            raise UsageError(f"line {node.lineno}: at most {MOST_CASES} cases are played")
        written = ast.get_source_segment(source, node) or ""
        try:
            case = parse_case(written, entry)
        except UsageError as error:
            raise UsageError(f"line {node.lineno}: {error}") from None
        cases.append(CaseText(case.text, case.args, node.lineno))
    return tuple(cases)


def parameters_of(entry: str) -> tuple[str, ...]:
    """Return the names of the parameters of a signature."""
    function = parse_python(f"def {entry}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    return tuple(argument.arg for argument in function.args.args)


def describe_value(value: Value) -> str:
    """Return a value as a case writes it."""
    if not isinstance(value, TensorText):
        return repr(value)
    strides = f"[{', '.join(map(str, value.strides))}]" if value.strides else ""
    tensor = f"{value.dtype}[{', '.join(map(str, value.shape))}]{strides}"
    if value.fill == "normal":
        return tensor
    return f"{value.fill}({', '.join([tensor, *(f'{number:g}' for number in value.numbers)])})"


def _says_nothing(node: ast.stmt) -> bool:
    """Return True for a docstring, `pass` and `...`."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value is ... or isinstance(node.value.value, str)
    return isinstance(node, ast.Pass)


def _example(entry: str) -> str:
    name = entry.split("(", 1)[0]
    return f"{name}({', '.join('f32[8, 100]' for _ in parameters_of(entry)[:1])}, …)"


def _parse_call(text: str, entry: str) -> ast.Call:
    """Return the call that a text writes, with or without the function's name."""
    name = entry.split("(", 1)[0]
    for whole in (text, f"{name}({text})"):
        try:
            node = parse_python(whole, "eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            return node
    raise UsageError(f"`{_short(text)}` is no call of {name}, such as {_example(entry)}")


def _read_call(call: ast.Call, entry: str) -> tuple[Value, ...]:
    names = parameters_of(entry)
    given: dict[str, ast.expr] = {}
    if len(call.args) > len(names):
        raise UsageError(f"{entry} takes {len(names)} arguments, not {len(call.args)}")
    for name, node in zip(names, call.args, strict=False):
        given[name] = node
    for keyword in call.keywords:
        if keyword.arg not in names:
            raise UsageError(f"{entry} has no argument `{_short(str(keyword.arg))}`")
        if keyword.arg in given:
            raise UsageError(f"`{keyword.arg}` is given twice")
        given[keyword.arg] = keyword.value
    if missing := [name for name in names if name not in given]:
        raise UsageError(f"{entry} needs `{missing[0]}` too")
    return tuple(_read_value(given[name], name) for name in names)


def _read_value(node: ast.expr, name: str) -> Value:
    """Return a tensor or a plain value. Raises `UsageError` that names the argument."""
    if isinstance(node, ast.Subscript):
        return _read_tensor(node, name)
    if isinstance(node, ast.Call):
        return _read_filled(node, name)
    if isinstance(node, ast.Constant) and (
        node.value is None or isinstance(node.value, bool | int | float | str)
    ):
        return _bound(node.value, name)
    if (number := _read_number(node)) is not None:
        return _bound(number, name)
    raise UsageError(
        f"`{name}` is `{_short(ast.unparse(node))}`; a case has tensors such as f32[8, 100], and numbers"
    )


def _bound(value: Plain, name: str) -> Plain:
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        raise UsageError(f"`{name}` is larger than 2**31")
    return value


def _read_filled(node: ast.Call, name: str) -> TensorText:
    """Return `zeros(f32[8])` and its like."""
    fill = node.func.id if isinstance(node.func, ast.Name) else ""
    if fill not in FILLS:
        words = ", ".join(FILLS)
        raise UsageError(f"`{name}`: there is no `{_short(ast.unparse(node.func))}`; take {words}")
    if node.keywords or not node.args or not isinstance(node.args[0], ast.Subscript):
        raise UsageError(f"`{name}`: `{fill}` takes a tensor first, such as {fill}(f32[8, 100])")
    tensor = _read_tensor(node.args[0], name)
    least, most = _TAKES.get(fill, (0, 0))
    numbers = [_read_number(argument) for argument in node.args[1:]]
    if not least <= len(numbers) <= most or None in numbers:
        takes = (
            "nothing else" if not most else "one number" if most == 1 else f"1 to {most} numbers"
        )
        raise UsageError(f"`{name}`: `{fill}` takes a tensor and {takes}")
    found = tuple(float(number) for number in numbers if number is not None)
    return TensorText(tensor.dtype, tensor.shape, tensor.strides, fill, found)


def _read_tensor(node: ast.Subscript, name: str) -> TensorText:
    inner, strides = node, None
    if isinstance(node.value, ast.Subscript):
        inner, strides = node.value, _read_sizes(node.slice, name)
    if not isinstance(inner.value, ast.Name):
        raise UsageError(f"`{name}`: a tensor is a dtype and its sizes, such as f32[8, 100]")
    dtype = _BY_TORCH_NAME.get(inner.value.id, inner.value.id)
    if dtype not in _KNOWN:
        known = ", ".join(_KNOWN)
        raise UsageError(f"`{name}`: there is no dtype `{_short(inner.value.id)}`; take {known}")
    shape = _read_sizes(inner.slice, name)
    if strides is not None and len(strides) != len(shape):
        raise UsageError(f"`{name}` has {len(shape)} sizes and {len(strides)} strides")
    tensor = TensorText(dtype, shape, strides or ())
    if tensor.elements > MOST_ELEMENTS:
        raise UsageError(
            f"`{name}` has {tensor.elements} elements; a tensor has at most {MOST_ELEMENTS}"
        )
    if tensor.extent > MOST_EXTENT:
        raise UsageError(f"`{name}` reaches over more than {MOST_EXTENT} elements")
    return tensor


def _read_sizes(node: ast.expr, name: str) -> tuple[int, ...]:
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    sizes = [_read_number(each) for each in nodes]
    if len(sizes) > MOST_SIZES or not all(type(size) is int and size >= 0 for size in sizes):
        raise UsageError(
            f"`{name}`: sizes and strides are at most {MOST_SIZES} whole numbers from 0 on"
        )
    return tuple(int(size) for size in sizes if size is not None)


def _read_number(node: ast.expr) -> int | float | None:
    """Return a number, `nan`, `inf` or one of these with a sign; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _read_number(node.operand)
        return None if number is None else -number
    if isinstance(node, ast.Name):
        return _SPECIAL.get(node.id)
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, float) or abs(value) <= LARGEST_NUMBER else None


def _short(text: str) -> str:
    """A learner's text in a sentence: one line, bounded, control characters escaped."""
    shown = ascii(text)[1:-1] if not text.isprintable() else text
    return shown if len(shown) <= 40 else f"{shown[:39]}…"
