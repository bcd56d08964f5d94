"""Ranks that run when their judge is stopped from outside: none of them is left."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from judging import (
    BE_LEFTOVER,
    judged,
    leftovers,
    parent_of,
    python_path,
    until,
    wait_until_gone,
)

from tutor.base.errors import CannotHere
from tutor.judge.client import Judge
from tutor.judge.model.verdict import Verdict

SLUG = "ring_allreduce"
ENDLESS = f"""{BE_LEFTOVER}
import torch.distributed as dist


def ring_allreduce(rank, world, x):
    while rank:  # rank 0 waits for the others
        pass
    dist.recv(x, 1)
    return x
"""
WATCHER_AND_TWO_RANKS = 3  # of the first case

pytestmark = pytest.mark.slow


def test_ctrl_c_ends_every_rank_and_says_so(course: Path, tmp_path: Path, mark: str) -> None:
    answer = tmp_path / "ring.py"
    answer.write_text(ENDLESS)
    own = shutil.copytree(course, tmp_path / "course")
    with (own / "kernels" / SLUG / "exercise.toml").open("a") as settings:
        settings.write("\n[limits]\nseconds = 60\n")  # a busy machine takes some to start the ranks
    command = [sys.executable, "-m", "tutor", "--course", str(own), "check"]
    env = {**os.environ, "PYTHONPATH": python_path(os.environ)}
    with subprocess.Popen(
        [*command, SLUG, str(answer), "--cold"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        until(lambda: len(leftovers(mark)) >= WATCHER_AND_TWO_RANKS)
        run.send_signal(signal.SIGINT)
        printed, said = run.communicate(timeout=30)
    assert run.returncode == 130, printed + said
    assert "Traceback" not in said
    until(lambda: not leftovers(mark))


@pytest.mark.parametrize("killed", ["the watcher", "a rank"])
def test_a_process_that_is_killed_takes_the_others_along(
    course: Path, home: Path, mark: str, killed: str
) -> None:
    with Judge(course, cold=True) as judge:
        verdicts: list[Verdict] = []
        run = threading.Thread(target=lambda: verdicts.append(judged(judge, ENDLESS, SLUG)))
        run.start()
        until(lambda: len(leftovers(mark)) >= WATCHER_AND_TWO_RANKS)
        pids = leftovers(mark)
        watcher = next(pid for pid in pids if any(parent_of(each) == pid for each in pids))
        os.kill(watcher if killed == "the watcher" else max(pids), signal.SIGKILL)
        run.join(30)
        assert not leftovers(mark)
    assert len(verdicts) == 1
    assert not verdicts[0].passed
    assert "SIGKILL" in verdicts[0].diagnosis[0].message


def test_a_server_that_is_killed_leaves_no_rank(course: Path, home: Path, mark: str) -> None:
    with Judge(course, cold=True) as judge:
        errors: list[Exception] = []

        def submit() -> None:
            try:
                judged(judge, ENDLESS, SLUG)
            except CannotHere as error:
                errors.append(error)

        run = threading.Thread(target=submit)
        run.start()
        until(lambda: len(leftovers(mark)) >= WATCHER_AND_TWO_RANKS)
        os.kill(judge.server, signal.SIGKILL)
        run.join(30)
        assert len(errors) == 1
        assert wait_until_gone(mark) == []
        solution = (course / "kernels" / SLUG / "solution.py").read_text("utf-8")
        assert judged(judge, solution, SLUG).passed  # and the next submission is judged
    assert wait_until_gone(mark) == []
