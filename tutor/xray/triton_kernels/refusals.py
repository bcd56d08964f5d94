"""Why Triton refused a kernel, where its exception does not say it.

MLIR, LLVM and AMD's assembler print their reason on stderr, and Triton raises "PassManager::run
failed". Of a `return` that stands in a loop it says nothing, and raises now one error and now
another. Read in Triton 3.7 and 3.9.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

_ERROR = re.compile(
    r"^(?:triton-amdgpu-assembler:\d+:\d+: )?"  # from Triton 3.9 on; the text quoted below says more
    r"(?:(\S[^\n]*?:\d+:\d+: )?error: |LLVM ERROR: )(.*)$"
)
_GENERAL = (
    "Failures have been detected while processing an MLIR pass pipeline",
    "share the reproducer",
)  # in lines that give no reason
_FAILED_PASS = re.compile(r"Pipeline failed while executing \[`(\w+)` on ")
_MOST = 3  # reasons that are kept
_RETURN_IN_LOOP = "Cannot have `return` statements inside `while` or `for` statements in triton"
# What Triton raises for such a `return` where it does not see it.
_UNSEEN = re.compile(r"AssertionError\(\)\s*$|error encountered during parsing")


class StderrText:
    """What is printed on stderr, by C code too, while the context is entered."""

    def __init__(self) -> None:
        self.text = ""

    def __enter__(self) -> StderrText:
        self._file = tempfile.TemporaryFile()
        sys.stderr.flush()
        self._before = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *_: object) -> None:
        sys.stderr.flush()
        os.dup2(self._before, 2)
        os.close(self._before)
        with self._file as file:
            file.seek(0)
            self.text = file.read().decode("utf-8", "replace")


@contextlib.contextmanager
def with_reasons(function: Any) -> Iterator[None]:
    """Add to an error of Triton's compiler what it printed on stderr, as further lines of its text.

    `function` is the `JITFunction` that is compiled inside. Raises Triton's own
    `UnsupportedLanguageConstruct` for a `return` in a loop that Triton did not see.
    """
    printed = StderrText()
    try:
        with printed:
            yield
    except RuntimeError as error:
        if said := find_reasons(printed.text):
            error.args = ("\n".join((str(error), *said)),)
        _raise_for_return(error, function)
        raise
    except Exception as error:
        _raise_for_return(error, function)
        raise
    if printed.text:
        os.write(2, printed.text.encode())


def find_reasons(printed: str) -> tuple[str, ...]:
    """Return the errors that a compiler printed: the line of each, and the code that it quotes of
    assembly. At most three; where it gave no reason, the name of the pass that failed."""
    lines = printed.splitlines()
    said: dict[str, None] = {}
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        match = _ERROR.match(line)
        if (
            match is None
            or any(words in line for words in _GENERAL)
            or match[2].startswith("target emulation unknown")
        ):
            continue
        place, what = match[1] or "", match[2].strip().removesuffix(".")
        code = f", at `{below.strip()}`" if not place and below.startswith((" ", "\t")) else ""
        said[f"{place}error: {what}{code}"] = None
    if not said and (failed := _FAILED_PASS.search(printed)):
        return (f"pass without a reason: {failed[1]}",)
    return tuple(said)[:_MOST]


def find_refused_instruction(said: str, assembly: str) -> str:
    """Return the instruction that an assembler's error is about; "" where it names none.

    ptxas says its line of the text, AMD's assembler quotes it.
    """
    if match := re.search(r"\bline (\d+); error", said):
        lines = assembly.splitlines()
        return lines[int(match[1]) - 1].strip() if 0 < int(match[1]) <= len(lines) else ""
    quoted = re.search(r"error: .*, at `(.*)`$", said, re.MULTILINE)
    return quoted[1] if quoted else ""


def _raise_for_return(error: Exception, function: Any) -> None:
    if not _UNSEEN.search(str(error)) and not _UNSEEN.search(str(error.__cause__)):
        return
    for jitted in _list_functions(function):
        if node := _find_return_in_loop(jitted.parse()):
            from triton.compiler.errors import UnsupportedLanguageConstruct

            raise UnsupportedLanguageConstruct(jitted.src, node, _RETURN_IN_LOOP) from None


def _list_functions(function: Any) -> list[Any]:
    """Return the jitted function and those that it calls, directly or not."""
    found = [function]
    for current in found:  # which grows
        names = current.fn.__code__.co_names
        called = [current.fn.__globals__.get(name) for name in names]
        found += [f for f in called if type(f) is type(function) and f not in found]
    return found


def _find_return_in_loop(tree: ast.AST) -> ast.Return | None:
    loops = [node for node in ast.walk(tree) if isinstance(node, (ast.While, ast.For))]
    inside = (node for loop in loops for node in ast.walk(loop))
    return next((node for node in inside if isinstance(node, ast.Return)), None)
