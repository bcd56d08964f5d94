"""Functions of cells that use TVM: called where it is installed, answered from a recording elsewhere.

    from tutor.course.tvm_cells import made_with, with_tvm

    @with_tvm(29)
    def count_functions(rows):
        import tvm  # only in functions: a cell is executed without TVM too
        …

A call returns plain values: numbers, texts, lists and dicts (a tuple comes back as a list). They are
recorded in `lessons/recorded/day-29.json`, by the function's name, its text and the arguments, so that a
changed function has no recording. `tests/content/test_recorded_tvm_days.py` makes them again.
"""

import functools
import hashlib
import inspect
import json
import textwrap
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from tutor.base.errors import CannotHere
from tutor.course.recordings import recorded

Function = Callable[..., Any]


def has_tvm() -> bool:
    """Say if TVM is installed."""
    try:
        return find_spec("tvm") is not None
    except ValueError:  # a test has put None into sys.modules
        return False


def made_with(day: int) -> str:
    """Return "TVM" and its version, or that what follows is recorded, with what and when."""
    if not has_tvm():
        return f"RECORDED, not run here: {recorded(day).made_with}"
    import tvm

    return f"TVM {tvm.__version__}"


def with_tvm(day: int) -> Callable[[Function], Function]:
    """Decorate a function of a cell of this day. Without TVM a call returns what is recorded.

    Such a call raises `CannotHere` where nothing is recorded for it.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            if has_tvm():
                return plain(function, *arguments)
            said = recorded(day).said
            name = name_of(function, arguments)
            if name not in said:
                raise CannotHere(
                    f"Nothing is recorded for {function.__name__}{arguments!r} as it stands here, and "
                    "TVM is not installed. It is the extra `tvm`: pip install -e '.[tvm]'"
                )
            return said[name]

        return call

    return decorate


def plain(function: Function, *arguments: Any) -> Any:
    """Call the function and return its result as JSON has it. Raises `TypeError` for an object."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch warns of its own trees
        return json.loads(json.dumps(function(*arguments)))


def name_of(function: Function, arguments: tuple[Any, ...]) -> str:
    """Return the name under which a call is recorded: function, arguments, digest of the text."""
    text = textwrap.dedent(inspect.getsource(function)).strip()
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{function.__name__}({', '.join(map(repr, arguments))}) {digest}"
