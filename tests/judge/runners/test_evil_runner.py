"""A runner may answer only what was asked, in bounded length and time."""

import sys
from pathlib import Path

import pytest
from judging import RIGHT, judged

from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.base.runner_table import Runner
from tutor.judge.client import Judge

EVIL = Path(__file__).with_name("evil_runner.py")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("another exercise", "it answered for 'nosuch"),
        ("right on no case", "right on no case"),
        ("many causes", "longer than one can be"),
        ("a huge verdict", "longer than one can be"),
        ("endless events", "answers one call without end"),
        ("a clone that is a command", "what is no name"),
        ("many packages", "too many packages"),
        ("never", "has said nothing for 1 s"),
        ("nothing", "has said nothing for 1 s"),
        ("half a frame", "did not start|has said nothing"),
    ],
)
def test_what_a_runner_may_not_send_ends_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, said: str
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    is_silent = mode in ("never", "nothing", "half a frame")
    (tmp_path / "config.toml").write_text(f"judge_timeout = {1 if is_silent else 60}\n")
    runner = Runner("evil", (sys.executable, str(EVIL), mode))
    with Judge(paths.course_root(), runner=runner) as judge:
        with pytest.raises(CannotHere, match=said) as caught:
            judged(judge, RIGHT)
        assert len(str(caught.value)) < 1_000
        assert "\x1b" not in str(caught.value)
