"""A limit counts the processor time of what a cell starts, with a generous limit on the wall, and of
the worker itself neither the time without a core nor that in which nobody listens."""

import os
import subprocess
import time
from contextlib import ExitStack

import pytest
from judging import cell

from tutor.judge.processes.process_control import read_core_seconds
from tutor.judge.processes.task_clock import TaskClock

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


def test_a_server_that_does_something_else_does_not_use_up_the_limit() -> None:
    with subprocess.Popen(["sleep", "60"]) as idle:
        clock = TaskClock(idle.pid, 0.1)
        clock.post()
        time.sleep(0.2)  # the server works; the answer may be there
        clock.listen()
        assert clock.left() > 0
        time.sleep(0.2)
        assert clock.left() <= 0
        idle.kill()


def test_a_process_without_a_core_does_not_use_up_the_limit() -> None:
    """Three processes share a core: a third of the wall is each one's. The wait for it that is under
    way, some hundredths of a second, is known once it ends."""
    core = min(os.sched_getaffinity(0))
    spin = ["taskset", "-c", str(core), "sh", "-c", "while :; do :; done"]
    with ExitStack() as ends:
        crowd = [subprocess.Popen(spin) for _ in range(3)]
        for process in crowd:
            ends.callback(process.kill)
        mine = crowd[-1].pid
        while read_core_seconds(mine)[0] < 0.05:
            time.sleep(0.02)
        clock = TaskClock(mine, 0.6)
        clock.post()
        clock.listen()
        before = read_core_seconds(mine)[0]
        while True:
            left = clock.left()
            if read_core_seconds(mine)[0] - before >= 0.3:
                break  # it may have run on since `left` was read
            assert left > 0
            time.sleep(0.02)
        while read_core_seconds(mine)[0] - before < 0.8:
            time.sleep(0.02)
        assert clock.left() <= 0
