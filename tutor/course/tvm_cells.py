"""Functions of cells that use TVM: called where it is installed, answered from a recording elsewhere.

    from tutor.course.tvm_cells import made_with, with_tvm

    @with_tvm(29)
    def count_functions(rows):
        import tvm  # only in functions: a cell is executed without TVM too
        …

All that holds for them stands in `tutor.course.package_cells`, which has the same for other packages.
"""

import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tutor.course import package_cells
from tutor.course.package_cells import Function, with_packages

__all__ = ["made_with", "with_packages", "with_tvm", "without_intrinsics"]


def made_with(day: int, *packages: str) -> str:
    """Return the packages (by default TVM) with their versions, or that what follows is recorded,
    with what and when."""
    return package_cells.made_with(day, *(packages or ("tvm",)))


def with_tvm(day: int) -> Callable[[Function], Function]:
    """Decorate a function of a cell of this day. Without TVM a call returns what is recorded.

    Such a call raises `CannotHere` where nothing is recorded for it.
    """
    return package_cells.with_packages(day, "tvm")


@contextmanager
def without_intrinsics() -> Iterator[None]:
    """Let TVM's tuner start inside without the instructions of GPUs that it imports.

    They are written in TVMScript, whose reading takes a minute. A search for LLVM uses none of them.
    """
    name = "tvm.s_tir.tensor_intrin"
    there = name in sys.modules
    sys.modules.setdefault(name, types.ModuleType(name))
    try:
        yield
    finally:
        if not there:
            del sys.modules[name]
