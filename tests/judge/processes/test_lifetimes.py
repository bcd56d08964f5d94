"""Processes: nothing outlives its owner, a lost part is replaced, a call can be stopped."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from judging import (
    KERNEL,
    RIGHT,
    entry,
    first_code,
    judged,
    marked,
    name_of,
    parent_of,
    python_path,
    template_of,
    template_process,
    until,
    wait_until_gone,
)

from tutor.base.errors import CannotHere, UsageError
from tutor.judge.client import (
    CellDone,
    CellOutput,
    Judge,
    Progress,
    Provisional,
    Started,
    Submission,
)
from tutor.judge.model.verdict import Verdict
from tutor.judge.processes import process_control
from tutor.judge.processes.template_link import TemplateLink

pytestmark = pytest.mark.slow

ENDLESS = entry("while True:\n    pass")

OWNER = """\
import sys
from pathlib import Path
from tutor.judge.client import Judge, Progress, Provisional, Started, Submission

judge = Judge(Path(sys.argv[1]), cold=True)
if sys.argv[2] == "submission":
    source = {source!r}
    events = judge.submit(Submission("vector_add", source, "a.py", timing=False))
else:
    code = "print('here', flush=True)\\nwhile True:\\n    pass\\n"
    events = judge.run_cell("s", code, seconds=600)
for event in events:
    if not isinstance(event, Progress):
        print("running", flush=True)
"""


def test_nothing_outlives_an_owner_that_is_killed(strict_course, tmp_path, mark):
    """Two owners, one with a submission under way (which made a daemon), one with a cell."""
    daemon = "import os\nif os.fork() == 0:\n    os.setsid()\n    while True:\n        pass\n"
    script = tmp_path / "owner.py"
    script.write_text(OWNER.format(source=KERNEL + daemon + ENDLESS[len(KERNEL) :]))
    owners = [
        subprocess.Popen(
            [sys.executable, script, strict_course, what],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": python_path(os.environ)},
        )
        for what in ("submission", "cell")
    ]
    for owner in owners:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"running\n"
    least = 2 + 2 * 4  # owner; keeper, server, template, worker
    until(lambda: len(marked(mark)) >= least)
    for owner in owners:
        owner.kill()
        owner.wait()
        assert owner.stdout is not None
        owner.stdout.close()
    assert wait_until_gone(mark) == []


def test_lost_parts_are_replaced_and_nothing_is_left_after_close(strict_course, mark):
    judge = Judge(strict_course, cold=True)
    assert judged(judge, RIGHT).passed

    for lost in ("tutor interpret", "tutor:interpret"):  # a worker that waits, and its template

        def named(name: str = lost[:15]) -> list[int]:
            return [pid for pid in marked(mark) if name_of(pid) == name]

        until(named)
        os.kill(min(named()), signal.SIGKILL)  # a new fork has its parent's name for a moment
        time.sleep(0.5)  # large processes take their time to die
        assert judged(judge, RIGHT).passed
    os.kill(process_control._status_kib(judge.server, "PPid"), signal.SIGKILL)  # the keeper
    assert wait_until_gone(mark) == []
    assert judged(judge, RIGHT).passed

    os.kill(judge.server, signal.SIGKILL)
    with pytest.raises(CannotHere, match=r"judge\.log"):
        judged(judge, RIGHT)
    assert wait_until_gone(mark) == []

    assert judged(judge, RIGHT).passed
    assert marked(mark)
    waiting = threading.Thread(target=lambda: list(judge.submit(submission(ENDLESS))))
    waiting.start()
    time.sleep(0.5)
    started = time.monotonic()
    judge.close()
    assert time.monotonic() - started < 30
    waiting.join(30)
    assert not waiting.is_alive()
    assert wait_until_gone(mark) == []


def submission(source: str) -> Submission:
    return Submission("vector_add", source, "vector_add.py", timing=False)


def test_a_judge_that_was_never_used_closes_and_a_closed_one_closes_again(strict_course, mark):
    with Judge(strict_course, cold=True) as judge:
        judge.cancel()
        judge.end_session("nothing")
    judge.close()
    assert marked(mark) == []


def test_a_call_that_ctrl_c_ends_spoils_no_later_one(judge):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    events = judge.run_cell("s", "print(1, flush=True)\nwhile True:\n    pass\n")
    next(event for event in events if isinstance(event, CellOutput))
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            next(events)
    finally:
        signal.signal(signal.SIGINT, before)
    judge.end_session("s")
    *_, done = judge.run_cell("s", "print(2)")
    assert isinstance(done, CellDone)
    assert done.ok


@pytest.mark.budget
def test_cancel_ends_an_endless_loop_at_once_and_the_next_submission_works(judge):
    canceled = 0.0
    last = None
    for event in judge.submit(submission(ENDLESS)):
        if isinstance(event, Started):
            time.sleep(0.3)
            canceled = time.monotonic()
            judge.cancel()
        last = event
    assert time.monotonic() - canceled < 1.0
    assert isinstance(last, Verdict)
    assert not last.passed
    assert first_code(last) == "cancelled"
    assert judged(judge, RIGHT).passed


def test_cancel_when_nothing_runs_does_nothing(judge):
    judge.cancel()
    assert judged(judge, RIGHT).passed


def test_two_judges_at_once_are_both_right(judge, strict):
    found: dict[str, list[bool]] = {"judge": [], "strict": []}

    def go(name: str, which: Judge) -> None:
        for source in (RIGHT, entry("return launched(x, y) + 1"), RIGHT):
            found[name].append(judged(which, source).passed)

    threads = [
        threading.Thread(target=go, args=pair) for pair in (("judge", judge), ("strict", strict))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    assert found == {"judge": [True, False, True], "strict": [True, False, True]}


def test_events_come_in_order_and_the_verdict_last(judge):
    events = [e for e in judge.submit(submission(RIGHT)) if not isinstance(e, Progress)]
    assert isinstance(events[0], Started)
    verdict = events[-1]
    assert isinstance(verdict, Verdict)
    assert tuple(events[1:-2]) == verdict.cases
    early = events[-2]  # before the kernel is compiled for a GPU
    assert isinstance(early, Provisional)
    assert early.verdict.passed
    assert early.verdict.cases == verdict.cases
    assert early.verdict.resources is None
    assert verdict.resources is not None
    assert verdict.latency_ms is not None
    assert verdict.latency_ms.first_case is not None
    assert verdict.latency_ms.correct is not None
    assert 0 < verdict.latency_ms.first_case <= verdict.latency_ms.correct


def test_a_seed_replays_a_verdict(judge):
    wrong = entry("return launched(x, y) * 1.01")
    first = judged(judge, wrong)
    again = judged(judge, wrong, seed=first.seed)
    other = judged(judge, wrong, seed=first.seed + 1000)
    assert again.cases == first.cases
    assert other.cases != first.cases


def test_an_unknown_exercise_is_refused_and_costs_nothing(judge):
    with pytest.raises(UsageError, match="vector_add"):
        judged(judge, RIGHT, exercise="vector_ad")
    assert judged(judge, RIGHT).passed


def test_a_gpu_that_is_not_there_is_refused(judge):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is one here")
    with pytest.raises(CannotHere, match="GPU"):
        judged(judge, RIGHT, device="cuda")


def test_memory_is_counted_over_children_and_waiting_is_not_running():
    assert process_control.resident_bytes(os.getpid()) > 1 << 20
    assert process_control.resident_bytes(2**22 + 1) == 0
    assert process_control.read_core_seconds(os.getpid()) > (0, 0)
    assert process_control.read_core_seconds(2**22 + 1) == (0, 0)


def test_a_server_that_leaves_between_a_workers_end_and_its_report_is_no_error(capfd):
    with template_of("xray", 0) as template:
        worker = template.take()
        parent = parent_of(worker.pid)
        os.kill(parent, signal.SIGSTOP)  # it finds both at once when it wakes
        os.kill(worker.pid, signal.SIGKILL)
        while _state(worker.pid) != "Z":
            time.sleep(0.01)
        template.channel.half_close()
        os.kill(parent, signal.SIGCONT)
    assert capfd.readouterr().err == ""


def test_servers_of_one_template_do_not_reach_each_other():
    """A server that leaves takes its own workers along, and each hears of its own only."""
    with template_process("xray") as connect:
        one, other = (TemplateLink("xray", 0, connect) for _ in range(2))
        gone, kept = one.take(), other.take()
        assert parent_of(gone.pid) == parent_of(kept.pid)
        one.close()
        until(lambda: not process_control._lives(gone.pid))
        assert _state(kept.pid) != "Z"
        assert not os.path.exists(one._folder)
        assert os.path.exists(other._folder)
        os.kill(kept.pid, signal.SIGKILL)
        status = other.exit_status(kept.pid)
        assert status is not None
        assert os.WTERMSIG(status) == signal.SIGKILL
        assert other.take().wait_warm()
        other.close()


def test_a_worker_holds_no_channel_of_another_server():
    with template_process("xray") as connect:
        one, other = (TemplateLink("xray", 0, connect) for _ in range(2))
        workers = [one.take(), other.take()]

        def held() -> list[set[str]]:
            return [_sockets(worker.pid) for worker in workers]

        until(lambda: [len(each) for each in held()] == [1, 1])  # a fork begins with its parent's
        assert set.isdisjoint(*held())
        one.close()
        other.close()


def _sockets(pid: int) -> set[str]:
    """Return the sockets that it holds open; a fork may be closing some while they are read."""
    folder = f"/proc/{pid}/fd"
    links = set()
    for descriptor in os.listdir(folder):
        with suppress(FileNotFoundError):
            links.add(os.readlink(f"{folder}/{descriptor}"))
    return {link for link in links if link.startswith("socket:")}


def _state(pid: int) -> str:
    """As ps(1) has it: "R", "S", "Z" for one that has ended and was not yet asked about."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
