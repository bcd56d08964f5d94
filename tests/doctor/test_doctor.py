"""`tutor doctor`: the rows it is made of, and whole runs where something is missing."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from answering import keep_answer
from run_home import share_judge

from tutor.base import paths
from tutor.base.config import load_config
from tutor.doctor import course_and_record, packages
from tutor.doctor import environment as surroundings
from tutor.doctor.check_row import FAIL, OK, WARN
from tutor.doctor.probe_process import run_probe
from tutor.memory.record import open_record

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name == {package!r}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)

sys.meta_path.insert(0, Blocked())
"""


def doctor(home: Path, *ahead: Path) -> tuple[int, dict[str, Any], str]:
    """Status, JSON and stderr of a whole run; folders `ahead` come first on PYTHONPATH."""
    path = os.pathsep.join(map(str, [*ahead, Path(course_and_record.__file__).parents[2]]))
    environment = {**os.environ, "TUTOR_HOME": str(share_judge(home)), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-m", "tutor", "doctor", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, json.loads(done.stdout), done.stderr


def by_name(told: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in told["rows"]}


def without(package: str, folder: Path) -> Path:
    """A folder that, on PYTHONPATH, makes `package` impossible to import."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(BLOCKED.format(package=package))
    return folder


# --- whole runs -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_here_everything_essential_works(tmp_path: Path) -> None:
    status, told, said = doctor(tmp_path)
    rows = by_name(told)
    assert [row for row in told["rows"] if row["status"] == FAIL] == []
    assert (status, told["ok"]) == (0, True)
    assert all(set(row) == {"name", "status", "found", "remedy"} for row in told["rows"])
    assert "cases in" in rows["judge"]["found"]
    assert "running a kernel in the interpreter" in said
    assert not (tmp_path / "record.sqlite3").exists()  # it looks, it makes nothing of the learner's


@pytest.mark.slow
def test_without_torch(tmp_path: Path) -> None:
    status, told, said = doctor(tmp_path, without("torch", tmp_path / "ahead"))
    rows = by_name(told)
    assert (status, told["ok"]) == (3, False)
    assert rows["torch"]["status"] == rows["interpreter"]["status"] == FAIL
    assert "pip install 'torch>=2.11,<2.16'" in rows["torch"]["remedy"]
    assert rows["course"]["status"] == OK  # reading needs no torch
    assert "judge" not in rows
    complaint = [line for line in said.splitlines() if line.startswith("tutor: ")]
    assert len(complaint) == 1
    assert "torch" in complaint[0]


@pytest.mark.slow
def test_without_numpy(tmp_path: Path) -> None:
    status, told, _ = doctor(tmp_path, without("numpy", tmp_path / "ahead"))
    rows = by_name(told)
    assert status == 3
    assert rows["numpy"]["status"] == rows["interpreter"]["status"] == FAIL
    assert "pip install 'numpy>=2.0'" in rows["numpy"]["remedy"]


def test_a_probe_that_crashes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\nos.kill(os.getpid(), 11)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert run_probe("numpy") == {"error": "the process was ended by SIGSEGV"}


def test_a_probe_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert run_probe("numpy", seconds=0.5) == {"error": "not finished after 0.5 s"}


def test_what_a_package_prints_does_not_spoil_its_probe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('hello from a site')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "version" in run_probe("numpy")


# --- packages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("torch", "triton", "status"),
    [
        ("2.13.0+cpu", "3.7.1", OK),
        ("2.11.0+cu130", "3.6.0", OK),
        ("2.13.0", "3.6.0", WARN),
        ("2.15.1", "3.9.0", OK),
        ("2.14.0", "3.9.0", WARN),
    ],
)
def test_torch_and_triton_have_to_fit(torch: str, triton: str, status: str) -> None:
    row = packages.check_triton({"version": triton}, {"version": torch, "cuda": None})
    assert row.status == status
    assert bool(row.remedy) == (status == WARN)


def test_a_torch_of_another_time_is_told() -> None:
    assert packages.check_torch({"version": "2.4.1", "cuda": None}).status == WARN
    assert packages.check_torch({"version": "2.13.0", "cuda": "13.0"}).status == OK


# --- folders --------------------------------------------------------------------------------------


def test_the_file_system_is_that_of_the_deepest_mount(tmp_path: Path) -> None:
    inner = tmp_path / "my course"
    inner.mkdir()
    mounts = tmp_path / "mountinfo"
    spelled = str(inner).replace(" ", "\\040")
    mounts.write_text(
        "1 0 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
        f"2 1 0:9 / {spelled} rw,relatime - nfs4 server:/home rw\n"
        f"3 1 0:8 / {tmp_path}/my rw - tmpfs tmpfs rw\n"
    )
    assert surroundings.filesystem(tmp_path, mounts) == "ext4"
    assert surroundings.filesystem(inner / "to" / "be" / "made", mounts) == "nfs4"


def test_a_synchronized_folder_is_warned_of(tmp_path: Path) -> None:
    row = surroundings.check_folder("data folder", tmp_path / "Dropbox" / "tutor", needed=True)
    assert row.status == WARN
    assert "Dropbox" in row.found


def test_a_folder_that_is_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert surroundings.check_folder("data folder", tmp_path / "data", needed=True).status == FAIL
    assert (
        surroundings.check_folder("cache folder", tmp_path / "data" / "x", needed=False).status
        == WARN
    )


# --- the record -----------------------------------------------------------------------------------


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    path = tmp_path / "record.sqlite3"
    record = open_record(path)
    keep_answer(record, "q", 22, "a", True, 1.0, None, 1.0, "quiz")
    record.close()
    return path


def test_a_sound_record(record_file: Path) -> None:
    row = course_and_record.check_record(record_file)
    assert row.status == OK
    assert "1 entry, whole" in row.found


def test_a_damaged_record_is_told_and_left_alone(record_file: Path) -> None:
    open_record(record_file).close()  # makes a backup
    damaged = record_file.read_bytes()[:512] + b"\xa5" * 4096
    record_file.write_bytes(damaged)
    row = course_and_record.check_record(record_file)
    assert row.status == FAIL
    assert "restores the backup of 20" in row.remedy
    assert record_file.read_bytes() == damaged


def test_a_record_from_the_future(record_file: Path) -> None:
    with closing(sqlite3.connect(record_file)) as connection:
        connection.execute("PRAGMA user_version = 999")
    row = course_and_record.check_record(record_file)
    assert row.status == FAIL
    assert "newest tutor" in row.remedy


def test_a_course_that_is_not_there(tmp_path: Path) -> None:
    """A package copied without its course: one row says so, and the rest is still looked at."""
    copied = tmp_path / "copy"
    ignored = shutil.ignore_patterns("__pycache__", "_course")
    shutil.copytree(Path(course_and_record.__file__).parents[1], copied / "tutor", ignore=ignored)
    environment = {**os.environ, "TUTOR_HOME": str(tmp_path), "PYTHONPATH": str(copied)}
    code = (
        "from tutor.doctor.course_and_record import check_course; "
        "r, c = check_course(); print(r.status, c, r.remedy)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd="/"
    )
    assert done.stdout.strip() == "FAIL None install tutor again"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('target = "sm_90"\n', "without a mistake"),
        ('theme = "blue"\n', "without a mistake; the application checks its theme"),
        (
            'theme = "blue"\n[keys]\n"lesson.next" = "zz"\n',
            "without a mistake; the application checks its keys and theme",
        ),
    ],
)
def test_what_only_the_application_checks_is_not_said_to_be_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    paths.config_file().write_text(text)
    row = surroundings.check_settings(load_config())
    assert (row.status, row.found) == (OK, f"{paths.config_file()}, {said}")
