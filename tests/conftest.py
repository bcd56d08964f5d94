"""For all tests: the machine is shared, and one process runs many tests."""

import gc
import os

import pytest
from hypothesis import settings

# Examples must not be timed.
settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")

# In a new home Inductor compiles a program for each instruction set of the processor, to see whether
# the compiler knows it: ten seconds, and every test with a home of its own would pay them.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Let xdist take the files in the order of the next function, not by their numbers of tests."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that have slow tests: at the end no process waits long for another."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Exempt the imported modules from collection: with torch each full one takes half a second."""
    gc.collect()
    gc.freeze()
