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

COMPLETE = """
from tutor.judge.worker import inductor_setup
print(inductor_setup.get_answers().complete)
"""


@pytest.fixture(scope="module")
def new_home(tmp_path_factory):
    return tmp_path_factory.mktemp("new-home")


@pytest.fixture(scope="module")
def own(new_home):
    """A judge of its own in a new home, in which the C++ compiler has answered nothing yet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TORCHINDUCTOR_VEC_ISA_OK", raising=False)
        patch.setenv("TUTOR_HOME", str(new_home))
        with Judge(paths.course_root()) as judge:
            yield judge


def last_line(judge: Judge, code: str) -> str:
    """What a new session's first cell prints at last."""
    text, done = cell(judge, "new", code, mode="compile", seconds=120)
    assert done.ok, done.error
    judge.end_session("new")
    return text.splitlines()[-1]


def ask(judge: Judge) -> tuple[int, str, Path]:
    started, names, headers = last_line(judge, ASK).split("|")
    return int(started), names, Path(headers)


def wait_for_answers(judge: Judge) -> None:
    """By a worker that asks the compiler nothing, as it takes seconds to answer."""
    end = time.monotonic() + 120
    while last_line(judge, COMPLETE) != "True":
        assert time.monotonic() < end
        time.sleep(2.0)


def test_later_workers_know_what_the_first_process_was_told(own, new_home):
    """The first may have come before the answers; they all find the same."""
    _, names, headers = ask(own)
    assert headers.is_relative_to(new_home)
    wait_for_answers(own)
    assert ask(own) == (0, names, headers)
    assert list(headers.rglob("*.gch"))


def test_later_workers_hash_no_header(own):
    wait_for_answers(own)
    assert last_line(own, WRITE) == "0"


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


MODES = ("interpret", "both", "compile", "cuda")
WARM = """
import os
import sys
import torch
from tutor.judge.worker import modes

def woken(*_):
    raise AssertionError("a driver that is open cannot be handed to a fork")

def warm(mode):
    modes.warm(mode)
    from tutor.judge.worker import inductor_setup
    inductor_setup.Answers()

def count_hashes():
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    modes.warm("compile")
    from triton.runtime import cache
    print("hashed", cache.triton_key.cache_info().currsize, flush=True)

def in_a_fork(run, *arguments):
    child = os.fork()
    if not child:
        run(*arguments)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0

in_a_fork(count_hashes)
torch.cuda.is_available = torch.cuda.device_count = torch.cuda.init = woken
for mode in sys.argv[1:]:
    print(mode, in_a_fork(warm, mode), flush=True)
"""


@pytest.fixture(scope="module")
def warmed() -> dict[str, str]:
    """Whether each mode becomes warm without a GPU, and how often the files of Triton are hashed then.

    Private name of Triton 3.6 and 3.7: `triton_key`.
    """
    command = [sys.executable, "-c", WARM, *MODES]
    said = subprocess.run(
        command, stdout=subprocess.PIPE, check=True, text=True, env=environment(), timeout=240
    )
    return dict(line.split() for line in said.stdout.splitlines())


@pytest.mark.parametrize("mode", MODES)
def test_what_warms_up_leaves_the_gpu_alone(warmed, mode):
    assert warmed[mode] == "True"


def test_workers_find_the_files_of_triton_hashed(warmed):
    assert warmed["hashed"] == "1"
