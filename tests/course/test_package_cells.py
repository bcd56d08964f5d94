"""Functions of cells that need packages: called where all are there, answered from a recording else."""

import sys
import types

import pytest

from tutor.base.errors import CannotHere
from tutor.course import package_cells, tvm_cells
from tutor.course.recordings import Transcript


def add_two(n):
    return n + 2


@pytest.fixture
def installed(monkeypatch):
    """The names of the packages that are there; a recording of one call."""
    names = set()
    monkeypatch.setattr(package_cells, "is_module", names.__contains__)
    name = package_cells.name_of(add_two, (1,))
    said = Transcript("versions, and a day", {name: "recorded"})
    monkeypatch.setattr(package_cells, "recorded", lambda day: said)
    return names


def test_all_packages_must_be_there_for_a_call(installed):
    call = package_cells.with_packages(35, "tvm", "onnxruntime", measured=True)(add_two)
    assert call(1) == "recorded"
    installed.add("tvm")
    assert call(1) == "recorded", "one of two is not enough"
    installed.add("onnxruntime")
    assert call(1) == 3


def test_tvm_is_one_of_the_packages(installed):
    call = tvm_cells.with_tvm(35)(add_two)
    assert call(1) == "recorded"
    installed.add("tvm")
    assert call(1) == 3


def test_a_call_that_is_not_recorded_names_the_extras_that_are_missing(installed):
    call = package_cells.with_packages(35, "tvm", "onnxruntime")(add_two)
    with pytest.raises(CannotHere, match=r"TVM and ONNX Runtime .* -e '\.\[tvm,onnx\]'"):
        call(7)
    installed.add("tvm")
    with pytest.raises(CannotHere, match=r"ONNX Runtime is not .* `onnx`: .* -e '\.\[onnx\]'"):
        call(7)


def test_the_first_line_says_what_is_recorded(installed, monkeypatch):
    class Package:
        __version__ = "1.2"

    monkeypatch.setattr(package_cells.importlib, "import_module", lambda name: Package)
    both = "tvm", "onnxruntime"
    assert package_cells.made_with(35, *both) == "RECORDED, not run here: versions, and a day"
    installed.add("tvm")
    assert package_cells.made_with(35, "tvm") == tvm_cells.made_with(35) == "TVM 1.2"
    assert package_cells.made_with(35, *both) == (
        "TVM 1.2; RECORDED where ONNX Runtime is needed: versions, and a day"
    )
    installed.add("onnxruntime")
    assert package_cells.made_with(35, *both) == "TVM 1.2, ONNX Runtime 1.2"


def test_a_package_that_does_not_name_its_version_has_that_of_its_distribution(
    installed, monkeypatch
):
    installed.add("iree.compiler")
    monkeypatch.setattr(package_cells.importlib, "import_module", lambda name: object())
    versions = {"iree-base-compiler": "3.13.0"}
    monkeypatch.setattr(package_cells.metadata, "version", versions.__getitem__)
    assert package_cells.made_with(35, "iree.compiler") == "IREE 3.13.0"


def test_what_stands_for_the_intrinsics_goes_again(monkeypatch):
    name = "tvm.s_tir.tensor_intrin"
    monkeypatch.delitem(sys.modules, name, raising=False)
    with tvm_cells.without_intrinsics():
        assert sys.modules[name].__name__ == name
    assert name not in sys.modules


def test_intrinsics_that_were_imported_stay(monkeypatch):
    real = types.ModuleType("the real one")
    monkeypatch.setitem(sys.modules, "tvm.s_tir.tensor_intrin", real)
    with tvm_cells.without_intrinsics():
        assert sys.modules["tvm.s_tir.tensor_intrin"] is real
    assert sys.modules["tvm.s_tir.tensor_intrin"] is real
