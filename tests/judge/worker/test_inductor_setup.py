"""The C++ compiler is asked once, whatever number of workers have Inductor write for a CPU."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from judging import cell, parent_of, template_of

from tutor.base import paths
from tutor.judge.client import Judge, environment
from tutor.judge.processes import process_control

pytestmark = [
    pytest.mark.skipif(not shutil.which("g++"), reason="needs a C++ compiler"),
    pytest.mark.slow,
]

# Notes every program that is started.
NOTE = """
import subprocess
started = []
begin = subprocess.Popen.__init__
def noted(self, args, *rest, **named):
    started.append(args)
    begin(self, args, *rest, **named)
subprocess.Popen.__init__ = noted
"""
ASK = (
    NOTE
    + """
from torch._inductor import codecache
from torch._inductor.cpu_vec_isa import valid_vec_isa_list
names = [type(each).__name__ for each in valid_vec_isa_list()]
print(len(started), ",".join(names), codecache._HEADER_DIR, sep="|")
"""
)
WRITE = (
    NOTE
    + """
import torch
torch.compile(torch.neg)(torch.ones(64))
print(sum("-E" in str(args) for args in started))
"""
)


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What a new session of a judge of its own, in a new home, answers."""
    monkeypatch.delenv("TORCHINDUCTOR_VEC_ISA_OK", raising=False)
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    with Judge(paths.course_root()) as judge:

        def ask(name: str) -> tuple[int, str, Path]:
            text, done = cell(judge, name, ASK, mode="compile", seconds=120)
            assert done.ok, done.error
            judge.end_session(name)
            started, names, headers = text.splitlines()[-1].split("|")
            return int(started), names, Path(headers)

        yield ask


def test_later_workers_know_what_the_first_process_was_told(asked, tmp_path):
    """The first may have come before the answers; they all find the same."""
    _, names, headers = asked("first")
    assert headers.is_relative_to(tmp_path)
    end = time.monotonic() + 120
    while (found := asked("next"))[0]:
        assert found[1] == names
        assert time.monotonic() < end
        time.sleep(0.5)
    assert found == (0, names, headers)
    while not list(headers.rglob("*.gch")):  # in a new home, nobody need wait for them
        assert time.monotonic() < end
        time.sleep(0.5)


def children_but(worker: int) -> list[int]:
    """The other processes that the template of a worker has forked."""
    return [pid for pid in process_control.children(parent_of(worker)) if pid != worker]


def test_workers_come_though_the_process_that_asks_is_killed(home):
    with template_of("compile", 0) as template:
        template.wait_ready()
        end = time.monotonic() + 10
        worker = template.take()
        while not (asking := children_but(worker.pid)):
            assert time.monotonic() < end
            time.sleep(0.01)
        for pid in asking:
            process_control.kill(pid)
        assert template.take().wait_warm()
        assert template.alive


def test_later_workers_hash_no_header(monkeypatch, tmp_path):
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    end = time.monotonic() + 120
    hashed = [1]
    with Judge(paths.course_root()) as judge:
        while hashed[-1]:  # the first worker may have come before the answers
            assert time.monotonic() < end
            name = f"session {len(hashed)}"
            text, done = cell(judge, name, WRITE, mode="compile", seconds=120)
            assert done.ok, done.error
            judge.end_session(name)
            hashed.append(int(text.splitlines()[-1]))
            time.sleep(0.5)


ASLEEP = """
import sys
import torch
from tutor.judge.worker import modes

def woken(*_):
    raise AssertionError("a driver that is open cannot be handed to a fork")

torch.cuda.is_available = torch.cuda.device_count = torch.cuda.init = woken
modes.warm(sys.argv[1])
from tutor.judge.worker import inductor_setup
inductor_setup.Answers()
"""


@pytest.mark.parametrize("mode", ["interpret", "both", "compile", "cuda"])
def test_what_warms_up_leaves_the_gpu_alone(mode):
    command = [sys.executable, "-c", ASLEEP, mode]
    subprocess.run(command, check=True, env=environment(), timeout=120)


REHEARSED = """
from tutor.judge.worker import modes

modes.warm("compile")
import triton.runtime.cache
print(triton.runtime.cache.triton_key.cache_info().currsize)
"""


def test_workers_find_the_files_of_triton_hashed():
    """Private name of Triton 3.6 and 3.7: `triton_key`."""
    done = subprocess.run(
        [sys.executable, "-c", REHEARSED],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env=environment() | {"CUDA_VISIBLE_DEVICES": ""},
        timeout=120,
    )
    assert done.stdout.split() == ["1"]
