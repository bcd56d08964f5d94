"""The passes that Triton's backends run, watched, and one of them left out.

Nothing here is public in Triton. Its backends (triton/backends/*/compiler.py) build each pipeline by
functions `add_NAME(pass_manager, …)` of the modules below, which they look up as attributes at every
call: a function that stands in their place is called instead. Read in 3.7.1 and 3.8.0.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from tutor.base.errors import CannotHere

# Pairs of torch and triton with which the tests of this module were run.
TRIED = (("2.11.0", "3.6.0"), ("2.13.0", "3.7.1"), ("2.14.1", "3.8.0"))
LIBRARY = "triton._C.libtriton"
# Modules of the library whose functions add a pass.
MODULES = (
    "passes.common",
    "passes.convert",
    "passes.gluon",
    "passes.llvmir",
    "passes.ttgpuir",
    "passes.ttir",
    "nvidia.passes.hopper",
    "nvidia.passes.ttgpuir",
    "nvidia.passes.ttnvgpuir",
    "amd.passes.ttgpuir",
)
_ADDS = re.compile(r"(?:add_)?(\w+)$")
# Functions of these modules that add no pass of their own.
_OTHERS = ("print_ir",)


def require_tried_pair() -> None:
    """Raise `CannotHere`, with a sentence, for a pair of torch and triton that was not tried."""
    here = tuple(_public(name) for name in ("torch", "triton"))
    if here in TRIED:
        return
    known = " or ".join(f"torch {torch} and triton {triton}" for torch, triton in TRIED)
    raise CannotHere(
        f"Passes are left out with {known} only, because that needs names of Triton's that are not "
        f"public; here are torch {here[0]} and triton {here[1]}."
    )


def _public(package: str) -> str:
    """Return the installed version without its build (`2.13.0` of `2.13.0+cpu`); "none" for no such."""
    try:
        return metadata.version(package).partition("+")[0]
    except metadata.PackageNotFoundError:
        return "none"


def list_functions() -> dict[str, list[tuple[Any, str]]]:
    """Return where each pass is added: its name, then the modules and the functions' names in them."""
    found: dict[str, list[tuple[Any, str]]] = {}
    for path in MODULES:
        module = importlib.import_module(LIBRARY)
        for part in path.split("."):
            module = getattr(module, part)
        for name in dir(module):
            if not name.startswith("_") and name not in _OTHERS:
                match = _ADDS.match(name)
                assert match is not None
                found.setdefault(match[1], []).append((module, name))
    return found


def keep_cache_in(folder: Path) -> None:
    """Have Triton keep what it compiles in `folder`, in this process and from now on."""
    from triton import knobs

    knobs.cache.dir = str(folder)


@contextlib.contextmanager
def watch_passes(note: Callable[[str], bool]) -> Iterator[None]:
    """Inside, `note` is called with the name of each pass that a backend adds to a pipeline; the pass is
    left out where it returns False."""
    replaced: list[tuple[Any, str, Any]] = []
    try:
        for name, places in list_functions().items():
            for module, function in places:
                adds = getattr(module, function)
                setattr(module, function, _ask_first(name, adds, note))
                replaced.append((module, function, adds))
        yield
    finally:
        for module, function, adds in replaced:
            setattr(module, function, adds)


def _ask_first(name: str, adds: Callable[..., Any], note: Callable[[str], bool]) -> Any:
    def ask_and_add(*arguments: Any, **named: Any) -> Any:
        return adds(*arguments, **named) if note(name) else None

    return ask_and_add
