"""Functions of cells that use an optional package: called where it is installed, answered from a
recording elsewhere.

    from tutor.course.package_cells import made_with, with_packages

    @with_packages(43, "xdsl")
    def count_operations(rows):
        from xdsl.parser import Parser  # only in functions: a cell is executed without xDSL too
        …

A call returns plain values: numbers, texts, lists and dicts (a tuple comes back as a list). They are
recorded in `lessons/recorded/day-43.json`, by the function's name, its text and the arguments, so that a
changed function has no recording. `tests/content/test_recorded_days.py` makes them again. The days on
TVM have `tutor.course.tvm_cells`.

A function may need several packages: `with_packages(35, "tvm", "onnxruntime")`. With `measured=True` it
returns times or roundings, which differ between machines: the test compares only the names and the kinds
of what it returns.
"""

import functools
import hashlib
import importlib
import inspect
import json
import textwrap
import warnings
from collections.abc import Callable
from importlib import metadata
from typing import Any

from tutor.base.errors import CannotHere
from tutor.base.extras import extra_of_module, is_module
from tutor.course.recordings import recorded

Function = Callable[..., Any]


def _version(module: str) -> str:
    """Return the version that the module names, or that of its extra's first package."""
    named = getattr(importlib.import_module(module), "__version__", None)
    return str(named or metadata.version(extra_of_module(module).package_names[0]))


_taken: set[int] = set()  # days whose recordings the present cell took
_named: set[int] = set()  # days that it named by `made_with`


def end_cell() -> str:
    """Return what a cell has to say below its output: of which recordings its values are that it did
    not name by `made_with`; "" for none. The next cell begins anew."""
    left = _taken - _named
    _taken.clear()
    _named.clear()
    return "\n".join(f"RECORDED, not run here: {recorded(day).made_with}" for day in sorted(left))


def made_with(day: int, *packages: str) -> str:
    """Return the packages with their versions, or that what follows is recorded, with what and when."""
    _named.add(day)
    missing = [extra_of_module(name).title for name in packages if not is_module(name)]
    here = ", ".join(
        f"{extra_of_module(name).title} {_version(name)}" for name in packages if is_module(name)
    )
    if not missing:
        return here
    if not here:
        return f"RECORDED, not run here: {recorded(day).made_with}"
    return f"{here}; RECORDED where {' and '.join(missing)} is needed: {recorded(day).made_with}"


def with_packages(
    day: int, *packages: str, measured: bool = False
) -> Callable[[Function], Function]:
    """Decorate a function of a cell of this day that needs all of these packages.

    Where one is missing, a call returns what is recorded, and raises `CannotHere` where nothing is
    recorded for it. `measured`: the numbers differ from run to run, or from machine to machine.
    """
    del measured  # the test of the recordings asks for it

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            missing = [name for name in packages if not is_module(name)]
            if not missing:
                return plain(function, *arguments)
            said = recorded(day).said
            name = name_of(function, arguments)
            if name not in said:
                lacking = [extra_of_module(name) for name in missing]
                titles, extras = [one.title for one in lacking], [one.name for one in lacking]
                raise CannotHere(
                    f"Nothing is recorded for {function.__name__}{arguments!r} as it stands here, and "
                    f"{' and '.join(titles)} is not installed. It is the extra "
                    f"{' and '.join(f'`{extra}`' for extra in extras)}: "
                    f"pip install -e '.[{','.join(extras)}]'"
                )
            _taken.add(day)
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
