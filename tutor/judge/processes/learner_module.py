"""Loading of a learner's text as a module, and reports of its errors in the learner's own lines."""

import ast
import functools
import inspect
import linecache
import os
import re
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from tutor.base.python_trees import parse_python
from tutor.judge.processes.wire import escape_surrogates
from tutor.judge.processes.worker_messages.records import LearnerError

MAX_MESSAGE = 4_000  # characters of an error's message
MAX_DETAIL = 16_000  # characters of an error's whole text
MAX_CONSTANTS = 1_000  # limit on the top-level names that are read
OTHER_TEXT = (
    "SyntaxErrorOfText"  # the type reported for a text that `eval`, `exec` or torch compiled
)
_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")  # of a project's own folder
_MOST_LEVELS = 4  # of folders above a file's own in which a module is looked for
_MOST_FRAMES = 12  # of a traceback, in the learner's file
_MAX_CAUSES = 20
_STANDARD, _PROGRAM = Path(ast.__file__).parent, Path(__file__).parents[2]
_BETWEEN = ("torch", "triton", "numpy", "tvm", "tvm_ffi", "onnx", "onnxruntime")
# Exceptions in which Triton's compiler wraps an error (triton.compiler.errors).
_COMPILERS = ("CompilationError", "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct")


class OutOfTime(BaseException):
    """A request is near its limit. The text says which line of the learner's file was running."""


class Unloadable(Exception):
    """The text cannot be loaded as a usable module. `report` says why (see `describe_error`)."""

    def __init__(
        self, code: str, report: LearnerError, module: types.ModuleType | None = None
    ) -> None:
        super().__init__(code)
        self.code = code
        self.report = report
        self.module = module  # what was defined before it raised


def load_module(source: str, filename: str, name: str = "submission") -> types.ModuleType:
    """Execute `source` as module `name`, whose lines `inspect` and tracebacks can find.

    `@triton.jit` and Dynamo read a function's source through `linecache`. An entry without a
    modification time is never compared with a file of that name. Raises `Unloadable`.
    """
    remember(source, filename)
    module = types.ModuleType(name)
    module.__file__ = filename
    module.__package__ = _open_folder(filename, _count_levels(source))
    sys.modules[name] = module
    twin = f"{module.__package__}.{Path(filename).stem}" if module.__package__ else name
    known = twin in sys.modules
    try:
        code = compile(source, filename, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # too deeply nested
        raise Unloadable("compile-error", describe_error(error, filename)) from None
    space = dict(module.__dict__)
    while True:
        try:
            with mock.patch.object(sys, "argv", [filename]):  # a file may read it
                exec(code, module.__dict__)
        except OutOfTime:
            raise
        except BaseException as error:
            if not known and (imported := _find_imported(twin, filename, source)):
                sys.modules[name] = imported
                return imported
            if isinstance(error, ImportError) and _open_root(filename, error):
                module.__dict__.clear()
                module.__dict__.update(space)
                continue
            # The learner's code can raise SystemExit at import as well as NameError.
            raise Unloadable("import-error", describe_error(error, filename), module) from None
        return module


def _count_levels(source: str) -> int:
    """Return the most dots before a name that is imported; 0 where the text cannot be read."""
    try:
        nodes = list(ast.walk(parse_python(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    return max((node.level for node in nodes if isinstance(node, ast.ImportFrom)), default=0)


def _open_folder(filename: str, levels: int) -> str:
    """Let the file import what lies beside it, as `python FILE` does, and what its package has by
    relative imports. Return the name of that package, "" if the file is in none.

    The folders come last: a `torch.py` of the learner's is not the torch meant. The file itself need not
    be written yet, but a bare name of no file says nothing of a folder. A package may lack
    `__init__.py`: it reaches at least as far up as the `levels` of the file's relative imports.
    """
    path = Path(filename)
    folder = root = path.absolute().parent
    if not (path.is_file() or (path.is_absolute() and folder.is_dir())):
        return ""
    names: list[str] = []
    while len(names) < levels or ((root / "__init__.py").is_file() and root.name.isidentifier()):
        if not root.name:
            return ""
        names.insert(0, root.name)
        root = root.parent
    for place in map(str, dict.fromkeys((folder, root))):
        if place not in sys.path:
            sys.path.append(place)
    return ".".join(names)


def _open_root(filename: str, error: ImportError) -> bool:
    """Let the file import what its project has, as `python -m` in the project's folder does: where a
    name is missing that a folder above the file has, that folder is opened. Return True if one was.

    Looked at are the folders up to the project's own; of those without a mark of a project, the nearest.
    A name that is missing in a folder without `__init__.py` is looked for in another one of that name.
    """
    path = Path(filename)
    empty = error.name and not error.path and not isinstance(error, ModuleNotFoundError)
    if not (error.name and path.is_file()) or (empty and error.name not in sys.modules):
        return False
    wanted = re.search(r"^cannot import name '(\w+)'", str(error)) if empty else None
    parts = [*error.name.split("."), *([wanted[1]] if wanted else [])]
    for level, folder in enumerate(path.absolute().parents):
        if (
            level > _MOST_LEVELS
            or str(folder) == os.path.expanduser("~")
            or folder.parent == folder
        ):
            return False
        has = _has_module(folder, parts) or (empty and _has_module(folder, parts[:1], file=True))
        if has and str(folder) not in sys.path:
            sys.path.append(str(folder))
            # A folder of this name elsewhere, without `__init__.py`, stands for a package until it goes.
            first = sys.modules.get(parts[0])
            if empty or (first and getattr(first, "__file__", None) is None):
                sys.modules.pop(parts[0], None)
                sys.modules.pop(error.name, None)
            return True
        if any((folder / mark).exists() for mark in _MARKS):
            return False
    return False


def _has_module(folder: Path, parts: list[str], file: bool = False) -> bool:
    """Return True if the folder has this module, or folders of its name; with `file`, only a file."""
    place = folder.joinpath(*parts)
    if place.with_name(f"{place.name}.py").is_file() or (place / "__init__.py").is_file():
        return True
    return not file and place.is_dir() and any(place.rglob("*.py"))


def _find_imported(name: str, filename: str, source: str) -> types.ModuleType | None:
    """Return the file's module if its own package has imported it, to its end, meanwhile. What the file
    may do once only, such as to register a name, it has then done there, and raises the second time."""
    module = sys.modules.get(name)
    if module is None or getattr(module.__spec__, "_initializing", True):
        return None
    path = Path(getattr(module, "__file__", None) or "")
    try:
        same = path.samefile(filename) and path.read_text("utf-8-sig") == source
    except (OSError, UnicodeDecodeError):
        return None
    return module if same else None


def execute(source: str, filename: str, space: dict[str, Any], *, echo: bool) -> None:
    """Run `source` in `space`. With `echo`, a last statement that is an expression prints its value
    as Python's prompt does (`sys.displayhook`). Raises what the code raises."""
    tree = parse_python(source, filename=filename)
    last = tree.body.pop() if echo and tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, filename, "exec"), space)
    if isinstance(last, ast.Expr):
        exec(compile(ast.Interactive([last]), filename, "single"), space)


def remember(source: str, filename: str) -> None:
    """Let tracebacks and Triton find the lines of a text that is no file."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)


def find_entry(module: types.ModuleType, entry: str) -> Callable[..., Any]:
    """Return the function that `entry` ("add(x, y)") names if it accepts that call. Raises
    `Unloadable`."""
    name, _, rest = entry.partition("(")
    function = module.__dict__.get(name)
    if function is None:
        close = [n for n, v in vars(module).items() if isinstance(v, types.FunctionType)]
        has = f"; it defines {', '.join(close[:5])}" if close else ""
        raise Unloadable(
            "wrong-signature", LearnerError(f"Your file defines no function `{name}`{has}.")
        )
    if not callable(function) or _is_kernel(function):
        raise Unloadable(
            "wrong-signature",
            LearnerError(
                f"`{name}` must be a plain Python function that launches the kernel "
                f"and returns a tensor: `{entry}`.",
                line=_line(function),
            ),
        )
    wanted = inspect.signature(_from_text(f"def {name}({rest}: pass", name))
    try:
        signature = inspect.signature(function)
        signature.bind(*[None] * sum(p.default is p.empty for p in wanted.parameters.values()))
        signature.bind(*[None] * len(wanted.parameters))
    except TypeError:
        raise Unloadable(
            "wrong-signature",
            LearnerError(
                f"`{name}` takes {signature}; it is called as `{entry}`.", line=_line(function)
            ),
        ) from None
    except ValueError:  # a callable whose signature cannot be read: let the call decide
        pass
    return function  # type: ignore[no-any-return]


def _is_kernel(value: Any) -> bool:
    return type(value).__module__.startswith("triton.")


def _from_text(text: str, name: str) -> Callable[..., Any]:
    space: dict[str, Any] = {}
    exec(text, space)
    return space[name]  # type: ignore[no-any-return]


def _line(value: Any) -> int | None:
    code = getattr(inspect.unwrap(getattr(value, "fn", value)), "__code__", None)
    return code.co_firstlineno if code else None


def constants(module: types.ModuleType) -> dict[str, Any]:
    """Return the module's own numbers, strings and booleans by name, for `check_module`.

    Numbers of more than 64 bits and long strings are left out: no exercise asks for them.
    """
    return {
        name: value
        for name, value in list(vars(module).items())[:MAX_CONSTANTS]
        if type(name) is str and not name.startswith("__") and _is_constant(value)
    }


def _is_constant(value: Any) -> bool:
    if type(value) is int:
        return value.bit_length() <= 64
    if type(value) is str:
        return len(value) <= MAX_MESSAGE
    return type(value) in (bool, float)


def describe_error(error: BaseException, filename: str) -> LearnerError:
    """Return a bounded report: the error, its line in the learner's file, and the whole text.

    The innermost cause is reported because Triton's interpreter wraps the learner's error in its own.
    """
    chain = [error]
    # `raise e from e` makes a cycle.
    while chain[-1].__cause__ is not None and len(chain) < _MAX_CAUSES:
        chain.append(chain[-1].__cause__)
    cause = chain[-1]
    kind = type(cause).__name__
    if isinstance(cause, SyntaxError) and cause.filename not in (filename, None):
        kind = OTHER_TEXT
    return LearnerError(
        type=escape_surrogates(kind[:MAX_MESSAGE]),
        message=escape_surrogates(_message(cause)[:MAX_MESSAGE]),
        line=_line_of(chain, filename),
        lines=_lines_of(cause, filename),
        place=escape_surrogates(_place_of(chain, filename)[:MAX_MESSAGE]),
        compiling=any(type(cause).__name__ in _COMPILERS for cause in chain),
        launched=any(map(_below_triton, chain)),
        detail=escape_surrogates(trim_traceback(error, filename)[-MAX_DETAIL:]),
    )


_DECORATING = ("autotune", "heuristics", "jit", "decorator", "__init__")  # functions of Triton


def _below_triton(error: BaseException) -> bool:
    """Return True if Triton raised it, or a kernel that Triton ran; a decorator runs none."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(
        str(frame.f_globals.get("__name__")).startswith("triton.")
        and frame.f_code.co_name not in _DECORATING
        for frame in frames
    )


def _message(error: BaseException) -> str:
    try:
        if isinstance(error, SyntaxError):
            return str(error.msg or "invalid syntax")
        return str(error)
    except BaseException:  # a learner's exception class may fail to print itself
        return f"<{type(error).__name__} that cannot be printed>"


def _line_of(chain: list[BaseException], filename: str) -> int | None:
    """Return the line of the learner's file that the innermost cause with a line names."""
    if isinstance(chain[-1], SyntaxError) and chain[-1].filename in (filename, None):
        return chain[-1].lineno if isinstance(chain[-1].lineno, int) else None
    for cause in reversed(chain):
        if line := _compiler_line(cause, filename):
            return line
        found = getattr(cause, "learner_line", None)  # what judges a model has looked for it
        if isinstance(found, int):
            return found
    message = _message(chain[-1])
    if line := _find_traced_line(message, filename) or _find_printed_line(message, filename):
        return line
    for cause in reversed(chain):
        frames = [f for f in traceback.extract_tb(cause.__traceback__) if f.filename == filename]
        if frames:
            return frames[-1].lineno
    return None


def _lines_of(error: BaseException, filename: str) -> tuple[int | None, ...]:
    """Return the lines of the learner's file that the traceback names, the innermost last."""
    frames = traceback.extract_tb(error.__traceback__)
    return tuple(f.lineno for f in frames if f.filename == filename)[-_MOST_FRAMES:]


def _place_of(chain: list[BaseException], filename: str) -> str:
    """Return "kernels.py, line 8" if that is where the error is, in another file than the learner's that
    is no library's; else ""."""
    for cause in reversed(chain):
        if _compiler_line(cause, filename):
            return ""
        for other in list(linecache.cache):
            if not _is_library(other) and (line := _compiler_line(cause, other)):
                return f"{Path(other).name}, line {line}"
    for cause in reversed(chain):
        for frame in reversed(traceback.extract_tb(cause.__traceback__)):
            if frame.filename == filename:
                return ""
            if not _is_library(frame.filename):
                return f"{Path(frame.filename).name}, line {frame.lineno}"
    return ""


@functools.cache
def _is_library(filename: str) -> bool:
    """Return True for a file of Python, of this program, or of what runs a kernel between the learner's
    frames; also for a text that is no file."""
    path = Path(filename)
    if filename.startswith("<") or not path.is_file():
        return True
    files = [getattr(sys.modules.get(name), "__file__", None) for name in _BETWEEN]
    between = [Path(file).parent for file in files if file]
    if any(path.is_relative_to(folder) for folder in (*between, _PROGRAM)):
        return True
    return path.is_relative_to(_STANDARD) and "site-packages" not in path.parts


def _compiler_line(error: BaseException, filename: str) -> int | None:
    """Return the line of a Triton `CompilationError`, which counts from its function's first line; None
    if that function is not in this file."""
    src, line = getattr(error, "src", None), getattr(getattr(error, "node", None), "lineno", None)
    if not isinstance(src, str) or not isinstance(line, int):
        return None
    text = "".join(linecache.getlines(filename))
    start = text.find(src.rstrip())
    return text.count("\n", 0, start) + line if start >= 0 else None


def _find_traced_line(message: str, filename: str) -> int | None:
    """Return the line that Dynamo was tracing, which its message names below "from user code". The
    traceback only has the line that called the compiled function."""
    _, mark, stack = message.partition("from user code:")
    lines = re.findall(rf'File "{re.escape(filename)}", line (\d+)', stack) if mark else []
    return int(lines[-1]) if lines else None


def _find_printed_line(message: str, filename: str) -> int | None:
    """Return the line of the learner's file that a compiler printed before its error."""
    match = re.search(rf"^{re.escape(filename)}:(\d+):\d+: error: ", message, re.MULTILINE)
    return int(match[1]) if match else None


def trim_traceback(error: BaseException, filename: str) -> str:
    """Return the traceback from the learner's first frame on."""
    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename != filename:
        tb = tb.tb_next
    if tb is None and not isinstance(error, SyntaxError):  # its message has the place
        tb = error.__traceback__
    try:
        lines = traceback.format_exception(type(error), error, tb, limit=-12)
    except BaseException:
        lines = [f"{type(error).__name__}: {_message(error)}"]
    return "".join(lines)
