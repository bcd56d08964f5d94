"""One home folder for all tests of this folder; the kernels to look at, loaded as a learner's file."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tutor.judge.processes import learner_module
from tutor.xray.triton_kernels.compiler import never_interpret

KERNELS = Path(__file__).with_name("xray_kernels.py")


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("home")
    before = {name: os.environ.get(name) for name in ("TUTOR_HOME", "TRITON_CACHE_DIR")}
    os.environ["TUTOR_HOME"] = str(folder)
    os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")
    yield folder
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(scope="session")
def kernels(home: Path) -> ModuleType:
    never_interpret()
    return learner_module.load_module(KERNELS.read_text("utf-8"), str(KERNELS), "xray_kernels")
