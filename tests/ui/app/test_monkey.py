"""The monkey of `monkey.py`, briefly. What a failure prints can be played again."""

from pathlib import Path

import pytest
from monkey import ENVIRONMENT, Monkey
from monkey_ways import copied_course

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", [11, 12])
async def test_a_monkey_breaks_nothing_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TUTOR_NOW", "")  # the monkey sets it
    monkey = Monkey(copied_course(tmp_path / "course"), seed, 120)
    try:
        report = await monkey.play()
    except BaseException:
        print("\n".join(monkey.log))
        raise
    assert report.events >= 120
    assert len(report.screens) >= 8
