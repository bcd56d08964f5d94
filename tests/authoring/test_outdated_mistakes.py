"""What a later release changes: mistakes that are none, and right answers that cannot run."""

from importlib import metadata

import pytest

from tutor.course.reading.wrong_answers import is_outdated, read_until


@pytest.mark.parametrize(("step", "outdated"), [(0, True), (-1, True), (1, False)])
def test_the_release_that_is_installed_decides(step: int, outdated: bool) -> None:
    major, minor = map(int, metadata.version("torch").split(".")[:2])
    assert not is_outdated(None)
    assert is_outdated(("torch", major, minor + step)) is outdated
    assert is_outdated(read_until(f"# until: torch {major}.{minor + step}\nx = 1\n")) is outdated


def test_a_right_answer_without_a_release_is_one_for_good() -> None:
    assert read_until("# until: the end\nx = 1\n") is read_until("x = 1\n") is None
