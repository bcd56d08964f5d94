"""The learner's files: started once, replaced whole, watched."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.course.catalog.course import open_course
from tutor.judge import workspace

EXERCISE = open_course().exercise("vector_add")


def test_start_writes_the_starter_and_never_over_a_file(tmp_path: Path) -> None:
    path = workspace.start_learner_file(EXERCISE, tmp_path / "new" / "folder")
    assert path.read_bytes() == EXERCISE.starter.read_bytes()
    path.write_text("mine")
    assert workspace.start_learner_file(EXERCISE, path.parent) == path
    assert path.read_text() == "mine"
    assert os.listdir(path.parent) == [path.name]


def test_start_says_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        workspace.start_learner_file(EXERCISE, tmp_path / "file")


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "k.py"
    workspace.write(path, text)
    assert workspace.read_learner_file(path) == text


def test_write_keeps_links_and_modes(tmp_path: Path) -> None:
    target = tmp_path / "target.py"
    target.write_text("old")
    target.chmod(0o640)
    link = tmp_path / "link.py"
    link.symlink_to(target)
    workspace.write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.py", "target.py"]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"a\nb\xff\n", "line 2"), (b"x" * 2_000_000, "larger"), (b"\n" + b"y" * 30_000, "line 2")],
    ids=["latin-1", "large", "long line"],
)
def test_read_says_why_not(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        workspace.read_learner_file(path)


def test_a_change_is_seen_once_it_has_settled(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("one")
    file = workspace.WorkFile(path)
    assert file.load() == "one"
    assert file.find_change() is None
    path.write_text("two, longer")
    assert file.find_change() is None  # it may be half written
    assert file.find_change() == "two, longer"
    assert file.find_change() is None
    path.unlink()
    assert file.find_change() is None  # an editor that saves by renaming
    file.save("three")
    assert path.read_text() == "three"
    assert file.find_change(settled=False) is None
    path.write_text("four, longer still")
    assert file.find_change(settled=False) == "four, longer still"
