"""Specializations compiled ahead of the GPU's worker, on any machine: the compiler needs no GPU."""

import os
import time
from pathlib import Path

import pytest
from judging import RIGHT, judged, template_of

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge.cases import reference
from tutor.judge.cases.arguments import encode_arguments, tensors_of
from tutor.judge.cases.case_runner import Cases
from tutor.judge.client import Judge
from tutor.judge.model.caller_messages import CANCEL, Cancel
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.background import BackgroundTask
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped
from tutor.judge.processes.template_link import TemplateLink
from tutor.judge.processes.wire import Channel, pair
from tutor.judge.processes.worker_messages.answers import PartCompiled
from tutor.judge.processes.worker_messages.questions import FinishCompiling, Load, NoteLaunches
from tutor.judge.server.interpreter_check import Watch
from tutor.judge.server.precompilation import Precompilation

pytestmark = pytest.mark.slow

TUNED = """
import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"B": b}, num_warps=w) for b in (64, 128) for w in (1, 2, 4)], key=[])
@triton.jit
def double(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


def add(x, y):
    out = torch.empty_like(x)
    double[lambda meta: (triton.cdiv(x.numel(), meta["B"]),)](x, out, x.numel())
    return out
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache of Triton's own that holds nothing."""
    before = os.environ["TUTOR_HOME"]
    os.environ["TUTOR_HOME"] = str(tmp_path_factory.mktemp("warmup"))
    yield paths.cache_dir() / "triton"
    os.environ["TUTOR_HOME"] = before


@pytest.fixture(scope="module")
def compiler(cache):
    """A warm process of mode "offline" that writes there."""
    with template_of("offline", 1) as template:
        template.wait_ready()
        yield template


def warmup_of(compiler: TemplateLink, source: str) -> Precompilation:
    exercise = open_course(paths.course_root()).exercise("vector_add")
    known = reference.load_reference(exercise.reference)
    return Precompilation(
        exercise, known, [compiler.take(), compiler.take()], source, "a.py", capability=90, seed=1
    )


def kernels(cache: Path, name: str = "add_kernel") -> int:
    return len(list(cache.glob(f"*/{name}.cubin")))


@pytest.fixture
def caller():
    ours, theirs = pair()
    yield theirs
    ours.close()
    theirs.close()


def test_each_specialization_but_the_first_is_compiled(compiler, cache, caller):
    warmup = warmup_of(compiler, RIGHT)
    warmup.wait(60, caller)
    warmup.close()
    assert kernels(cache) == 3 - 1  # n is 1, which is a constant; a multiple of 16; neither


def test_each_worker_compiles_its_part(compiler, cache, caller):
    """Together they compile all, and no two of them the same."""
    exercise = open_course(paths.course_root()).exercise("vector_add")
    known = reference.load_reference(exercise.reference)
    found = kernels(cache, "double")
    for part, its in enumerate((5, 6, 6)):  # of 18, the first of which is the GPU's worker's
        worker = compiler.take()
        worker.begin(WorkerLimits(60.0, 6 << 30))
        worker.ask(Load(TUNED, "a.py", 6 << 30), (), caller)
        for index, case in enumerate(known.cases):
            args = reference.make_inputs(case, index)
            layouts, size = shared_tensors.make_layouts(tensors_of(args))
            given = encode_arguments(args, layouts)
            worker.post(NoteLaunches(exercise.entry, 90, given, size, part=part, of=3, forks=1))
        assert worker.ask(FinishCompiling(), (), caller)[0] == PartCompiled(known=18)
        worker.kill()
        assert kernels(cache, "double") - found == its
        found += its


def test_all_configurations_of_an_autotuned_kernel_are_compiled(compiler, cache, caller):
    warmup = warmup_of(compiler, TUNED.replace("2 * tl", "3 * tl").replace("double", "triple"))
    warmup.wait(60, caller)
    warmup.close()
    assert kernels(cache, "triple") == 6 * 3 - 1


@pytest.mark.parametrize(
    "source",
    [
        "def add(x, y):\n    while True:\n        pass",
        "def add(x, y):\n    raise SystemExit(3)",
        "def add(x, y):\n    import os\n    os._exit(1)",
        "def add(x, y):\n    print('a' * (1 << 22))",
        "def sub(x, y):\n    return x",
        "this is not Python",
    ],
    ids=["hangs", "exits", "crashes", "prints", "lacks the function", "does not load"],
)
def test_what_goes_wrong_is_left_to_the_judgement(compiler, cache, caller, source):
    before = kernels(cache)
    started = time.monotonic()
    warmup = warmup_of(compiler, source)
    warmup.wait(0.5, caller)
    warmup.close()
    assert time.monotonic() - started < 30
    assert kernels(cache) == before
    assert compiler.take().wait_warm()  # and the next one is there


def test_on_a_gpu_the_judged_kernels_are_those_compiled_ahead(cache):
    """The cache's keys agree: nothing is compiled twice."""
    import torch

    if not torch.cuda.is_available() or len(os.sched_getaffinity(0)) < 4:
        pytest.skip("needs a GPU and four cores")
    with Judge(paths.course_root()) as judge:
        judge.wait_warm()
        assert judged(judge, RIGHT).passed  # the compiler is warm from here on
        time.sleep(15)
        before = kernels(cache)
        assert judged(judge, RIGHT.replace("@triton.jit\n", "@triton.jit\n# another\n")).passed
        assert kernels(cache) - before in (0, 3)


# --- the interpreter beside a GPU --------------------------------------------------------------------


def test_the_watch_holds_and_goes_on(cache, caller):
    exercise = open_course(paths.course_root()).exercise("vector_add")
    known = reference.load_reference(exercise.reference)
    with template_of("interpret", 1) as template:
        worker = template.take()

        def cases_of(other: Channel) -> Cases:
            cases = Cases(exercise, known, worker, mode="interpret", seed=1, caller=other)
            worker.begin(cases.limits())
            return cases

        watch = Watch(worker, cases_of, RIGHT, "a.py")
        watch.hold()
        time.sleep(1.0)
        watch.go_on()
        seen, said = watch.result(caller)
        assert [facts.name for facts in seen] == [case.name for case in known.cases]
        assert all(facts.passed for facts in seen)
        assert said is None
        watch.close()
        held = Watch(worker := template.take(), cases_of, RIGHT, "a.py")
        held.hold()
        time.sleep(0.4)
        held.close()  # also while it holds
        assert len(held.seen) < len(known.cases)


# --- beside ------------------------------------------------------------------------------------------


def test_work_beside_is_waited_for_and_what_it_raises_is_raised(caller):
    done: list[int] = []
    beside = BackgroundTask(lambda _: done.append(1))
    beside.wait(caller)
    assert done == [1]
    beside.close()

    def fail(_: Channel) -> None:
        raise WorkerStopped("timeout", "not finished")

    beside = BackgroundTask(fail)
    with pytest.raises(WorkerStopped, match="not finished"):
        beside.wait(caller)
    beside.close()


def test_work_beside_ends_when_it_is_closed_and_when_the_caller_says_so():
    ours, theirs = pair()
    heard: list[object] = []
    beside = BackgroundTask(lambda caller: heard.append(caller.receive(CANCEL)[0]))
    beside.wait(theirs, 0.05)
    assert heard == []
    ours.send(Cancel())
    with pytest.raises(WorkerStopped) as stopped:
        beside.wait(theirs)
    assert stopped.value.code == "cancelled"
    beside.close()
    assert heard == [Cancel()]
    ours.close()
    theirs.close()
