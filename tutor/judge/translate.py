"""From an error's text to what the learner did. Pure; the original text stays in `detail`.

`TABLE` holds one row a message: the exception's type, words that its text contains, the contract's
code, and the sentence. `{0}`, `{1}` stand for what the pattern's groups matched. Each row has a test
that provokes the error on the pinned versions (`tests/judge/test_translate.py`).
"""

import re
from dataclasses import dataclass
from typing import Any

from tutor.judge.verdict import Diagnosis


@dataclass(frozen=True)
class Row:
    type: str  # a regular expression for the exception's type name
    text: str  # a regular expression found in its message
    code: str
    says: str


TABLE: tuple[Row, ...] = (
    Row("SyntaxError|ValueError", r"source code string cannot contain null bytes",  # by version
        "compile-error", "The file holds NUL bytes; it is not Python text."),
    Row("IndentationError|TabError|SyntaxError", r"(.+)", "compile-error",
        "Python cannot read the file: {0}."),
    Row("ModuleNotFoundError", r"No module named '([^']+)'", "import-error",
        "There is no module `{0}` in this Python."),
    Row("ImportError", r"cannot import name '([^']+)' from '([^']+)'", "import-error",
        "`{1}` has no `{0}`."),
    Row("ValueError|CompilationError", r"arange's range must be a power of 2", "compile-error",
        "`tl.arange` needs a length that is a power of two. Take the next one "
        "(`triton.next_power_of_2`) and mask the lanes that are too many."),
    Row("ValueError|CompilationError", r"arange's arguments must be of type tl.constexpr",
        "compile-error",
        "The length of `tl.arange` must be known when the kernel is compiled: make it a parameter "
        "annotated `tl.constexpr`."),
    Row("TypeError|KeyError", r"missing (?:a required argument: |\d+ required positional "
        r"arguments?: )(.+)", "compile-error", "A call leaves out {0}."),
    Row("RuntimeError", r"Cannot call @triton.jit'd outside of the scope of a kernel",
        "compile-error",
        "A kernel was called like a function. Launch it over a grid: `kernel[grid](...)`."),
    Row("AttributeError", r"module 'triton\.language[^']*' has no attribute '([^']+)'",
        "compile-error", "Triton's language has no `tl.{0}`."),
    Row("AttributeError", r"module 'torch[^']*' has no attribute '([^']+)'", "crash",
        "PyTorch has no `torch.{0}`."),
    Row("NameError|UnboundLocalError", r"name '([^']+)' is not defined", "crash",
        "`{0}` is used but nothing defines it."),
    Row("NameError|CompilationError", r"([A-Za-z_]\w*) is not defined", "compile-error",
        "`{0}` is used in the kernel but nothing defines it."),
    Row("ValueError|CompilationError", r"Cannot make_shape_compatible: incompatible dimensions",
        "compile-error",
        "Two blocks of different shapes meet: add the missing axis with `[:, None]` or `[None, :]`."),
    Row("RuntimeError|OutOfMemoryError|MemoryError|DefaultCPUAllocator",
        r"can't allocate memory|CUDA out of memory|Unable to allocate|^$", "out-of-memory",
        "More memory was asked for than the limit allows."),
    Row("OutOfResources", r"out of resource: (.+?), Required: (\d+), Hardware limit: (\d+)",
        "too-many-resources",
        "The kernel needs {1} bytes of {0}; the device has {2}. Use smaller blocks or fewer stages."),
    Row("AcceleratorError|RuntimeError", r"illegal memory access", "out-of-bounds-store",
        "The GPU stopped the kernel: it touched memory that is not its own. Check the mask and the "
        "offsets of every load and store."),
    Row("InterpreterError|AssertionError|IndexError|Exception",
        r"grid must have at most 3 dimensions", "compile-error",
        "A grid has at most three dimensions."),
    Row("AttributeError", r"'(\w+)' object has no attribute '(\w+)'", "crash",
        "A {0} has no `{1}`."),
    Row("BackendCompilerFailed", r"compiler_fn did not return callable", "crash",
        "The backend was called with a graph and returned nothing that can be called; it is to return "
        "a function that runs the graph."),
    Row("BackendCompilerFailed", r"raised:\s*(\S.*)", "crash", "The backend raised {0}."),
    Row("ZeroDivisionError", r"(.+)", "crash", "Something is divided by zero."),
    Row("SystemExit|KeyboardInterrupt", r"", "crash",
        "The code ended the program instead of returning an output."),
)  # fmt: skip


def translate(
    report: dict[str, Any], source: str, case: str = "", fallback: str = "crash"
) -> Diagnosis:
    """One sentence for an error as `learner.describe` reports it.

    `fallback` is the code for an error that no row knows.
    """
    kind, text = str(report.get("type", "")), str(report.get("message", ""))
    line = report.get("line")
    for row in TABLE:
        if not re.fullmatch(row.type, kind):
            continue
        match = re.search(row.text, text)
        if match:
            said = row.says.format(*(g or "" for g in match.groups()))
            code = row.code
            break
    else:
        first = text.strip().splitlines()[0][:300] if text.strip() else ""
        compiling = kind in ("CompilationError", "CompileTimeAssertionFailure", "InterpreterError")
        code = "compile-error" if compiling or fallback == "compile-error" else fallback
        said = f"Your code raised {kind}: {first}" if first else f"Your code raised {kind}."
        if not kind:  # a report that is a sentence already
            said = first
    where = f" (line {line})" if line else ""
    when = f" It happened in the case “{case}”." if case and kind else ""
    return Diagnosis(
        code, _ended(said, where) + when, line=line, detail=str(report.get("detail", ""))
    )


def _ended(sentence: str, where: str) -> str:
    sentence = sentence.rstrip()
    if sentence.endswith("."):
        return f"{sentence[:-1]}{where}."
    return f"{sentence}{where}."
