"""One home folder and one judge for all tests of this folder: a warm judge answers in a second."""

import os
import uuid
from pathlib import Path

import pytest
from judging import MARK, small_course, wait_until_gone
from run_home import share_judge

from tutor.base import paths
from tutor.judge.client import Judge


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory):
    """Everything that is written goes here; compiler caches are shared by the whole run."""
    folder = share_judge(tmp_path_factory.mktemp("home"))
    before = os.environ.get("TUTOR_HOME")
    os.environ["TUTOR_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["TUTOR_HOME"]
    else:
        os.environ["TUTOR_HOME"] = before


@pytest.fixture(scope="session")
def judge(home):
    """The real course, judged by one server for the whole run."""
    with Judge(paths.course_root()) as shared:
        yield shared


@pytest.fixture(scope="session")
def strict_course(tmp_path_factory) -> Path:
    """`vector_add` alone, with two seconds and 1 GiB."""
    return small_course(tmp_path_factory.mktemp("course"), seconds=2, memory_gib=1)


@pytest.fixture(scope="session")
def strict(home, strict_course):
    """A judge for what must be stopped."""
    with Judge(strict_course) as shared:
        yield shared


@pytest.fixture
def mark(monkeypatch):
    """A name in the environment of every process that a test starts; none may be left at its end."""
    value = uuid.uuid4().hex
    monkeypatch.setenv(MARK, value)
    yield value
    assert wait_until_gone(value) == []
