"""A mistake that a later release of torch or Triton takes away is none with that release."""

from importlib import metadata
from pathlib import Path

import pytest

from tutor.authoring.proof import is_outdated
from tutor.course.model import WrongAnswer


@pytest.mark.parametrize(("step", "outdated"), [(0, True), (-1, True), (1, False)])
def test_the_release_that_is_installed_decides(step: int, outdated: bool) -> None:
    major, minor = map(int, metadata.version("torch").split(".")[:2])
    answer = WrongAnswer("one", "recompiles", "", Path("wrong.toml"), 1)
    assert not is_outdated(answer)
    later = WrongAnswer(
        "one", "recompiles", "", Path("wrong.toml"), 1, ("torch", major, minor + step)
    )
    assert is_outdated(later) is outdated
