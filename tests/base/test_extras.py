"""Extras: one table of their packages, which agrees with `pyproject.toml`."""

import re
import sys
from pathlib import Path

import pytest

from tutor.base.extras import EXTRAS, extra_of_module, is_module, say_missing
from tutor.course.model import NEEDS
from tutor.xray.model.compiler import COMPILERS

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def listed(extra: str) -> set[str]:
    """The requirements of an extra in `pyproject.toml`, without their markers."""
    table = re.search(rf"^{extra} = \[\n(.*?)^\]", PYPROJECT.read_text("utf-8"), re.M | re.S)
    assert table
    return {line.partition(";")[0] for line in re.findall(r'^ *"([^"]+)"', table[1], re.M)}


@pytest.mark.parametrize("need", EXTRAS)
def test_pyproject_pins_the_same_packages(need: str) -> None:
    assert set(EXTRAS[need].packages) <= listed(EXTRAS[need].name)


def test_an_exercise_may_need_each_and_make_extras_proves_it() -> None:
    makefile = PYPROJECT.with_name("Makefile").read_text("utf-8")
    proved = re.search(r"^NEEDS = (.*)$", makefile, re.M)
    assert proved
    assert set(EXTRAS) == set(proved[1].split("|"))
    assert set(EXTRAS) == set(NEEDS) - {"triton", "g++", "cuda"}


def test_a_compiler_has_the_packages_of_its_extra() -> None:
    assert {name for name in COMPILERS if COMPILERS[name].extra == EXTRAS.get(name)} == {
        "tvm",
        "mlir",
        "xla",
        "iree",
        "onnx",
    }


def test_the_first_missing_need_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tvm", "xdsl"):
        monkeypatch.setitem(sys.modules, name, None)
    assert say_missing(("triton", "xdsl", "tvm")) == (
        "xDSL is not installed here: python -m pip install 'xdsl==0.75.0'"
    )
    assert say_missing(("triton", "g++")) == ""


def test_a_module_is_of_one_extra() -> None:
    assert extra_of_module("onnxruntime").title == "ONNX Runtime"
    with pytest.raises(KeyError):
        extra_of_module("nowhere")
    assert is_module("json")
    assert not is_module("nowhere.at_all")
