"""For all tests: how they are shared out, and settings that spare the processor.

The machine is shared, so Hypothesis must not time its examples.
"""

import gc
import os
import shutil
import sys
import tempfile

import pytest
from hypothesis import settings
from run_home import RUNTIME, run_home

settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")

# In a new home Inductor compiles a program for each instruction set of the processor, to see whether
# the compiler knows it: ten seconds, and every test with a home of its own would pay them.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")

# Several processes share the cores. By themselves the threads of torch wait for each other in loops, in
# which half of the processor's time goes; what measures time runs alone, as the program does.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# The program is started some hundred times. Each start would compile all modules that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Imports and the list of tests stay until the end. Without the collector they are made faster, and
# afterwards no collection goes through them. Python's own bounds would collect so often that the tests
# of the interface spend a quarter of their time on it.
gc.disable()
gc.set_threshold(50_000, 20, 20)

# One warm judge, which imports torch once, serves every test and every command of the run that writes to
# the run's home; a test with a home of its own calls `share_judge`. Tests of the processes' lives start
# their own with `cold`.
if RUNTIME not in os.environ:
    os.environ[RUNTIME] = tempfile.mkdtemp(prefix="tutor-run-")
    OWNER = True
else:
    OWNER = False  # a process of pytest-xdist
os.environ["XDG_RUNTIME_DIR"] = os.environ[RUNTIME]
os.environ["TUTOR_HOME"] = str(run_home())

# Files and folders whose tests take longest, and wait much for processes of their own.
LONGEST = (
    "tests/judge/connection/",
    "tests/e2e/",
    "tests/judge/worker/test_inductor_setup.py",
    "tests/judge/processes/",
    "tests/judge/",
    "tests/ui/lab/",
    "tests/ui/kit/",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files of `LONGEST`, in their order, then with those that hold slow tests.

    What is long would run alone at the end, while the other processes have nothing left to do.
    """
    slow = {i.path for i in items if i.get_closest_marker("slow")}

    def turn(item: pytest.Item) -> int:
        if item.path not in slow:
            return len(LONGEST) + 1
        places = (n for n, start in enumerate(LONGEST) if item.nodeid.startswith(start))
        return next(places, len(LONGEST))

    items.sort(key=turn)


@pytest.fixture(autouse=True)
def torch_as_it_was():
    """No test leaves a setting of torch changed: the next one of its process would compute otherwise."""
    before = _settings_of_torch()
    yield
    assert before in (None, _settings_of_torch())


def _settings_of_torch() -> tuple[object, ...] | None:
    """What changes results or kernels for all of a process; None while nothing imported torch."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "get_num_threads"):
        return None
    return (
        torch.backends.cuda.matmul.allow_tf32,
        torch.get_float32_matmul_precision(),
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
        torch.are_deterministic_algorithms_enabled(),
        torch.get_num_threads(),
    )


def pytest_unconfigure() -> None:
    """End the warm judges of this run, of whatever home."""
    from tutor.judge.connection import link
    from tutor.judge.connection.runtime_folder import RuntimeFolder
    from tutor.judge.model.keeper_messages import AskStop

    if OWNER:
        with RuntimeFolder() as folder:
            for name in sorted(os.listdir(folder.path)):
                if name.endswith(".sock") and (connection := folder.connect(name)):
                    link._answer(connection, AskStop(now=True))
        for each in link._children:  # its time counts in what time(1) prints
            each.wait(10)
        shutil.rmtree(os.environ.pop(RUNTIME), ignore_errors=True)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give out files in the order of the tests: by itself xdist begins with those of most tests."""
    config.option.loadscopereorder = False
