"""The warm judge: callers share it without hearing each other, and it ends when it must."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging import RIGHT, cell, entry, judged, python_path, small_course, tutor, until

from tutor.base.runner_table import Runner
from tutor.hardware import presence
from tutor.judge.client import Judge
from tutor.judge.connection import identity, link
from tutor.judge.connection.runtime_folder import RuntimeFolder, Unsafe, socket_name
from tutor.judge.model.keeper_messages import AskStatus, AskStop, Status
from tutor.judge.processes import process_control, stale_folders
from tutor.xray.model.stages import Failure, Request, Stage

pytestmark = pytest.mark.slow

ENDLESS = entry("while True:\n    pass")
NOBODY = 65534


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_course(tmp_path_factory.mktemp("course"), seconds=60, memory_gib=2)


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime folder of this test alone; its path is longer than a socket's address may be."""
    folder = tmp_path / ("long" * 30)
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    yield folder
    link.ask_warm_judges(AskStop(now=True))


@pytest.fixture(scope="module")
def runtime_of_all() -> Iterator[Path]:
    """In a folder that another user may enter."""
    with tempfile.TemporaryDirectory(prefix="tutor-shared-", dir="/tmp") as folder:
        yield Path(folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_RUNTIME_DIR", folder)
            link.ask_warm_judges(AskStop(now=True))


@pytest.fixture
def shared_at_last(runtime_of_all: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """For a test that ends the warm judge of the others, and stands below them."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_of_all))
    return runtime_of_all


@pytest.fixture
def shared(shared_at_last: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The runtime folder of all tests that leave their warm judge as it was: it starts once."""
    yield shared_at_last
    until(lambda: not any(each.what == "server" for each in status().held))


def status() -> Status:
    (found,) = link.ask_warm_judges(AskStatus())
    return found


def the_socket(runtime: Path) -> Path:
    given = {os.fsencode(name): os.fsencode(value) for name, value in link.environment().items()}
    return runtime / "tutor" / socket_name(identity.imports(given))


def lives(pid: int) -> bool:
    return process_control._lives(pid)


def test_callers_share_it_and_one_ones_crash_leaves_the_other_alone(
    shared: Path, course: Path, tmp_path: Path
) -> None:
    with Judge(course) as one, Judge(course) as other:
        assert cell(one, "s", "x = 1")[1].ok
        assert cell(other, "s", "print('x' in globals())")[0] == "False\n"
        keeper = status()
        assert sum(each.what == "server" for each in keeper.held) == 2
        assert keeper.ends_in is None
        ended: list[bool] = []
        crashed = tmp_path / "crashed"
        code = f"import os, time\nwhile not os.path.exists({str(crashed)!r}): time.sleep(0.05)\nx"
        endless = threading.Thread(target=lambda: ended.append(cell(one, "s", code)[1].ok))
        endless.start()
        until(lambda: one._running)
        server = other.server
        os.kill(server, signal.SIGKILL)  # its crash
        until(lambda: not lives(server) and other._link and other._link.is_lost())
        crashed.touch()
        endless.join(30)
        assert ended == [True]
        assert judged(other, RIGHT).passed  # by another server
        assert status().pid == keeper.pid


WARM_ONLY = """\
import sys
if "torch._inductor.lowering" not in sys.modules:
    raise RuntimeError("this process begins with nothing")

def f():
    pass
"""


@pytest.mark.skipif(presence.has_nvidia_driver(), reason="no function is rehearsed there")
def test_an_xray_of_a_new_caller_finds_the_compilers_loaded(shared: Path, course: Path) -> None:
    with Judge(course) as one:
        one.wait_warm(mode="lower")
    with Judge(course) as other:  # as the next command of a shell
        events = list(other.xray(Request("/f.py", "f", (), "sm_90", "source", False, WARM_ONLY)))
    assert [each for each in events if isinstance(each, Failure)] == []
    assert [each.name for each in events if isinstance(each, Stage)] == ["source"]


def resting() -> list[int]:
    return [each.pid for each in status().held if each.what == "resting"]


def test_the_server_of_a_caller_that_left_serves_the_next_one_like_it(
    shared: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Judge(course) as one, Judge(course) as two:
        assert cell(one, "s", "x = 1")[1].ok
        assert judged(two, RIGHT).passed
        servers = [one.server, two.server]
    until(lambda: len(status().held) and not any(h.what == "server" for h in status().held))
    (kept,) = resting()
    assert kept in servers
    until(lambda: not lives(sum(servers) - kept))
    assert status().ends_in is not None, "a server that rests keeps nothing alive"
    monkeypatch.setenv("SHLVL", "77")  # a shell sets it for itself
    with Judge(course) as same, Judge(course) as beside:
        assert cell(same, "s", "print('x' in globals())")[0] == "False\n"
        assert judged(beside, RIGHT).passed
        assert same.server == kept != beside.server
        assert resting() == []
    until(resting)
    monkeypatch.setenv("SEEN_BY_A_KERNEL", "1")
    with Judge(course) as other:
        seen = cell(other, "s", "import os; print(os.environ['SEEN_BY_A_KERNEL'])")[0]
        assert (seen, other.server in resting()) == ("1\n", False)


def test_the_server_of_a_runners_caller_rests_too(shared: Path, course: Path) -> None:
    here = Runner("here", ("env",), (sys.executable, "-m", "tutor"))
    servers = []
    for _ in range(2):
        with Judge(course, runner=here) as judge:
            assert cell(judge, "s", "print(1)")[0] == "1\n"
        until(resting)
        servers += resting()
    assert servers[0] == servers[1]


def test_a_server_whose_call_was_abandoned_ends(shared: Path, course: Path) -> None:
    with Judge(course) as one:
        assert judged(one, RIGHT).passed
        calls = one.run_cell("s", "while True:\n    pass")
        next(calls)
        server = one.server
    until(lambda: not lives(server))
    assert server not in resting()


CALLER = """\
import sys
from pathlib import Path
from tutor.judge.client import Judge

judge = Judge(Path(sys.argv[1]))
code = "print('here', flush=True)\\nwhile True:\\n    pass\\n"
for event in judge.run_cell("s", code, seconds=600):
    print(judge.server, flush=True)
"""


def test_a_caller_that_is_killed_takes_its_own_processes_along_only(
    shared: Path, course: Path
) -> None:
    with Judge(course) as other:
        assert judged(other, RIGHT).passed
        killed = subprocess.Popen(
            [sys.executable, "-c", CALLER, course],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": python_path(os.environ)},
        )
        assert killed.stdout is not None
        server = 0
        while not server:
            server = int(killed.stdout.readline())
        assert lives(server)
        killed.kill()
        killed.wait()
        killed.stdout.close()
        until(lambda: not lives(server))
        until(lambda: sum(each.what == "server" for each in status().held) == 1)
        assert judged(other, RIGHT).passed


def test_a_changed_file_of_the_program_is_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tutor"
    (package / "judge").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "judge" / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(identity.tutor, "__file__", str(package / "__init__.py"))
    before = identity.version()
    assert identity.version() == before
    (package / "judge" / "a.py").write_text("x = 22\n")
    assert identity.version() != before


def test_the_callers_variables_and_cores_count(
    shared: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = "import os\nprint(os.environ.get('TUTOR_TEST_WORD'), len(os.sched_getaffinity(0)))"
    cores = os.sched_getaffinity(0)
    for word in ("first", "second"):
        monkeypatch.setenv("TUTOR_TEST_WORD", word)
        os.sched_setaffinity(0, {min(cores)} if word == "second" else cores)
        try:
            with Judge(course) as judge:
                count = 1 if word == "second" else len(cores)
                assert cell(judge, "s", ask)[0] == f"{word} {count}\n"
        finally:
            os.sched_setaffinity(0, cores)
    until(lambda: status().ends_in is not None)


def test_what_counts_at_imports_is_not_shared_and_a_logout_ends_it(
    shared: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runtime folder goes with the login."""
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with Judge(course) as judge:
        asked = cell(judge, "s", "import os\nprint(os.environ['OMP_NUM_THREADS'])")
        assert asked[0] == "1\n"
        both = link.ask_warm_judges(AskStatus())
        busy = {one.pid: "server" in [each.what for each in one.held] for one in both}
    other, own = sorted(busy, key=lambda pid: busy[pid])
    assert (busy[other], busy[own]) == (False, True)
    the_socket(shared).unlink()
    until(lambda: not lives(own))
    assert lives(other)


def test_it_ends_when_nobody_has_come_for_a_while(
    runtime: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "MINUTE", 2.0)
    monkeypatch.setenv("TUTOR_HOME", str(runtime))
    (runtime / "config.toml").write_text("judge_keep_minutes = 1\n")
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
        pid = status().pid
        time.sleep(2.5)
        assert lives(pid)  # it has a caller
    time.sleep(0.5)
    assert lives(pid)
    until(lambda: not lives(pid))
    assert link.ask_warm_judges(AskStatus()) == []
    assert not the_socket(runtime).exists()


# --- homes ---------------------------------------------------------------------------------------------


def test_each_home_has_a_judge_of_its_own(
    runtime: Path, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They see and end their own only; the path to a home may be a link."""
    (tmp_path / "one").mkdir()
    (tmp_path / "link").symlink_to("one")

    def judges(home: str) -> dict[int, bool]:
        """The warm judges of a home as the program tells them: process, and whether it has a caller."""
        environment = {**os.environ, "TUTOR_HOME": str(tmp_path / home)}
        said = tutor("judge", "status", "--json", env=environment).stdout
        return {each["pid"]: each["ends_in"] is None for each in json.loads(said)}

    keepers = {}
    for home in ("one", "two"):
        monkeypatch.setenv("TUTOR_HOME", str(tmp_path / home))
        with Judge(course) as judge:
            assert judged(judge, RIGHT).passed
        keepers[home] = status().pid
        assert (tmp_path / home / "cache" / "judge" / "judge.log").exists()
    assert list(judges("link")) == [keepers["one"]]
    with Judge(course, runner=_runner(tmp_path / "one")) as judge:  # `two` is the caller's home
        assert judged(judge, RIGHT).passed
        assert judges("one") == {keepers["one"]: True}
        assert judges("two") == {keepers["two"]: False}
    stopped = tutor("judge", "stop", env={**os.environ, "TUTOR_HOME": str(tmp_path / "link")})
    assert b"The warm judge ends." in stopped.stdout
    until(lambda: not lives(keepers["one"]))
    assert (judges("one"), list(judges("two"))) == ({}, [keepers["two"]])
    shutil.rmtree(tmp_path / "two")
    until(lambda: not lives(keepers["two"]))
    assert list((runtime / "tutor").glob("*.sock")) == []


def _runner(home: Path) -> Runner:
    """This machine, as another login with a home of its own would have it."""
    return Runner("here", ("env", f"TUTOR_HOME={home}"), (sys.executable, "-m", "tutor"))


def test_none_is_kept_if_the_settings_say_so(
    runtime: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(runtime))
    (runtime / "config.toml").write_text("judge_keep_minutes = 0\n")
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
        assert link.ask_warm_judges(AskStatus()) == []


def test_what_a_killed_one_leaves_is_swept(
    runtime: Path, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
        left = list(temporary.iterdir())
        assert left
        for pid in (status().pid, *process_control.descendants(status().pid)):
            process_control.kill(pid)
    assert the_socket(runtime).exists()
    with socket.socket(socket.AF_UNIX) as other, RuntimeFolder() as open_folder:
        other.bind(open_folder._address("judge-other.sock"))  # of an installation that is gone
    hour_ago = time.time() - 3600
    for folder in left:
        os.utime(folder, (hour_ago, hour_ago))
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
        until(lambda: not any(folder.exists() for folder in left))
        until(lambda: not (runtime / "tutor" / "judge-other.sock").exists())
        assert status()


def test_a_folder_in_use_is_not_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder, lock = stale_folders.make_folder()
    hour_ago = time.time() - 3600
    os.utime(folder, (hour_ago, hour_ago))
    stale_folders.sweep_folders()
    assert Path(folder).exists()
    os.close(lock)
    at = os.open(folder, os.O_RDONLY)
    for _ in range(1_500):  # deeper than Python's stack, and a longer path than the kernel takes
        os.mkdir("deep", dir_fd=at)
        inner = os.open("deep", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.mkdir("closed", 0o000, dir_fd=at)
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    os.utime(folder, (hour_ago, hour_ago))
    stale_folders.sweep_folders()
    left = Path(folder).exists()
    subprocess.run(["rm", "-rf", folder], check=True)  # pytest cannot
    assert not left


# --- other users --------------------------------------------------------------------------------------


def test_only_its_owner_can_reach_it(shared: Path, course: Path) -> None:
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
    folder = shared / "tutor"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(the_socket(shared).stat().st_mode) == 0o600


def test_a_folder_that_others_can_enter_is_not_used(runtime: Path, course: Path) -> None:
    folder = runtime / "tutor"
    folder.mkdir(mode=0o755)
    with pytest.raises(Unsafe, match="not a folder of yours alone"):
        RuntimeFolder()
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed  # by processes for this caller alone
    assert list(folder.iterdir()) == []
    folder.rmdir()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_another_users_folder_and_socket_are_refused(runtime: Path) -> None:
    folder = runtime / "tutor"
    folder.mkdir(mode=0o700)
    with RuntimeFolder() as open_folder, open_folder.lock(), open_folder.listen("a.sock"):
        os.chown(folder / "a.sock", NOBODY, NOBODY)
        with pytest.raises(Unsafe, match="not a socket of yours"):
            open_folder.connect("a.sock")
    os.chown(folder, NOBODY, NOBODY)
    with pytest.raises(Unsafe, match="not a folder of yours"):
        RuntimeFolder()
    os.chown(folder, 0, 0)
    (folder / "a.sock").unlink()


STRANGER = """\
import os, socket, sys
os.setgid({nobody}); os.setuid({nobody})
connection = socket.socket(socket.AF_UNIX)
try:
    connection.connect(sys.argv[1])
except PermissionError:
    sys.exit(9)
connection.settimeout(20)
sys.exit(8 if connection.recv(1) == b"" else 0)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_a_stranger_is_turned_away(shared: Path, course: Path) -> None:
    """By the folder's mode, and if that were open, by the keeper itself."""
    script = STRANGER.format(nobody=NOBODY)
    path = the_socket(shared)
    places = ((shared, 0o700, 0o755), (path.parent, 0o700, 0o755), (path, 0o600, 0o666))
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
        try:
            for expected in (9, 8):
                done = subprocess.run([sys.executable, "-c", script, path], timeout=60)
                assert done.returncode == expected
                for place, _, open_mode in places:
                    place.chmod(open_mode)
        finally:
            for place, own_mode, _ in places:
                place.chmod(own_mode)
        assert judged(judge, RIGHT).passed


def test_an_upgrade_ends_it_once_its_callers_have_left(
    shared_at_last: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Judge(course) as old:
        assert judged(old, RIGHT).passed
        before = status().pid
        version = identity.version()
        monkeypatch.setattr(identity, "version", lambda: version + " and later")
        # No keeper has that version: after some starts the caller has one for itself.
        with Judge(course) as new:
            assert judged(new, RIGHT).passed
            assert new._link is not None
            assert new._link._keeper is not None
        assert judged(old, RIGHT).passed  # it is served until it leaves
        assert lives(before)
    until(lambda: not lives(before))


# --- the command ---------------------------------------------------------------------------------------


def test_the_command_says_what_it_holds_and_ends_it(runtime: Path, tmp_path: Path) -> None:
    assert b"No warm judge is running." in tutor("judge", "status").stdout
    assert json.loads(tutor("judge", "status", "--json").stdout) == []
    file = tmp_path / "a.py"
    file.write_text(RIGHT)
    assert tutor("check", "vector_add", file, "--cold").returncode == 0
    assert b"No warm judge is running." in tutor("judge", "stop").stdout
    assert tutor("check", "vector_add", file).returncode == 0
    said = tutor("judge", "status").stdout.decode()
    assert "ready to interpret kernels" in said
    assert "ends in" in said
    (found,) = json.loads(tutor("judge", "status", "--json").stdout)
    assert {"interpret", "offline"} <= {each["what"] for each in found["held"]}
    assert b"The warm judge ends." in tutor("judge", "stop").stdout
    until(lambda: not lives(found["pid"]))


def test_a_stop_waits_for_callers(runtime: Path, course: Path) -> None:
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
        pid = status().pid
        assert b"It ends with 1 caller" in tutor("judge", "stop").stdout
        assert judged(judge, RIGHT).passed
        assert lives(pid)
    until(lambda: not lives(pid))


def test_a_stopped_judge_goes_on_for_the_next_caller_and_ends_now_though_it_has_one(
    runtime: Path, course: Path
) -> None:
    def stop_all() -> int:
        held = status()
        for pid in (*(each.pid for each in held.held), held.pid):
            os.kill(pid, signal.SIGSTOP)
        return held.pid

    for _ in range(2):  # the second time a server rests, which is stopped too
        with Judge(course) as judge:
            assert judged(judge, RIGHT).passed
        stop_all()
    with Judge(course) as judge:
        assert judged(judge, RIGHT).passed
        pid = stop_all()
        assert b"The warm judge ends." in tutor("judge", "stop", "--now").stdout
        until(lambda: not lives(pid))


def test_a_command_started_by_a_command_has_the_same_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the warm judge would not serve it: what Python finds would differ."""
    first = link.environment()
    for name, value in first.items():
        monkeypatch.setenv(name, value)
    assert link.environment() == first
