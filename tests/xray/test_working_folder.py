"""The learner's file runs in its folder, and what compiles it does not."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from running import run

from tutor.judge.processes import learner_module
from tutor.xray import engine
from tutor.xray.compilers import inductor_cpu
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Request

TEXT = """
import json
import sys

sys.path.append("src")
import helper_in_src

SIZES = json.load(open("x.json"))


def scaled(x):
    return x * SIZES["n"] + helper_in_src.ONE


def reads(x):
    y = x + 1
    n = json.load(open("x.json"))["n"]
    return y * n
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "x.json").write_text('{"n": 3}')
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "helper_in_src.py").write_text("ONE = 1\n")
    path = tmp_path / "opens.py"
    path.write_text(TEXT)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scaled", "reads"])
def test_a_file_finds_what_lies_beside_it(file: Path, name: str) -> None:
    before = os.getcwd()
    shown = run(file, name, "f32[8]", stage="dynamo")
    assert shown.status == 0, shown.failures
    assert any("* 3" in stage.text for key, stage in shown.stages.items() if "dynamo" in key)
    assert os.getcwd() == before


@pytest.mark.slow
def test_what_compiles_works_elsewhere(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[str] = []
    lower = inductor_cpu.lower

    def lower_and_see(*given: object) -> None:
        places.append(os.getcwd())
        lower(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(inductor_cpu, "lower", lower_and_see)
    request = Request(str(file), "scaled", parse_inputs(("f32[8]",)), "sm_90", "forward", False)
    request = replace(request, compilers=("inductor-cpu",))
    events: list[Event] = []
    done = engine.run_request(request, events.append, load=learner_module.load_module, explain=str)
    assert done.status == 0
    assert places == [os.getcwd()]
    assert places != [str(file.parent)]


REGISTRY = """
names = {}


def register(function):
    if function.__name__ in names:
        raise ValueError("there is one already")
    names[function.__name__] = function
    return function
"""


def test_a_file_that_its_package_imports_is_run_once(tmp_path: Path) -> None:
    folder = tmp_path / "package_of_operations"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .adding import added\n")
    (folder / "registry.py").write_text(REGISTRY)
    path = folder / "adding.py"
    text = "from .registry import register\n\n\n@register\ndef added(x):\n    return x + 1\n"
    path.write_text(text)
    module = learner_module.load_module(text, str(path))
    assert module is sys.modules["package_of_operations.adding"]
    assert module.added(2) == 3
    # Another text than the file's is not what the package has imported.
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]
    with pytest.raises(learner_module.Unloadable, match="import-error"):
        learner_module.load_module(f"{text}\n", str(path))


def test_a_package_without_an_init_file_reaches_as_far_as_the_imports(tmp_path: Path) -> None:
    for folder in ("01_first", "tools"):
        (tmp_path / "parts" / folder).mkdir(parents=True)
    (tmp_path / "parts/tools/sizes.py").write_text("FOUR = 4\n")
    (tmp_path / "parts/01_first/beside.py").write_text("ONE = 1\n")
    path = tmp_path / "parts/01_first/02_sum.py"
    text = "from ..tools.sizes import FOUR\nfrom .beside import ONE\n\nFIVE = FOUR + ONE\n"
    path.write_text(text)
    assert learner_module.load_module(text, str(path)).FIVE == 5


def test_a_file_imports_what_its_project_has(tmp_path: Path) -> None:
    project = tmp_path / "project_of_ops"
    for folder in ("ops_of_it/deep", "tools_of_it", "shared_of_it"):
        (project / folder).mkdir(parents=True)
    (project / "pyproject.toml").write_text("")
    (project / "ops_of_it/first.py").write_text("from tools_of_it.sizes import FOUR\n")
    (project / "tools_of_it/sizes.py").write_text("FOUR = 4\n")
    (project / "shared_of_it/__init__.py").write_text("ONE = 1\n")
    (tmp_path / "above_it.py").write_text("TWO = 2\n")
    path = project / "ops_of_it/deep/second.py"
    text = (
        "from ops_of_it.first import FOUR\nimport shared_of_it\n\nFIVE = FOUR + shared_of_it.ONE\n"
    )
    path.write_text(text)
    module = learner_module.load_module(text, str(path))
    assert module.FIVE == 5
    # Above the project's folder nothing is looked for, and a name that nobody has is still missing.
    for missing in ("import above_it\n", "import nobody_has_it\n"):
        path.write_text(missing)
        with pytest.raises(learner_module.Unloadable, match="import-error"):
            learner_module.load_module(missing, str(path))


def test_a_folder_of_the_same_name_elsewhere_does_not_hide_the_project_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other/names_twice").mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path / "other")
    project = tmp_path / "project"
    for folder in (".git", "names_twice", "benches"):
        (project / folder).mkdir(parents=True)
    (project / "names_twice/__init__.py").write_text("from .attention import SIX\n")
    (project / "names_twice/attention.py").write_text("SIX = 6\n")
    path = project / "benches/run.py"
    text = "from names_twice import SIX\n"
    path.write_text(text)
    assert learner_module.load_module(text, str(path)).SIX == 6
