"""The modes of a worker: what each has imported in advance, and what it serves.

"interpret" (Triton interprets, CPU), "both" (as "interpret", and Dynamo is imported: for code that also
names PyTorch's compiler), "offline" (interpreted kernels are compiled for a GPU, which this machine may
lack), "compile" (Dynamo and Inductor have run once), "cuda", "lower" (X-rays: Dynamo, Inductor and
Triton's compiler have run once), "xray" (one X-ray: nothing is imported in advance), "schedule" (TVM
is imported and has compiled once), "graph" (ONNX Runtime is imported and has run once),
"pass:SUBJECT" (what the passes of that subject rewrite is imported), "compiler:NAME" (X-rays by another
compiler than Inductor, of tutor/xray/model/compiler.py).
"""

import contextlib
import os
import sys
from typing import Any
from unittest import mock

from tutor.judge.processes.children import Children
from tutor.judge.processes.wire import Channel
from tutor.xray.model.compiler import INDUCTOR_CPU

_INTERPRETING = ("interpret", "both")


def warm(mode: str) -> None:
    """Import what workers of this mode need. Raises `ImportError`."""
    if mode == "xray":
        return  # for one question: the worker imports only what it needs
    adopt_environment(mode)
    import torch

    torch.set_num_threads(1)  # no thread pool may exist when this process forks
    import numpy.random  # noqa: F401  (imported here so that no worker has to)
    import torch.utils._triton
    import triton.language  # noqa: F401

    from tutor.judge.worker import main as worker

    if mode in _INTERPRETING:
        worker.warm_interpreter()
    if mode == "both":
        # What a first compilation imports. None is run here: a learner's code would find its counts.
        # Inductor asks for a GPU when it is imported, which would open the driver, and a fork of a
        # process that has opened it cannot use it.
        with mock.patch.object(torch.cuda, "is_available", return_value=False):
            import torch._dynamo
            import torch._inductor.debug

            with contextlib.suppress(ImportError):  # builds of torch without it exist
                import torch.distributed.tensor.experimental
    if mode == "compile":
        from tutor.judge.worker import graph_capture, inductor_setup, xray_worker  # noqa: F401  (Dynamo and Inductor, imported once)
        from tutor.xray.dynamo import guard_timing

        inductor_setup.keep_headers()
        guard_timing.measure_warm()
        xray_worker.rehearse_function()
    elif mode == "lower":
        from tutor.judge.worker import xray_worker

        xray_worker.warm_compilers()
    elif mode == "offline":
        from tutor.judge.worker import compile_worker

        compile_worker.warm_compiler()
    else:
        _warm_extra(mode)


def _warm_extra(mode: str) -> None:
    """Import the package that a mode needs beside PyTorch, where it needs one."""
    if mode == "schedule":
        from tutor.judge.worker import tvm_schedule

        tvm_schedule.rehearse()
    elif mode == "graph":
        from tutor.judge.worker import onnx_graph

        onnx_graph.rehearse()
    elif mode.startswith("pass:"):
        from tutor.judge.worker.subjects import opening

        opening.open_subject(mode.removeprefix("pass:"))
    elif mode.startswith("compiler:"):
        from tutor.judge.worker import xray_worker

        xray_worker.warm_other_compiler(mode.removeprefix("compiler:"))


def adopt_environment(mode: str) -> None:
    """Set what the mode needs in a new environment. Call it before the first import of Triton, whose
    `@triton.jit` reads it."""
    if mode in _INTERPRETING:
        os.environ["TRITON_INTERPRET"] = "1"
    if mode in ("schedule", "pass:relax"):
        os.environ["TVM_NUM_THREADS"] = "1"  # else parallel loops start a thread for each core


def adopt_caller(mode: str) -> None:
    """Set what a new worker of the mode needs in the environment of its caller, which it has by now."""
    adopt_environment(mode)
    if mode in ("compile", INDUCTOR_CPU.mode):
        from tutor.judge.worker import inductor_setup

        inductor_setup.keep_headers()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()  # workers must not get each other's numbers
    if torch := sys.modules.get("torch"):
        # A fork leaves torch's pool of threads to be made anew by the first that asks for it. In a
        # build for CUDA without a device autograd starts eight threads after fake tensors were made:
        # while the first of them makes the pool another finds none, and the process is ended by
        # SIGABRT ("Invalid thread pool!"; 2.13: 3 of 300). Here no other thread asks.
        torch.set_num_threads(1)


def begin_ahead(mode: str, children: Children) -> list[Any]:
    """Start in the background what later workers will need. Returns at most one object:
    whenever it is readable (`select`), call its `take`, until that returns False."""
    if mode != "compile":
        return []
    from tutor.judge.worker import inductor_setup

    inductor_setup.keep_headers()
    answers = inductor_setup.get_answers()
    if answers.complete:
        return []
    answers.ask_ahead(children)
    return [answers]


def serve(channel: Channel, mode: str) -> None:
    """Answer the questions of a worker of this mode until the server closes the channel."""
    if mode in ("lower", "xray") or mode.startswith("compiler:"):
        from tutor.judge.worker import xray_worker

        xray_worker.serve(channel)
    elif mode == "offline":
        from tutor.judge.worker import compile_worker

        compile_worker.serve(channel)
    else:
        from tutor.judge.worker import main as worker

        worker.serve(channel, "interpret" if mode == "both" else mode)
