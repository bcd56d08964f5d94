"""What the judge's tests share: a right answer to vary, small courses, the processes of a test."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

from tutor.base import paths
from tutor.judge.client import CellDone, CellOutput, Submission, environment
from tutor.judge.model.keeper_messages import Surroundings
from tutor.judge.model.verdict import Verdict
from tutor.judge.processes import process_control
from tutor.judge.processes.template_link import TemplateLink
from tutor.judge.processes.wire import Channel, pair
from tutor.judge.processes.worker_messages.helpers import NewServer

MARK = "TUTOR_TEST_MARK"
SEED = 7
TRITON = tuple(map(int, metadata.version("triton").split(".")[:2]))  # its release

KERNEL = """\
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def launched(x, y):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = out.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK=BLOCK)
    return out


"""
RIGHT = KERNEL + "def add(x, y):\n    return launched(x, y)\n"


def entry(body: str, before: str = "") -> str:
    """A file whose `add` has this body; `launched(x, y)` is the right answer."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{KERNEL}{before}\ndef add(x, y):\n{lines}"


def judged(judge, source: str, exercise: str = "vector_add", **options) -> Verdict:
    """The verdict on a text, without timing, on the same inputs in each run."""
    options = {"seed": SEED, **options}
    submission = Submission(exercise, source, f"{exercise}.py", timing=False, **options)
    last = None
    for event in judge.submit(submission):
        last = event
    assert isinstance(last, Verdict)
    return last


def first_code(verdict: Verdict) -> str:
    return verdict.diagnosis[0].code if verdict.diagnosis else ""


def cell(judge, session: str, code: str, **options) -> tuple[str, CellDone]:
    """What a cell printed, and how it ended."""
    text, done = "", None
    for event in judge.run_cell(session, code, **options):
        if isinstance(event, CellOutput):
            text += event.text
        elif isinstance(event, CellDone):
            done = event
    assert done is not None
    return text, done


def small_course(folder: Path, seconds: float, memory_gib: float) -> Path:
    """A course with `vector_add` only, under other limits and with three cases."""
    root = folder / "course"
    shutil.copytree(paths.course_root() / "kernels" / "vector_add", root / "kernels" / "vector_add")
    (root / "lessons").mkdir()
    (root / "quizzes").mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    exercise = root / "kernels" / "vector_add"
    with (exercise / "exercise.toml").open("a") as file:
        file.write(f"\n[limits]\nseconds = {seconds}\nmemory_gib = {memory_gib}\n")
    with (exercise / "reference.py").open("a") as file:
        file.write("\nCASES = CASES[:3]\n")
    return root


# --- processes ------------------------------------------------------------------------------------


def marked(value: str) -> list[int]:
    """Processes other than this one that inherited the mark, zombies left out."""
    wanted = f"{MARK}={value}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def name_of(pid: int) -> str:
    """As top(1) has it."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:  # it has ended since it was listed
        return ""


# In a learner's code: the process and its forks can be told from the judge's own by `LEFTOVER`.
LEFTOVER = "leftover"
BE_LEFTOVER = f"import ctypes; ctypes.CDLL(None).prctl(15, b'{LEFTOVER}')\n"


def leftovers(value: str) -> list[int]:
    """The marked processes whose code called itself so."""
    return [pid for pid in marked(value) if name_of(pid) == LEFTOVER]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def until(true: Callable[[], object], seconds: float = 90.0) -> None:
    """Wait until `true()` holds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_until_gone(value: str, seconds: float = 15.0) -> list[int]:
    """The marked processes that are left after at most so many seconds; on a busy machine large ones
    take some to die."""
    deadline = time.monotonic() + seconds
    while (left := marked(value)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


@contextlib.contextmanager
def template_process(mode: str) -> Iterator[Callable[[str, Channel], None]]:
    """A template without a keeper, as a child of this process. Yields what connects a server to it."""
    code = "import sys\nfrom tutor.judge.keeper import template\n"
    code += "from tutor.judge.processes.wire import Channel\n"
    code += "template.serve(Channel.from_fd(int(sys.argv[1])), sys.argv[2])\n"
    ours, theirs = pair()
    os.set_inheritable(theirs.fileno(), True)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(theirs.fileno()), mode],
        pass_fds=(theirs.fileno(),),
        env=environment(),
        cwd="/",
    )
    theirs.close()
    given = {os.fsencode(name): os.fsencode(value) for name, value in environment().items()}
    new = NewServer(Surroundings(given, os.nice(0), sorted(os.sched_getaffinity(0))))
    try:
        yield lambda _, channel: ours.send(new, (channel.fileno(),))
    finally:
        ours.close()
        process.wait(10)


@contextlib.contextmanager
def template_of(mode: str, ahead: int) -> Iterator[TemplateLink]:
    """A template, and a connection to it as a server has it."""
    with template_process(mode) as connect:
        link = TemplateLink(mode, ahead, connect)
        try:
            yield link
        finally:
            link.close()


def parent_of(pid: int) -> int:
    """The template that forked a worker."""
    return process_control._status_kib(pid, "PPid")


def tutor(*words: str, **options) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a person would, from another folder."""
    options.setdefault("timeout", 120)
    environment = options.pop("env", os.environ)
    return subprocess.run(
        [sys.executable, "-m", "tutor", *words],
        capture_output="stdout" not in options,
        env={**environment, "PYTHONPATH": python_path(environment)},
        cwd="/",
        **options,
    )


def python_path(environment) -> str:
    package = str(Path(paths.__file__).resolve().parents[2])
    others = environment.get("PYTHONPATH")
    return os.pathsep.join([package, others] if others else [package])
