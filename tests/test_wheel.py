"""The course travels inside the wheel: installed in an empty folder, it works."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return next(folder.glob("*.whl"))


def test_wheel_holds_the_course_and_not_the_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "tutor/_course/lessons/outline.toml" in names
    assert "tutor/_course/kernels/vector_add/wrong.toml" in names
    assert "tutor/_course/lessons/images/day-14-roofline.png" in names
    assert "tutor/ui/lab/screen.tcss" in names
    assert not [n for n in names if n.startswith(("tests/", "docs/"))]


def test_installed_wheel_runs_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site)]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True, timeout=120)
    environment = {**os.environ, "PYTHONPATH": str(site), "TUTOR_HOME": str(tmp_path / "home")}

    def tutor(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tutor", *args],
            cwd=empty,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    listed = json.loads(tutor("list", "--json").stdout)
    assert len(listed["days"]) == 70
    assert "vector_add" in [e["slug"] for e in listed["exercises"]]
    solution = site / "tutor" / "_course" / "kernels" / "vector_add" / "solution.py"
    checked = tutor("check", "vector_add", str(solution), "--json")
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["passed"] is True
