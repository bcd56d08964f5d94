"""A limit counts the processor time of what a cell starts, with a generous limit on the wall."""

import time

import pytest
from judging import cell

pytestmark = pytest.mark.slow


def test_a_program_that_waits_does_not_use_up_the_limit(judge) -> None:
    text, done = cell(
        judge, "waits", "import subprocess\nsubprocess.run(['sleep', '4'])", seconds=2
    )
    assert done.ok, (text, done.error)


def test_a_program_that_works_does(judge) -> None:
    started = time.monotonic()
    code = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass'])"
    _, done = cell(judge, "works", code, seconds=2)
    assert not done.ok
    assert "not finished after 2 s" in done.error
    assert time.monotonic() - started < 60


def test_a_program_that_waits_for_ever_ends_at_the_limit_of_the_wall(judge) -> None:
    started = time.monotonic()
    code = "import subprocess\nsubprocess.run(['sleep', '600'])"
    _, done = cell(judge, "waits for ever", code, seconds=1)
    assert not done.ok
    assert "not finished after 1 s" in done.error
    assert 4 < time.monotonic() - started < 60


def test_without_a_program_the_wall_counts(judge) -> None:
    _, done = cell(judge, "sleeps", "import time\ntime.sleep(4)", seconds=1)
    assert not done.ok
