"""The questions that the server asks a worker, each with the answers it allows. No torch.

The learner's code shares the worker's process and could write to its channel. So an answer is decoded
strictly: what does not have the shape described here raises `wire.Malformed`. What it says may still be
untrue: whoever uses it compares the outputs.
"""

from typing import Any, get_args

from tutor.judge.model.message_format import MessageDecoder
from tutor.judge.processes.worker_messages.answers import (
    CannotCompile,
    CaseAnswer,
    CellAnswer,
    FetchedOutput,
    FunctionLowered,
    HostTimes,
    KernelNeeds,
    LaidOut,
    ModuleLoaded,
    ModuleRejected,
    PartCompiled,
    ProbeFound,
    ProfiledKernels,
    Raised,
    RoundTimes,
    WorkerWarm,
    XrayRefused,
)
from tutor.judge.processes.worker_messages.kernel_report import KernelLaunch
from tutor.judge.processes.worker_messages.records import (
    Answers,
    Argument,
    MessageRecord,
    WorkerQuestion,
)
from tutor.xray.model.stages import Failure, Links, Omission, Request, Stage, XrayDone


class PassRules(MessageRecord, frozen=True):
    """Says what a pass rewrites and what it may do: the subject, and the fields of `spec.Rewrite`."""

    subject: str
    returns: str
    rtol: float
    idempotent: bool
    only_read: bool
    shapes: bool


class Load(WorkerQuestion[ModuleLoaded | ModuleRejected], frozen=True):
    """Load the learner's text. (Where kernels are only compiled, without `entry` and `kind`.)

    `target` is the GPU that is pretended where there is none; "": that of the caller's settings.
    """

    source: str
    filename: str
    memory_bytes: int
    entry: str = ""
    kind: str = ""
    record_host: bool = True  # what PyTorch does outside of kernels
    target: str = ""
    rules: PassRules | None = None  # of a pass
    maker: str = ""  # the text of the module that makes what the entry gets (`MAKERS`)
    seconds: float = 0.0  # that all cases may take together, of kinds that watch it themselves


class RunCase(WorkerQuestion[CaseAnswer], frozen=True):
    """Call the function on the arguments in the file that comes along.

    `poison` and `padding`: what masked lanes hold; `order`: of the programs; `withhold`: the kernels'
    stores leave memory as it is; `again`: with the tensors of the call before, whose file now holds
    other bytes; `trace`: keep every access; `witness`: see every one in
    memory; `wave`: how many programs
    fetch together (0: what waves fetch is not counted); `once`: numbers of the arguments of which
    no program is to load an element twice; `handled`: note the errors that the learner's code handles;
    `sectors`: count those that tiles touch; `without_products`: `tl.dot` adds nothing.
    """

    args: tuple[Argument, ...]
    first: bool = False
    poison: str | None = None
    padding: float | None = None
    order: int | None = None
    withhold: bool = False
    again: bool = False
    trace: bool = False
    witness: bool = False
    wave: int = 0
    once: tuple[int, ...] = ()
    handled: bool = False
    sectors: bool = False
    without_products: bool = False


class Lower(WorkerQuestion[FunctionLowered | Raised], frozen=True):
    """Compile the function with Inductor."""

    args: tuple[Argument, ...]
    threads: int


class LayOut(WorkerQuestion[LaidOut | Raised], frozen=True):
    """Make the ring of inputs that timed calls go through, and call the function on each."""

    args: tuple[Argument, ...]
    threads: int
    shifts: list[int]


class TimeRound(WorkerQuestion[RoundTimes], frozen=True):
    """Time calls of the function, keeping the output of number `keep`; or of an empty launch."""

    samples: int
    keep: int = -1
    empty: bool = False


class TimeHost(WorkerQuestion[HostTimes], frozen=True):
    """Time what the host needs for a call, and what the device does after it."""


class ProfileCalls(WorkerQuestion[ProfiledKernels | Raised], frozen=True):
    """Profile that many calls on the inputs laid out, kernel by kernel."""

    calls: int


class FetchOutput(WorkerQuestion[FetchedOutput], frozen=True):
    """Fetch pieces of the kept output: start and length of each, in elements."""

    pieces: list[tuple[int, int]]


class RunProbe(WorkerQuestion[ProbeFound | Raised], frozen=True):
    """Run the exercise's own probe.py on the learner's module."""

    source: str
    filename: str


class RunCell(WorkerQuestion[CellAnswer], frozen=True):
    """Run a live cell, then evaluate expressions. `echo`: print the value of its last expression;
    `trace`: keep every access of its kernels."""

    code: str
    filename: str
    evaluate: tuple[str, ...]
    echo: bool
    memory_bytes: int
    trace: bool = False


class RunXray(
    WorkerQuestion[Stage | Failure | Links | Omission | XrayDone | XrayRefused], frozen=True
):
    """Run an X-ray: its parts come first, then `XrayDone` or `XrayRefused`."""

    request: Request
    memory_bytes: int
    seconds: float = 0.0  # the limit of the whole; 0: none


class CompileLaunch(WorkerQuestion[KernelNeeds | Raised | CannotCompile], frozen=True):
    """Compile a recorded launch for a target that need not be present. `sums`: look for sums of 16
    bits too."""

    launch: KernelLaunch
    target: str
    sums: bool = False


class NoteLaunches(WorkerQuestion[PartCompiled], frozen=True):
    """Call the function, compiling part `part` of `of` of what it launches. Has no answer."""

    entry: str
    capability: int
    args: tuple[Argument, ...]
    bytes: int
    part: int
    of: int
    forks: int


class FinishCompiling(WorkerQuestion[PartCompiled], frozen=True):
    """Answered once all is compiled."""


# The questions that a worker of each kind takes.
SubmissionQuestion = (
    Load
    | RunCase
    | Lower
    | LayOut
    | TimeRound
    | TimeHost
    | ProfileCalls
    | FetchOutput
    | RunProbe
    | RunCell
    | RunXray
)
CompileQuestion = Load | CompileLaunch | NoteLaunches | FinishCompiling

TO_SUBMISSION: MessageDecoder[SubmissionQuestion] = MessageDecoder(SubmissionQuestion)
TO_COMPILER: MessageDecoder[CompileQuestion] = MessageDecoder(CompileQuestion)
TO_XRAY: MessageDecoder[RunXray] = MessageDecoder(RunXray)
WARM: MessageDecoder[WorkerWarm] = MessageDecoder(WorkerWarm)

_ANSWERS: dict[type, MessageDecoder[Any]] = {}


def decoder_of(question: WorkerQuestion[Answers]) -> MessageDecoder[Answers]:
    """The decoder for the answers to `question`."""
    return decoder_of_kind(type(question))


def decoder_of_kind(kind: type) -> MessageDecoder[Any]:
    """The same for a class of questions."""
    if kind not in _ANSWERS:
        (base,) = kind.__orig_bases__  # type: ignore[attr-defined]
        _ANSWERS[kind] = MessageDecoder(get_args(base)[0])
    return _ANSWERS[kind]
