"""Parts of messages, and the checks that types cannot say. No torch."""

import json
import math
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from tutor.judge.processes.worker_messages.kernel_report import (
    Integer,
    Line,
    Text,
)

Answers = TypeVar("Answers")

MAX_TEXT = 1 << 16  # characters of one text
Size = Annotated[int, Meta(ge=0, le=1 << 62)]
JsonObject = str  # msgpack has no integers of more than 64 bits, so named values travel as JSON


class MessageRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a message."""


class WorkerMessage(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A message. Its tag on the wire is the name of its class."""


class WorkerQuestion(
    WorkerMessage, Generic[Answers], frozen=True, tag=True, forbid_unknown_fields=True
):
    """`WorkerQuestion[A]` is answered with an `A`."""


class Layout(MessageRecord, frozen=True, tag="tensor"):
    """Where a tensor lies in its file. `offset` is in bytes from the start of the file."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    nbytes: int  # of the extent


class PlainValue(MessageRecord, frozen=True, tag="value"):
    """An argument that is no tensor. A list holds such values, and lists of them."""

    value: bool | int | float | str | list[Any] | None


Argument = Layout | PlainValue


class LearnerError(MessageRecord, frozen=True):
    """An exception of the learner's code. `type` is "" where `message` is a sentence already."""

    message: Text
    type: Text = ""
    line: Line = None
    detail: Text = ""
    compiling: bool = False  # a compiler wrapped it
    launched: bool = False  # Triton raised it, or a kernel that Triton ran
    lines: tuple[Line, ...] = ()  # of the learner's file on the way to the error, the last ones
    place: Text = ""  # such as "kernels.py, line 8": where it is, if that is not the learner's file


class CapturedBreak(MessageRecord, frozen=True):
    """A graph break: Dynamo's reason and the learner's line."""

    reason: Text
    line: Line


class CapturedGraphs(MessageRecord, frozen=True):
    """Graphs, breaks and operations of one call, as Dynamo explains it."""

    graphs: Integer
    breaks: tuple[CapturedBreak, ...]
    ops: tuple[Text, ...]


class Compilations(MessageRecord, frozen=True):
    """One case of a compiled function: compilations in its first call and in a second with the same
    input, and the guards whose failure caused them."""

    first: Integer
    repeated: Integer
    guards: tuple[Text, ...]
    explained: CapturedGraphs | None = None


class OutputTensor(MessageRecord, frozen=True):
    """A tensor whose elements are in the file that comes with the answer. `alias`: number of the tensor
    argument that has its memory. `launched`: a watched launch received its memory."""

    shape: tuple[Size, ...]
    dtype: Text
    device: Text
    alias: Integer | None = None
    contiguous: bool = True
    launched: bool = True


class KernelResources(MessageRecord, frozen=True):
    """What a compiled kernel needs: registers and spilled words a thread, bytes of shared memory."""

    target: Text
    kernel: Text
    registers: Integer
    spills: Integer
    shared_bytes: Integer
    warps: Integer


def read_json_object(text: JsonObject) -> dict[str, Any]:
    """The values of a JSON object. Raises `ValueError` for any other text."""
    values = json.loads(text)
    if type(values) is not dict:
        raise ValueError("no JSON object")
    return values


def write_json_object(values: dict[str, Any]) -> JsonObject:
    """Encode named values for a message."""
    return json.dumps(values)


def check_times(ms: list[float]) -> None:
    """Milliseconds, at least one: no NaN, nothing infinite, none below zero."""
    if not ms or not all(0 <= value < math.inf for value in ms):
        raise ValueError("no times")


def check_texts(texts: Any) -> None:
    """Raise `ValueError` for a text that is longer than any honest one."""
    if any(len(text) > MAX_TEXT for text in texts):
        raise ValueError("a text of too many characters")
