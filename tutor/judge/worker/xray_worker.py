"""The worker's side of an X-ray: the engine runs here, and what it finds leaves in parts.

A part is `{"stage": …}`, `{"links": [[source, line, target, line, kernel], …]}` or
`{"failure": …}`; the reply at the end says how it went. This module does without torch, so that a
process of its own (zygote mode "xray") imports only what the learner's file asks for.
"""

import contextlib
import sys
from collections.abc import Callable
from typing import Any

from tutor.base.errors import CannotHere, UsageError
from tutor.hardware import presence
from tutor.hardware.targets import H100
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.processes import learner_module, process_control
from tutor.judge.processes.wire import Channel, Closed, Message
from tutor.xray import engine
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Failure, Link, Request, Stage
from tutor.xray.triton_kernels import lowering, specialization

LINKS_A_PART = 20_000


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


def warm() -> None:
    """Lower a kernel and a function once, so that forked workers find the compilers loaded,
    Triton's own files hashed and the disassembler in the page cache.

    Where there is a GPU the function is left out: Dynamo saves the state of its random numbers,
    autograd starts a thread for it, and a driver that was opened cannot be handed to a fork. A
    machine that cannot lower says so when it is asked.
    """
    with contextlib.suppress(Exception):
        rehearse_kernel()
    if not presence.nvidia():
        # Disassembling takes longer than all else, and once is enough.
        _rehearse("ptx", backward=False, logs=("all",))
        _rehearse("triton", backward=True)


def rehearse_kernel() -> None:
    """Lower a small kernel to its end."""
    module = learner_module.load(_REHEARSAL, _FILE, "rehearsal")
    kernel = specialization.source_of(module.kernel, parse_inputs(("f32[64]", "64", "64")))
    lowering.lower(kernel, H100, lambda _: None)


def _rehearse(stage: str, *, backward: bool, logs: tuple[str, ...] | None = None) -> None:
    path = list(sys.path)  # the engine puts the file's folder on it
    with contextlib.suppress(Exception):
        request = Request(
            _FILE, "step", (_SQUARE, _SQUARE), H100.arch, stage, backward, _REHEARSAL, logs
        )
        engine.run(request, lambda _: None, load=learner_module.load, explain=str)
    sys.path[:] = path


def serve(channel: Channel) -> None:
    """Answer one question after the other until the server closes the channel."""
    with contextlib.suppress(Closed):
        while True:
            message, _ = channel.receive()
            channel.send(answer(message, channel.send))


def answer(message: Message, send: Callable[[Message], None]) -> Message:
    """Run the request of `message`; `send` gets the parts, the reply tells device and status."""
    request = Request.from_json(message["request"])
    process_control.limit_tasks()
    if not presence.nvidia():  # a GPU's mappings know no limit
        process_control.limit_memory(int(message["memory_bytes"]))
    parts = _Parts(send)

    def explain(error: BaseException) -> str:
        known = isinstance(error, learner_module.Unloadable)
        report = error.report if known else learner_module.describe(error, request.path)  # type: ignore[attr-defined]
        return translate(report).message

    try:
        outcome = engine.run(request, parts.add, load=learner_module.load, explain=explain)
        return {"device": outcome.device, "status": outcome.status}
    except (UsageError, CannotHere) as error:
        return {"refused": learner_module.readable(str(error)), "status": error.exit_status}
    except Closed:
        raise
    except BaseException as error:  # a SystemExit is the learner's doing as much as a NameError
        parts.add(Failure("", explain(error)))
        return {"device": "pretend", "status": 1}
    finally:
        parts.flush()


class _Parts:
    """Sends stages and failures at once, links by the thousand."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._links: list[list[Any]] = []

    def add(self, event: Event) -> None:
        if isinstance(event, Link):
            self._links.append(list(event.to_json().values()))
            if len(self._links) >= LINKS_A_PART:
                self.flush()
            return
        self.flush()
        if isinstance(event, Stage):
            self._send({"part": {"stage": _readable(event.to_json())}})
        else:
            self._send({"part": {"failure": _readable(event.to_json())}})

    def flush(self) -> None:
        if self._links:
            self._send({"part": {"links": self._links}})
            self._links = []


def _readable(record: dict[str, Any]) -> dict[str, Any]:
    """Texts of the record without half surrogate pairs, which no terminal can show."""
    return {
        name: learner_module.readable(value) if isinstance(value, str)
        else [learner_module.readable(str(each)) for each in value] if isinstance(value, list)
        else value
        for name, value in record.items()
    }  # fmt: skip
