"""The subject of a ladder: a function in a text, its inputs, and the versions to compare it with."""

import ast
import re
from dataclasses import dataclass, replace

from tutor.base.python_trees import parse_python
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Request, Stage

_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)

TARGETS = (
    "sm_80",
    "sm_90",
    "sm_100",
    "gfx942",
)  # offered; any that tutor.hardware.gpus knows works


@dataclass(frozen=True)
class OtherText:
    """Another text of the same file: an earlier attempt, the worked solution."""

    label: str
    source: str


@dataclass(frozen=True)
class Subject:
    """`path`: the file that `source` is or was; `inputs` as `--input` takes them."""

    path: str
    source: str
    name: str
    inputs: tuple[str, ...] = ()
    target: str = "sm_90"
    backward: bool = False
    versions: tuple[OtherText, ...] = ()
    passes: bool = False
    compilers: tuple[str, ...] = ("inductor",)
    others_for: str = "cpu"  # what compilers beside Inductor lower for
    without: tuple[str, ...] = ()  # passes of Triton's that are left out in turn
    of_kernel: str = ""  # of this kernel; "": of each
    # The key of the stage to show first, and a line in it.
    opens: tuple[str, int | None] = ("", None)

    def request(self, source: str | None = None) -> Request:
        """Return the X-ray of `source`, or of the text. Raises `UsageError` for inputs that are none."""
        text = self.source if source is None else source
        return Request(
            self.path,
            self.name,
            parse_inputs(self.inputs),
            self.target,
            None,
            self.backward,
            source=text,
            passes=self.passes,
            without=self.without,
            of_kernel=self.of_kernel,
            compilers=self.compilers,
            others_for=self.others_for,
        )

    def first_stage(self) -> Stage | None:
        """Return the stage that this program can show before anything is lowered: the definition."""
        try:
            tree = parse_python(self.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        lines = self.source.split("\n")
        for node in tree.body:
            if isinstance(node, _DEFINITIONS) and node.name == self.name:
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                name, title = ("triton", "Triton kernel") if _is_jit(node) else ("source", "Source")
                end = node.end_lineno or first
                text, numbers = "\n".join(lines[first - 1 : end]), tuple(range(first, end + 1))
                return Stage(name, title, "python", text, numbers=numbers)
        return None

    def with_function(self, name: str) -> "Subject":
        """Return the same text with another function, whose inputs the learner must give."""
        return self if name == self.name else replace(self, name=name, inputs=())


@dataclass(frozen=True)
class Function:
    """A definition at the top of a text; `jit`: it is a Triton kernel."""

    name: str
    parameters: tuple[str, ...]
    jit: bool
    line: int


def functions(source: str) -> tuple[Function, ...]:
    """The functions and classes at the top level of a text; none where it is no Python."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    defined = []
    for node in tree.body:
        if isinstance(node, _DEFINITIONS):
            arguments = node.args.args if isinstance(node, ast.FunctionDef) else []
            names = tuple(argument.arg for argument in arguments)
            defined.append(Function(node.name, names, _is_jit(node), node.lineno))
    return tuple(defined)


def _is_jit(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return any(re.search(r"\bjit\b", ast.unparse(decorator)) for decorator in node.decorator_list)


def last_function(source: str) -> Function | None:
    """The last function or Triton kernel that a live cell defines."""
    defined = functions(source)
    return defined[-1] if defined else None
