"""The process in which the learner's code runs: it answers the server's questions.

It holds no reference, no seed and no verdict. Inputs arrive and outputs leave as memory files.
Everything else is a small record that the server does not have to trust
(`tutor.judge.processes.worker_messages`).
"""

import contextlib
import os
import sys

import numpy as np
import torch

from tutor.judge.processes import learner_module
from tutor.judge.processes.wire import Channel, Closed
from tutor.judge.processes.worker_messages.answers import WorkerWarm
from tutor.judge.processes.worker_messages.questions import (
    TO_SUBMISSION,
    FetchOutput,
    LayOut,
    Load,
    Lower,
    ProfileCalls,
    RunCase,
    RunCell,
    RunProbe,
    SubmissionQuestion,
    TimeHost,
    TimeRound,
)
from tutor.judge.processes.worker_messages.records import WorkerMessage
from tutor.judge.worker.cell import CellSession
from tutor.judge.worker.learner_function import Fds, LearnerFunction, limit_process, poison_memory
from tutor.judge.worker.timed_function import TimedFunction


def warm_interpreter() -> None:
    """Run a kernel in Triton's interpreter once, so that forked workers find its caches filled."""
    from tutor.judge.interpreter import (
        device_functions,
        hooks,  # noqa: F401  (imported here so that no worker has to)
        tile_conditions,
        tile_functions,
        triton_fixes,
    )
    from tutor.judge.interpreter.arithmetic import (
        bfloat16,
        combine_functions,
        float8,
        libdevice,
        tf32,
    )
    from tutor.judge.worker import pretended_gpu  # noqa: F401  (likewise)

    triton_fixes.fix_loop_bounds()
    triton_fixes.mark_methods()
    triton_fixes.compute_with_constants()
    triton_fixes.patch_language_once()
    triton_fixes.remember_types()
    triton_fixes.remember_shapes()
    triton_fixes.call_operations_directly()
    triton_fixes.skip_overflow_checks()
    bfloat16.patch_bfloat16()
    float8.patch_float8()
    tf32.patch_tf32()
    libdevice.patch_libdevice()
    device_functions.patch_device_functions()
    combine_functions.patch_combine_functions()
    tile_conditions.patch_tile_conditions()
    tile_functions.patch_tile_functions()
    np.seterr(all="ignore")  # NaN and infinity are valid inputs, and a GPU does not warn
    source = (
        "import triton\nimport triton.language as tl\n\n@triton.jit\n"
        "def warm(x, o, n, B: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    v = tl.load(x + i, mask=i < n, other=0.0)\n"
        "    tl.store(o + i, v + tl.sum(v, 0) - tl.max(v, 0), mask=i < n)\n"
    )
    learner_module.load_module(source, "warm.py", "warm")
    rehearse()


def rehearse() -> None:
    """Run that kernel again, in a worker that has nothing to do yet. A page that it shares with its
    parent is copied at the first write, and Python writes reference counts wherever it reads: a
    third of a small submission's time."""
    x, out = torch.ones(64), torch.empty(64)
    sys.modules["warm"].warm[(2,)](x, out, 64, B=64)


def serve(channel: Channel, mode: str) -> None:
    """Answer messages until the server closes the channel."""
    worker = SubmissionWorker(mode)
    if mode == "cuda":
        worker.open_cuda()
        channel.send(WorkerWarm())
    elif mode == "interpret":
        rehearse()
    with contextlib.suppress(Closed):
        while True:
            question, fds = channel.receive(TO_SUBMISSION)
            answer, out = worker.answer(question, fds)
            channel.send(answer, out)
            for fd in out:
                os.close(fd)


class SubmissionWorker:
    """Answers one message at a time. It calls the object that has the state for the message."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._learner = LearnerFunction(mode)
        self._timed = TimedFunction(self._learner)
        self._cells = CellSession()

    def open_cuda(self) -> None:
        """Open the context, compile one kernel and load the torch kernels that most functions need,
        before a submission arrives."""
        torch.cuda.init()
        source = (
            "import triton\nimport triton.language as tl\n\n@triton.jit\n"
            "def warm(x, n, B: tl.constexpr):\n"
            "    i = tl.arange(0, B)\n    tl.store(x + i, 1.0, mask=i < n)\n"
        )
        module = learner_module.load_module(source, "warm.py", "warm")
        x = torch.empty(64, device="cuda")
        module.warm[(1,)](x, 64, B=64)
        poison_memory(True)  # fills newly allocated memory
        torch.empty_like(x.reshape(8, 8).T.contiguous())
        poison_memory(False)
        torch.cuda.synchronize()

    def answer(self, question: SubmissionQuestion, fds: list[int]) -> tuple[WorkerMessage, Fds]:
        match question:
            case RunCase():
                return self._learner.run_case(question, fds)
            case FetchOutput():
                return self._timed.output(question)
            case _:
                return self._record(question, fds), ()

    def _record(self, question: SubmissionQuestion, fds: list[int]) -> WorkerMessage:
        """Answer a question whose answer has no file."""
        match question:
            case Load():
                return self._learner.load(question)
            case Lower():
                return self._timed.lower(question, fds)
            case LayOut():
                return self._timed.lay_out(question, fds)
            case TimeRound():
                return self._timed.round(question)
            case TimeHost():
                return self._timed.host()
            case ProfileCalls():
                return self._timed.profile(question)
            case RunProbe():
                return self._learner.probe(question)
            case RunCell():
                if not self._cells.begun:
                    limit_process(self._mode, question.memory_bytes)
                return self._cells.run(question)
            case _:
                raise Closed(f"{type(question).__name__} has no answer here")
