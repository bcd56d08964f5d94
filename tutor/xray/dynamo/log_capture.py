"""Channels of TORCH_LOGS, read instead of printed, and the recompile history of several calls.

What `TORCH_LOGS=recompiles,guards python file.py` writes to a terminal is here texts by channel.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.fx import GraphModule

from tutor.base.errors import CannotHere
from tutor.xray.dynamo.arguments import Call, make_tensors
from tutor.xray.dynamo.bytecode import Emit
from tutor.xray.fake_gpu.fake_gpu import private
from tutor.xray.model.error_sentence import sentence_of
from tutor.xray.model.input_specs import Arguments
from tutor.xray.model.log_channels import CHANNELS, SILENT
from tutor.xray.model.stages import Stage

_MOST_CHARACTERS = 400_000  # of one channel
_MOST_CALLS = 64

_PROGRAM = Path(__file__).parents[2]
_FRAME = re.compile(r'^ *File "([^"\n]+)", line \d+, in .*(?:\n    .*)*\n?', re.MULTILINE)


@dataclass(frozen=True)
class CallSeen:
    """A call: its number from 1, its inputs, how many graphs were compiled for it and run, and why.

    `why` holds the guards that failed, as Dynamo names them; empty for a first compilation. `error`
    is what the call raised, one sentence.
    """

    number: int
    inputs: str
    compilations: int
    graphs: int
    why: tuple[str, ...]
    error: str = ""

    def __str__(self) -> str:
        what = f"compiled {self.compilations} graph{'s' * (self.compilations != 1)}"
        again = "used what was compiled before" if self.graphs else "ran as Python, uncompiled"
        told = what if self.compilations else again
        why = f" because {'; '.join(self.why)}" if self.why else ""
        return f"call {self.number}, {self.inputs}: {self.error or told + why}"


@contextmanager
def listening(*channels: str) -> Iterator[dict[str, list[str]]]:
    """Yields channel -> messages, filled as torch says them; nothing of it reaches the terminal.

    Raises CannotHere where TORCH_LOGS is set: torch then obeys that, and nothing else.
    """
    if os.environ.get("TORCH_LOGS"):
        raise CannotHere("TORCH_LOGS is set, so torch's channels cannot be chosen: unset it")
    set_logs = private("torch._logging.set_logs")
    heard: dict[str, list[str]] = {channel: [] for channel in channels}
    set_logs(**dict.fromkeys(channels, True))
    collector = _Collector(heard)
    loggers = [
        logger
        for name, logger in logging.root.manager.loggerDict.items()
        if name.split(".")[0] == "torch" and isinstance(logger, logging.Logger) and logger.handlers
    ]
    before = [(logger, logger.handlers) for logger in loggers]
    for logger in loggers:
        logger.handlers = [collector]
    try:
        yield heard
    finally:
        for logger, handlers in before:
            logger.handlers = handlers
        set_logs()


def recompile_history(
    subject: Callable[..., Any], calls: Sequence[Arguments], dynamic: bool | None = None
) -> list[CallSeen]:
    """Return what each of several calls, in order, compiled; inputs are tensors or `TensorSpec`s.

    Only Dynamo runs; the graphs run as they are. `dynamic` is torch.compile's. At most 64 calls.
    """
    compilations = runs = 0

    def keep(module: GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        nonlocal compilations
        compilations += 1

        def run(*values: Any) -> Any:
            nonlocal runs
            runs += 1
            return module.forward(*values)

        return run

    torch.compiler.reset()
    compiled = torch.compile(subject, backend=keep, dynamic=dynamic)
    history = []
    with listening("recompiles") as heard, torch.no_grad(), ExitStack() as stack:
        for number, given in enumerate(calls[:_MOST_CALLS], 1):
            wanted = Call(subject, given.positional, given.named)
            call = make_tensors(wanted, False, "pretend", stack)
            before, ran, said, error = compilations, runs, len(heard["recompiles"]), ""
            try:
                compiled(*call.args, **call.named)
            except Exception as raised:
                error = f"it raised {sentence_of(raised)}"
            why = tuple(
                dict.fromkeys(
                    reason for text in heard["recompiles"][said:] for reason in _reasons(text)
                )
            )
            inputs = _inputs(call)
            seen = CallSeen(number, inputs, compilations - before, runs - ran, why, error)
            history.append(seen)
    torch.compiler.reset()
    return history


def emit_history(history: Sequence[CallSeen], emit: Callable[[Stage], None]) -> None:
    """A stage `log:recompiles`: a line for each call."""
    compilations = sum(call.compilations for call in history)
    notes = (
        "A call is compiled where it fails the guards of all code compiled before; of each such "
        "code, the first guard that failed is named.",
        "A size that changed once is a symbol from then on (torch.compile's dynamic=None), so the "
        "next such change compiles nothing.",
    )
    counts = (
        ("calls", len(history)),
        ("compilations", compilations),
        ("recompilations", sum(call.compilations for call in history if call.why)),
    )
    text = "\n".join(map(str, history))
    title = "What each call had compiled"
    emit(Stage("log", title, "text", text, notes, kernel="recompiles", counts=counts))


def emit_channels(heard: dict[str, list[str]], emit: Emit) -> None:
    """A stage `log` for each channel, with its name in the place of a kernel's; of one that was
    silent the text says so, and its count `messages` is 0."""
    for channel, messages in heard.items():
        text = "\n\n".join(messages)[:_MOST_CHARACTERS]
        told = CHANNELS.get(channel, "")
        notes = (f"TORCH_LOGS={channel}: {told}." if told else f"TORCH_LOGS={channel}",)
        if not messages:
            text = SILENT.get(channel, "The channel said nothing.")
        counts = (("messages", len(messages)),)
        emit(Stage("log", f"TORCH_LOGS: {channel}", "text", text, notes, 0.0, channel, counts))


class _Collector(logging.Handler):
    """Keeps messages by the channel that ends a logger's name: torch._dynamo.guards.__recompiles."""

    def __init__(self, heard: dict[str, list[str]]) -> None:
        super().__init__(logging.DEBUG)
        self.heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        channel = record.name.rpartition("__")[2]
        if channel in self.heard:
            self.heard[channel].append(without_own_frames(record.getMessage()))


def without_own_frames(text: str) -> str:
    """Leave out of the tracebacks in a message the frames of this program and of Python's start: torch
    gives the whole stack as the user's code."""

    def keep(frame: re.Match[str]) -> str:
        path = frame[1]
        own = path.startswith("<frozen ") or Path(path).is_relative_to(_PROGRAM)
        return "" if own else frame[0]

    return _FRAME.sub(keep, text)


def _reasons(text: str) -> list[str]:
    """The guards that failed, of `Recompiling function f … - 0/0: tensor 'x' size mismatch …`."""
    reasons = []
    for line in text.splitlines():
        head, _, reason = line.strip().partition(": ")
        if head.startswith("- ") and reason:
            reasons.append(reason.split("  # ")[0].strip())
    return reasons


def _inputs(call: Call) -> str:
    named = [f"{name}={_text_of(value)}" for name, value in call.named.items()]
    return ", ".join([*map(_text_of, call.args), *named])


def _text_of(value: Any) -> str:
    if type(value) in (tuple, list):
        inside = ", ".join(map(_text_of, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"{dtype}[{','.join(map(str, value.shape))}]"
    return repr(value)[:40]
