"""The first evening as a test: the whole way works, and the machine's part of it is short.

The whole way goes through a large window, the straight one to a kernel through a small one, in which
`test_mouse_evening.py` goes the whole way by clicks.
"""

from pathlib import Path

import first_evening as script
import pytest

pytestmark = pytest.mark.slow

THREE_MINUTES = 180.0
PEOPLE = 120.0  # seconds of them to read the task and write two lines


def test_the_first_evening_and_the_next(tmp_path: Path) -> None:
    script.first_evening(tmp_path, script.WIDE)
    script.next_evening(tmp_path, script.WIDE)


def test_the_first_kernel_is_judged_within_three_minutes_of_launching(tmp_path: Path) -> None:
    took = script.straight_to_a_kernel(tmp_path, script.SMALL)
    assert sum(seconds for _, seconds in took) < THREE_MINUTES - PEOPLE, took
