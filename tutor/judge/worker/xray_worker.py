"""The worker's side of an X-ray: the engine runs here and sends its findings in parts.

This module does not import torch, so that a process that serves one X-ray (mode "xray")
imports only what the learner's file asks for.
"""

import contextlib
import functools
import importlib
import linecache
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType, ModuleType

from msgspec import structs

from tutor.base.errors import CannotHere, MissingInputs, UsageError
from tutor.hardware import presence
from tutor.hardware.gpus import target
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.processes import learner_module, process_control
from tutor.judge.processes.limits import log_errors
from tutor.judge.processes.task_clock import TaskClock
from tutor.judge.processes.wire import Channel, Closed, escape_surrogates
from tutor.judge.processes.worker_messages.answers import XrayRefused
from tutor.judge.processes.worker_messages.questions import TO_XRAY, RunXray
from tutor.xray import engine
from tutor.xray.model.compiler import COMPILERS, INDUCTOR
from tutor.xray.model.input_specs import Arguments, parse_inputs
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.stages import (
    Event,
    Failure,
    Link,
    Links,
    Omission,
    Request,
    Stage,
    XrayDone,
)
from tutor.xray.triton_kernels import lowering, specialization

LINKS_A_PART = 20_000
_SPARE_SECONDS = 5.0  # before the server ends this process
_OWN_SECONDS = 30.0  # in which the file's code may compute, on the CPU
_LESS = "It runs on the CPU here: smaller inputs, or smaller sizes in the file, take less"
_TRACES = "_dynamo/convert_frame.py"
_LOOK_SECONDS = 1.0  # between two looks at the clock


_REHEARSAL = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

def step(x, w):
    return (torch.sigmoid(torch.relu(x * 2 + 1) - 3) @ w).sum()
"""
_FILE = "rehearsal.py"
_SQUARE = "f32[64,64]"


def warm_compilers() -> None:
    """Lower a kernel and a function once, so that forked workers find the compilers loaded, Triton's
    own files hashed and the disassembler in the page cache. A machine that cannot lower reports that
    when it is asked.
    """
    with log_errors("warming up for a kernel"):
        rehearse_kernel()
    if not presence.has_nvidia_driver():  # as `rehearse_function`
        # Disassembling takes longer than everything else, and one run is enough.
        _rehearse("ptx", backward=False, logs=("all",))
        if not _starts_threads():
            _rehearse("triton", backward=True)


def _starts_threads() -> bool:
    """Return whether a backward starts a thread for each device, after which no fork may do another: it
    is so in a build of torch for GPUs, also where there is none."""
    import torch

    return torch.version.cuda is not None or torch.version.hip is not None


def warm_other_compiler(name: str) -> None:
    """Import a compiler beside Inductor and lower a function once: as far as its record says where a
    fork is safe after that, else to the exported graph, which is most of the time.

    With a driver nothing is lowered (see `rehearse_function`).
    """
    with log_errors(f"warming up {name}"):
        importlib.import_module(COMPILERS[name].module)
        importlib.import_module("tutor.xray.compilers.run")
    if presence.has_nvidia_driver():
        return
    if COMPILERS[name].forks_after_use:
        _rehearse(COMPILERS[name].rehearsed_until, backward=False, compiler=name)
        return
    with log_errors("warming up for the exported graph"):
        import torch

        from tutor.xray.compilers.capture import capture

        module = _load_rehearsal(_REHEARSAL, _FILE)
        capture(module.step, (torch.ones(8, 8), torch.ones(8, 8)))


def rehearse_function() -> None:
    """Lower a function to Triton's code once, so that forked workers find Inductor's patterns made and
    Triton's files hashed: half the time of a verdict that lowers.

    With a driver this does nothing: Dynamo saves the state of its random numbers, autograd starts a
    thread for it, and a fork cannot use a driver that was opened before.
    """
    if not presence.has_nvidia_driver():
        _rehearse("triton", backward=False)


def rehearse_kernel() -> None:
    """Lower a small kernel through all stages."""
    lowering.lower_kernels([rehearsal()], target("H100"), lambda _: None)


def rehearsal() -> KernelSource:
    """Return a small kernel."""
    module = learner_module.load_module(_REHEARSAL, _FILE, "rehearsal")
    return specialization.specialize_kernel(
        module.kernel, Arguments.of(parse_inputs(("f32[64]", "64", "64")))
    )


def _rehearse(
    stage: str | None,
    *,
    backward: bool,
    logs: tuple[str, ...] | None = None,
    compiler: str = INDUCTOR.name,
) -> None:
    path = list(sys.path)  # the engine puts the file's folder on it
    with log_errors(f"warming up for {compiler}'s stage {stage}"):
        request = Request(
            _FILE,
            "step",
            parse_inputs((_SQUARE, _SQUARE)),
            "sm_90",
            stage,
            backward,
            _REHEARSAL,
            logs,
            compilers=(compiler,),
        )
        engine.run_request(request, _log_failure, load=_load_rehearsal, explain=str)
    sys.path[:] = path


def _load_rehearsal(text: str, filename: str) -> ModuleType:
    """Load it under a name of its own: Dynamo keeps modules by name, also over a fork."""
    return learner_module.load_module(text, filename, "rehearsal")


def _log_failure(event: Event) -> None:
    if isinstance(event, Failure):
        print(f"warming up for {event.stage} failed: {event.sentence}", file=sys.stderr, flush=True)


def serve(channel: Channel) -> None:
    """Answer one question after the other until the server closes the channel."""
    with contextlib.suppress(Closed):
        while True:
            question, _ = channel.receive(TO_XRAY)
            channel.send(answer(question, channel.send))


def answer(
    question: RunXray, send: Callable[[Stage | Failure | Links | Omission], None]
) -> XrayDone | XrayRefused:
    """Run the request; `send` gets the parts."""
    request = question.request
    process_control.limit_tasks()
    if not presence.has_nvidia_driver():  # its mappings exceed any limit
        process_control.limit_memory(question.memory_bytes)
    parts = Parts(send)
    explain = functools.partial(explain_error, request.path)

    try:
        with limit_seconds(request.path, question.seconds - _SPARE_SECONDS, parts):
            return engine.run_request(
                request, parts.add, load=learner_module.load_module, explain=explain
            )
    except learner_module.OutOfTime as error:
        parts.add(Failure("", str(error)))
        return XrayDone("pretend", 1)
    except (UsageError, CannotHere) as error:
        lacks = isinstance(error, MissingInputs)
        return XrayRefused(escape_surrogates(str(error)), error.exit_status, lacks)
    except Closed:
        raise
    except BaseException as error:  # the learner's code can raise SystemExit as well as NameError
        parts.add(Failure("", explain(error)))
        return XrayDone("pretend", 1)
    finally:
        parts.flush()


def explain_error(path: str, error: BaseException) -> str:
    """Return one sentence on an error of the code at `path`, as the judge says it."""
    if isinstance(error, learner_module.Unloadable):
        return translate(error.report).message
    report = learner_module.describe_error(error, path)
    if isinstance(error, UsageError):  # our own sentence on a launch
        report = structs.replace(report, type="")
    return translate(report).message


@contextlib.contextmanager
def limit_seconds(path: str, seconds: float, parts: "Parts | None" = None) -> Iterator[None]:
    """Raise `OutOfTime` in the code inside after `seconds`; do nothing if they are not positive.

    They are counted as the server counts them (`TaskClock`). The server ends the process at the limit
    itself, but cannot see where it is. A message of `parts` is sent to its end first.
    """
    clock = TaskClock(os.getpid(), seconds)
    own, looked = 0.0, time.process_time()  # seconds in which the file's code computed

    def stop(_: int, frame: FrameType | None) -> None:
        nonlocal own, looked
        clock.look_at(process_control.descendants(os.getpid()))
        before, looked = looked, time.process_time()
        own += looked - before if _is_computing(path, frame) else 0.0
        is_own = own > _OWN_SECONDS
        if (clock.left() > 0 and not is_own) or (parts and parts.sending):
            return
        lines = []  # innermost first
        while frame is not None:
            if frame.f_code.co_filename == path:
                lines.append((frame.f_lineno, frame.f_code.co_name))
            frame = frame.f_back
        limit = f"stopped: not finished after {own if is_own else seconds:.0f} s of processor time"
        if not lines:
            raise learner_module.OutOfTime(
                f"{limit}; torch or Triton was at work, no line of {Path(path).name}"
            )
        line, name = lines[0]
        text = linecache.getline(path, line).strip()
        code = f" (`{text[:80]}`)" if text else ""
        what = "while the file was loaded" if lines[-1][1] == "<module>" else f"in {name}"
        less = f". {_LESS}" if is_own else ""
        raise learner_module.OutOfTime(f"{limit}; line {line}{code} was running, {what}{less}")

    if seconds <= 0:
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.siginterrupt(signal.SIGALRM, False)  # a compiler need not expect to be interrupted
    every = min(seconds, _LOOK_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, every, every)  # also again where something swallows it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _is_computing(path: str, frame: FrameType | None) -> bool:
    """Return True if a line of the file at `path` runs, and Dynamo is not at work in a call of it."""
    while frame is not None and frame.f_code.co_filename != path:
        if frame.f_code.co_filename.endswith(_TRACES):
            return False
        frame = frame.f_back
    return frame is not None


class Parts:
    """Sends stages and failures at once, and links in groups. `sending`: it is in the middle of one."""

    def __init__(self, send: Callable[[Stage | Failure | Links | Omission], None]) -> None:
        self._channel = send
        self._links: list[Link] = []
        self.sending = False

    def add(self, event: Event) -> None:
        if isinstance(event, Link):
            self._links.append(event)
            if len(self._links) >= LINKS_A_PART:
                self.flush()
            return
        self.flush()
        if isinstance(event, Stage):
            self._send(_readable_stage(event))
        elif isinstance(event, Omission):
            sentence = escape_surrogates(event.sentence)
            kernel = escape_surrogates(event.kernel)
            texts = tuple((name, escape_surrogates(text)) for name, text in event.texts)
            self._send(replace(event, kernel=kernel, sentence=sentence, texts=texts))
        else:
            self._send(Failure(escape_surrogates(event.stage), escape_surrogates(event.sentence)))

    def flush(self) -> None:
        if self._links:
            self._send(Links(tuple(self._links)))
            self._links = []

    def _send(self, part: Stage | Failure | Links | Omission) -> None:
        self.sending = True
        try:
            self._channel(part)
        finally:
            self.sending = False


def _readable_stage(stage: Stage) -> Stage:
    """Return the stage without half surrogate pairs, which no terminal can show."""
    return replace(
        stage,
        title=escape_surrogates(stage.title),
        text=escape_surrogates(stage.text),
        kernel=escape_surrogates(stage.kernel),
        notes=tuple(map(escape_surrogates, stage.notes)),
        ms=round(stage.ms, 3),
    )
