"""A worker is one submission's: what it starts, writes and uses up ends with it, and the next verdict is
right and no later than usual."""

import os
import statistics
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from judging import (
    BE_LEFTOVER,
    MARK,
    RIGHT,
    cell,
    entry,
    first_code,
    judged,
    leftovers,
    python_path,
    small_course,
    until,
    wait_until_gone,
)
from soak import GPU_SORTS, SLOWER

from tutor.judge.client import Judge
from tutor.judge.processes import process_control

pytestmark = pytest.mark.slow

# At most 128, 100 and 80 processes, each of which ends by itself.
BOMBS = {
    "doubling": "import os, time\nfor _ in range(7):\n    os.fork()\ntime.sleep(20)",
    "many children": "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n"
    "        time.sleep(20)\n        os._exit(0)\ntime.sleep(20)",
    "a chain of sessions": "import os, time\nfor _ in range(80):\n    if os.fork():\n        break\n"
    "    os.setsid()\ntime.sleep(20)",
}


@pytest.fixture(scope="module")
def bombed(judge):
    """A judge for all fork bombs, and the mark of its processes; none of them is left at its end."""
    value = uuid.uuid4().hex
    with Judge(judge.course_root, cold=True) as own:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(MARK, value)
            own.wait_warm()
        yield own, value
    assert wait_until_gone(value) == []


@pytest.mark.parametrize("body", BOMBS.values(), ids=BOMBS.keys())
def test_a_fork_bomb_is_named_and_nothing_of_it_is_left(bombed, body):
    # (Under the exercise's own seconds: on a busy machine forking takes a while.)
    own, mark = bombed
    assert judged(own, RIGHT).passed
    verdict = judged(own, entry(BE_LEFTOVER + body))
    assert first_code(verdict) == "too-many-processes", verdict.diagnosis
    assert "64 processes" in verdict.diagnosis[0].message
    assert judged(own, RIGHT).passed
    until(lambda: not leftovers(mark))


def test_a_few_processes_and_pages_that_they_share_are_allowed(tmp_path):
    shared = """\
import os, time
kept = bytearray(b"x") * (150 << 20)
children = []
for _ in range(6):
    children.append(os.fork())
    if children[-1] == 0:
        time.sleep(0.4)
        os._exit(0)
for child in children:
    os.waitpid(child, 0)
return launched(x, y) if kept else None"""
    with Judge(small_course(tmp_path, seconds=20, memory_gib=0.5)) as own:  # 7 x 150 MiB are more
        verdict = judged(own, "N = 0\n" + entry(once(shared)))
    assert verdict.passed, verdict.diagnosis


def once(body: str) -> str:
    """The body in the first call only."""
    inner = "".join(f"    {line}\n" for line in body.splitlines())
    return f"global N\nN += 1\nif N == 1:\n{inner}return launched(x, y)"


def test_a_group_is_killed_with_those_that_left_it():
    script = (
        "import os, time\nos.setsid()\nfor _ in range(3):\n    if os.fork() == 0: os.setsid()\n"
    )
    script += "print('up', flush=True)\ntime.sleep(60)\n"
    leader = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert leader.stdout is not None
    for _ in range(8):
        leader.stdout.readline()
    found = process_control.descendants(leader.pid)
    assert len(found) == 7
    process_control.kill_group(leader.pid, patience=5.0)
    assert not [pid for pid in found if process_control._lives(pid)]
    leader.wait(5)
    leader.stdout.close()


def test_a_user_can_start_only_so_many_more_where_the_kernel_limits_it():
    script = """\
import os, sys, threading
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)  # root is exempt
from tutor.judge.processes import process_control
process_control.limit_tasks(extra=4)
most = process_control._tasks() + 100
stop, started = threading.Event(), 0
try:
    while started < most:
        threading.Thread(target=stop.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
stop.set()
os.write(1, b"refused" if started < most else b"never refused")
os._exit(0)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": python_path(os.environ)},
        cwd="/",
    )
    if "PermissionError" in done.stderr or "ModuleNotFoundError" in done.stderr:
        pytest.skip("another user cannot read the program here")
    assert done.stdout == "refused", done.stderr


# --- folders and environment -----------------------------------------------------------------------

LOOKING = """\
import os, tempfile
print(os.getcwd(), tempfile.gettempdir(), os.environ["TMPDIR"], sep="\\n")
print(os.environ["TRITON_CACHE_DIR"], os.environ["TORCHINDUCTOR_CACHE_DIR"], sep="\\n")
os.makedirs("deep/" * 50)
open("deep/file", "w").write("x")
tempfile.mkdtemp()
os.environ["HOME"] = os.environ["LANG"] = "changed"
"""


def test_files_and_variables_of_the_learner_stay_as_they_are(strict_course, tmp_path, monkeypatch):
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    for folder in (home, temporary):
        folder.mkdir()
    (home / "notes.txt").write_text("mine")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.delenv("TRITON_CACHE_DIR", raising=False)
    before = dict(os.environ)
    with Judge(strict_course, cold=True) as judge:  # nothing of it stays when it is left
        verdict = judged(judge, LOOKING + RIGHT)
        assert verdict.passed, verdict.diagnosis
        folder, *others = verdict.output.splitlines()
        assert others[:2] == [folder, folder]
        assert Path(folder).is_relative_to(temporary)
        cache = Path(os.environ["TUTOR_HOME"]) / "cache"
        assert all(Path(each).is_relative_to(cache) for each in others[2:4])
        again = judged(judge, LOOKING + RIGHT).output.splitlines()[0]
        assert again != folder
        deadline = time.monotonic() + 5
        while Path(folder).exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not Path(folder).exists()
    assert dict(os.environ) == before
    assert [path.name for path in home.rglob("*")] == ["notes.txt"]
    deadline = time.monotonic() + 5
    while list(temporary.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(temporary.iterdir()) == []


# --- cells ------------------------------------------------------------------------------------------


def test_what_a_cell_leaves_running_has_limits_too(strict):
    later = """\
import os, threading, time
def later():
    time.sleep(0.5)
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
threading.Thread(target=later).start()
"""
    _, done = cell(strict, "bomb", later)
    assert done.ok, done.error
    deadline = time.monotonic() + 60
    while not done.lost and time.monotonic() < deadline:
        time.sleep(0.5)
        _, done = cell(strict, "bomb", "print(1)")
    assert not done.ok
    assert done.lost
    assert "processes" in done.error
    assert cell(strict, "bomb", "print(2)")[0] == "2\n"
    strict.end_session("bomb")


# --- the next verdict --------------------------------------------------------------------------------

STOPPED = {
    "a hang": entry("while True:\n    pass"),
    "a crash": entry("import ctypes\nctypes.string_at(0)"),
    "a lack of memory": entry("kept = []\nwhile True:\n    kept.append(bytes(32 << 20))"),
    "a fork bomb": entry(BOMBS["doubling"]),
}


def seconds(judge: Judge, number: list[int]) -> float:
    """Return a right verdict's seconds, after a pause in which a learner would change a line."""
    number[0] += 1
    time.sleep(1.0)
    started = time.perf_counter()
    assert judged(judge, f"{RIGHT}\n# {number[0]}\n").passed
    return time.perf_counter() - started


@pytest.mark.budget
@pytest.mark.parametrize("source", STOPPED.values(), ids=STOPPED.keys())
def test_the_next_verdict_is_right_and_no_later_than_usual(strict, source):
    _next_is_no_later(strict, source)


def _next_is_no_later(judge: Judge, source: str) -> None:
    """Compare with a verdict after a pause as long as the stopped one took.

    After seconds in which nothing runs, any verdict is slower.
    """
    number = [0]
    seconds(judge, number)
    usual, after = [], []
    for turn in range(9):  # in turns, so that a busy machine slows both
        started = time.perf_counter()
        assert not judged(judge, source).passed
        stopped_s = time.perf_counter() - started
        after.append(seconds(judge, number))
        time.sleep(stopped_s)
        usual.append(seconds(judge, number))
        if turn >= 2 and statistics.median(after) <= SLOWER * statistics.median(usual):
            return
    raise AssertionError(f"later than usual: {after} s after {usual} s")


@pytest.mark.budget
@pytest.mark.parametrize("sort", GPU_SORTS, ids=[sort.name for sort in GPU_SORTS])
def test_on_a_gpu_the_next_verdict_is_right_and_no_later(strict, sort):
    import torch

    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    verdict = judged(strict, sort.source)
    assert first_code(verdict) in sort.codes, verdict.diagnosis
    _next_is_no_later(strict, sort.source)
