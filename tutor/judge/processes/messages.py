"""Questions that the server asks a worker, each with the answers it allows. No torch.

The learner's code shares the worker's process and could write to its channel. Therefore an answer is
decoded strictly: if it does not have the shape described here, `wire.Malformed` is raised. Its content
may still be untrue, so the code that uses it compares the outputs.
"""

import json
import math
from typing import Annotated, Any, Generic, TypeVar, get_args

from msgspec import Meta, Struct
from msgspec.msgpack import Decoder

from tutor.judge.model import access_map
from tutor.judge.model.verdict import KernelTime
from tutor.judge.processes.kernel_report import Integer, KernelLaunch, KernelReport, Line, Text
from tutor.xray.model.stages import Device, Failure, Stage
from tutor.xray.model.stages import Request as XrayRequest

Answers = TypeVar("Answers")

_MAX_TEXT = 1 << 16  # characters of one text
_MAX_STAGE = 4_000_000  # characters of a stage's text
Size = Annotated[int, Meta(ge=0, le=1 << 62)]
JsonObject = str  # msgpack has no integers of more than 64 bits, so named values travel as JSON


class MessageRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a message."""


class WorkerMessage(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A message, recognised by the name of its class."""


class WorkerQuestion(
    WorkerMessage, Generic[Answers], frozen=True, tag=True, forbid_unknown_fields=True
):
    """A question. `WorkerQuestion[A]` is answered with an `A`."""


# --- records --------------------------------------------------------------------------------------


class Layout(MessageRecord, frozen=True, tag="tensor"):
    """The place of a tensor in its file. `offset` is in bytes from the start of the file."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    nbytes: int  # of the extent


class PlainValue(MessageRecord, frozen=True, tag="value"):
    """An argument that is not a tensor."""

    value: bool | int | float | str | None


Argument = Layout | PlainValue


class LearnerError(MessageRecord, frozen=True):
    """An exception of the learner's code. `type` is "" if `message` is already a sentence."""

    message: Text
    type: Text = ""
    line: Line = None
    detail: Text = ""
    compiling: bool = False  # a compiler wrapped it
    launched: bool = False  # Triton raised it, or a kernel that Triton ran


class CapturedBreak(MessageRecord, frozen=True):
    reason: Text
    line: Line


class CapturedGraphs(MessageRecord, frozen=True):
    """Graphs, breaks and operations of one call, as Dynamo explains it."""

    graphs: Integer
    breaks: tuple[CapturedBreak, ...]
    ops: tuple[Text, ...]


class Compilations(MessageRecord, frozen=True):
    """Compilations of a compiled function in one case: those of its first call and those of a second
    call with the same input, and the guards whose failure caused them."""

    first: Integer
    repeated: Integer
    guards: tuple[Text, ...]
    explained: CapturedGraphs | None = None


class OutputTensor(MessageRecord, frozen=True):
    """A tensor whose elements are in the file that comes with the answer. `alias` is the number of the
    tensor argument that has the same memory."""

    shape: tuple[Size, ...]
    dtype: Text
    device: Text
    alias: Integer | None = None


class KernelResources(MessageRecord, frozen=True):
    target: Text
    kernel: Text
    registers: Integer
    spills: Integer
    shared_bytes: Integer
    warps: Integer


# --- answers --------------------------------------------------------------------------------------


class Raised(WorkerMessage, frozen=True):
    error: LearnerError


class ModuleLoaded(WorkerMessage, frozen=True):
    constants: JsonObject = "{}"  # of the learner's module

    def __post_init__(self) -> None:
        named_values(self.constants)


class ModuleRejected(WorkerMessage, frozen=True):
    code: Text
    error: LearnerError


class CaseAnswer(WorkerMessage, frozen=True):
    """The result of one call. Either the call raised, or its output is not a tensor with elements
    (`wrong_type` describes it), or `output` describes the tensor in the first attached file."""

    ms: float
    launches: Integer
    raised: LearnerError | None = None
    wrong_type: Text = ""
    output: OutputTensor | None = None
    report: KernelReport | None = None  # from the interpreter
    trace: JsonObject = ""  # see `access_map.is_trace`
    compilations: Compilations | None = None

    def __post_init__(self) -> None:
        if self.trace and not access_map.is_trace(named_values(self.trace)):
            raise ValueError("the trace is none")
        if self.raised is None and not self.wrong_type and self.output is None:
            raise ValueError("a call without an outcome")


class FunctionLowered(WorkerMessage, frozen=True):
    """Kernels that Inductor generated, and the bytes they move in one call if it estimates them."""

    kernels: Integer
    bytes_read: Integer | None = None
    bytes_written: Integer | None = None


class LaidOut(WorkerMessage, frozen=True):
    resources: KernelResources | None = None


class RoundTimes(WorkerMessage, frozen=True):
    ms: list[float]

    def __post_init__(self) -> None:
        _check_times(self.ms)


class HostTimes(WorkerMessage, frozen=True):
    """Milliseconds: to submit a call, until the device rests after it, until it rests after an empty
    launch. `persisting`: bytes of the L2 cache set aside for lines that persist."""

    submit_ms: list[float]
    rest_ms: list[float]
    empty_ms: list[float]
    persisting: Integer

    def __post_init__(self) -> None:
        for each in (self.submit_ms, self.rest_ms, self.empty_ms):
            _check_times(each)


class ProfiledKernels(WorkerMessage, frozen=True):
    kernels: tuple[KernelTime, ...]

    def __post_init__(self) -> None:
        _check_texts(each.name for each in self.kernels)


class FetchedOutput(WorkerMessage, frozen=True):
    """The requested elements are in the attached file if there is an output."""

    shape: tuple[Size, ...] | None = None


class ProbeFound(WorkerMessage, frozen=True):
    found: JsonObject

    def __post_init__(self) -> None:
        named_values(self.found)


class CellAnswer(WorkerMessage, frozen=True):
    ok: bool
    ms: float
    error: Text = ""
    values: JsonObject = "{}"

    def __post_init__(self) -> None:
        named_values(self.values)


class StageFound(WorkerMessage, frozen=True):
    stage: Stage

    def __post_init__(self) -> None:
        stage = self.stage
        if len(stage.text) > _MAX_STAGE:
            raise ValueError("a stage of too many characters")
        _check_texts((stage.name, stage.title, stage.language, stage.kernel, *stage.notes))
        _check_texts(name for name, _ in stage.counts)


class StageFailed(WorkerMessage, frozen=True):
    failure: Failure

    def __post_init__(self) -> None:
        _check_texts((self.failure.stage, self.failure.sentence))


class LinksFound(WorkerMessage, frozen=True):
    links: list[tuple[Text, Integer, Text, Integer, Text]]  # the fields of `stages.Link`


XrayPart = StageFound | StageFailed | LinksFound


class XrayEnd(WorkerMessage, frozen=True):
    device: Device
    status: Integer


class XrayRefused(WorkerMessage, frozen=True):
    reason: Text
    status: Integer


class KernelNeeds(WorkerMessage, frozen=True):
    """Resources that a kernel needs of its target. If one exceeds a limit, the others may be unknown."""

    registers: Size | None = None  # a thread
    spills: Size | None = None  # words
    shared_bytes: Size | None = None
    warps: Size | None = None  # a block
    tensor_memory: Size | None = None  # columns


class CannotCompile(WorkerMessage, frozen=True):
    reason: Text


class PartCompiled(WorkerMessage, frozen=True):
    known: Integer  # specializations


class WorkerWarm(WorkerMessage, frozen=True):
    """A worker on a GPU is ready. It sends this unasked."""


# --- questions ------------------------------------------------------------------------------------


class Load(WorkerQuestion[ModuleLoaded | ModuleRejected], frozen=True):
    """Load the learner's text. `entry` and `kind` are empty if kernels are only compiled."""

    source: str
    filename: str
    memory_bytes: int
    entry: str = ""
    kind: str = ""


class RunCase(WorkerQuestion[CaseAnswer], frozen=True):
    """Call the function on the arguments in the attached file.

    `poison` and `padding` are the values of masked lanes; `order` is the order of the programs. With
    `withhold` the kernels' stores leave memory unchanged. With `again` the call gets the tensors of the
    previous call, whose file now holds other bytes. With `trace` every access is kept.
    """

    args: tuple[Argument, ...]
    first: bool = False
    poison: str | None = None
    padding: float | None = None
    order: int | None = None
    withhold: bool = False
    again: bool = False
    trace: bool = False


class Lower(WorkerQuestion[FunctionLowered | Raised], frozen=True):
    """Compile the function with Inductor."""

    args: tuple[Argument, ...]
    threads: int


class LayOut(WorkerQuestion[LaidOut | Raised], frozen=True):
    """Make the ring of inputs that timed calls cycle through, and call the function on each."""

    args: tuple[Argument, ...]
    threads: int
    shifts: list[int]


class TimeRound(WorkerQuestion[RoundTimes], frozen=True):
    """Time calls of the function and keep the output of call number `keep`, or time an empty launch."""

    samples: int
    keep: int = -1
    empty: bool = False


class TimeHost(WorkerQuestion[HostTimes], frozen=True):
    """Time the host's work for a call, and the device's work after it."""


class ProfileCalls(WorkerQuestion[ProfiledKernels | Raised], frozen=True):
    calls: int


class FetchOutput(WorkerQuestion[FetchedOutput], frozen=True):
    """Fetch pieces of the kept output: start and length of each, in elements."""

    pieces: list[tuple[int, int]]


class RunProbe(WorkerQuestion[ProbeFound | Raised], frozen=True):
    """Run the exercise's own probe.py on the learner's module."""

    source: str
    filename: str


class RunCell(WorkerQuestion[CellAnswer], frozen=True):
    """Run a live cell, then evaluate expressions. `echo`: print the value of its last expression."""

    code: str
    filename: str
    evaluate: tuple[str, ...]
    echo: bool
    memory_bytes: int


class RunXray(
    WorkerQuestion[StageFound | StageFailed | LinksFound | XrayEnd | XrayRefused], frozen=True
):
    """Run an X-ray: its parts come first, then `XrayEnd` or `XrayRefused`."""

    request: XrayRequest
    memory_bytes: int


class CompileLaunch(WorkerQuestion[KernelNeeds | Raised | CannotCompile], frozen=True):
    launch: KernelLaunch
    target: str


class NoteLaunches(WorkerQuestion[PartCompiled], frozen=True):
    """Call the function and compile part `part` of `of` of its launches. Has no answer."""

    entry: str
    capability: int
    args: tuple[Argument, ...]
    bytes: int
    part: int
    of: int
    forks: int


class FinishCompiling(WorkerQuestion[PartCompiled], frozen=True):
    """Wait until everything is compiled. Answered after that."""


# The questions that a worker of each kind accepts.
SubmissionQuestion = (
    Load | RunCase | Lower | LayOut | TimeRound | TimeHost | ProfileCalls | FetchOutput | RunProbe
    | RunCell | RunXray
)  # fmt: skip
CompileQuestion = Load | CompileLaunch | NoteLaunches | FinishCompiling

TO_SUBMISSION: Decoder[SubmissionQuestion] = Decoder(SubmissionQuestion)
TO_COMPILER: Decoder[CompileQuestion] = Decoder(CompileQuestion)
TO_XRAY: Decoder[RunXray] = Decoder(RunXray)
WARM: Decoder[WorkerWarm] = Decoder(WorkerWarm)

_ANSWERS: dict[type, Decoder[Any]] = {}


def answers(question: WorkerQuestion[Answers]) -> Decoder[Answers]:
    """Return the decoder for the answers to `question`."""
    return answer_decoder(type(question))


def answer_decoder(kind: type) -> Decoder[Any]:
    """Return the decoder for the answers to a class of questions."""
    if kind not in _ANSWERS:
        (base,) = kind.__orig_bases__  # type: ignore[attr-defined]
        _ANSWERS[kind] = Decoder(get_args(base)[0])
    return _ANSWERS[kind]


# --- checks that types cannot express -------------------------------------------------------------


def named_values(text: JsonObject) -> dict[str, Any]:
    """Return the values of a JSON object. Raises `ValueError` for any other text."""
    found = json.loads(text)
    if type(found) is not dict:
        raise ValueError("no JSON object")
    return found


def json_object(values: dict[str, Any]) -> JsonObject:
    return json.dumps(values)


def _check_times(ms: list[float]) -> None:
    """Require at least one time in milliseconds, and none that is NaN, infinite or negative."""
    if not ms or not all(0 <= each < math.inf for each in ms):
        raise ValueError("no times")


def _check_texts(texts: Any) -> None:
    if any(len(text) > _MAX_TEXT for text in texts):
        raise ValueError("a text of too many characters")
