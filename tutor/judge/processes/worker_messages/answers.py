"""The answers of a worker, by class. No torch."""

from tutor.judge.model import access_map, witness
from tutor.judge.model.verdict import KernelTime
from tutor.judge.processes.worker_messages.kernel_report import Integer, KernelReport, Line, Text
from tutor.judge.processes.worker_messages.ranks_report import RanksReport
from tutor.judge.processes.worker_messages.records import (
    Compilations,
    JsonObject,
    KernelResources,
    LearnerError,
    MessageRecord,
    OutputTensor,
    Size,
    WorkerMessage,
    check_texts,
    check_times,
    read_json_object,
)
from tutor.judge.processes.worker_messages.rewrite_report import RewriteReport

MAX_OPERATIONS = 8


class Raised(WorkerMessage, frozen=True):
    """The learner's code raised."""

    error: LearnerError


class ModuleLoaded(WorkerMessage, frozen=True):
    """The learner's text is loaded and holds the function asked for."""

    constants: JsonObject = "{}"  # of the learner's module

    def __post_init__(self) -> None:
        read_json_object(self.constants)


class ModuleRejected(WorkerMessage, frozen=True):
    """The learner's text cannot be run, or lacks the function. `code` is that of the diagnosis."""

    code: Text
    error: LearnerError


class HandledError(MessageRecord, frozen=True):
    """An error that `function` raised and that went no further than `handler`, both of the learner's
    file."""

    function: Text
    handler: Text
    error: LearnerError


class CaseAnswer(WorkerMessage, frozen=True):
    """One call. Either it raised, or its output is no tensor with elements (`wrong_type` says what it
    is), or `output` describes the tensor in the first file that came along, or it rewrote a program, or
    its ranks were stopped."""

    ms: float
    launches: Integer
    raised: LearnerError | None = None
    wrong_type: Text = ""
    output: OutputTensor | None = None
    report: KernelReport | None = None  # of the interpreter
    trace: JsonObject = ""  # see `access_map.trace_of`
    witness: JsonObject = ""  # see `witness.witness_of`
    compilations: Compilations | None = None
    host_operations: tuple[Text, ...] = ()  # of PyTorch, outside of kernels
    host_copies: tuple[Text, ...] = ()  # the same of operations that only copy
    handled: tuple[HandledError, ...] = ()  # if asked for
    rewrite: RewriteReport | None = None  # of a pass, in the place of an output
    ranks: RanksReport | None = None  # of a function that is called once a rank

    def __post_init__(self) -> None:
        if self.trace:
            access_map.trace_of(self.trace)
        if self.witness:
            witness.witness_of(self.witness)
        if max(len(self.host_operations), len(self.host_copies)) > MAX_OPERATIONS:
            raise ValueError("too many operations")
        stopped = self.ranks if self.ranks and self.ranks.stop else None
        outcomes = (self.raised, self.output, self.rewrite, stopped)
        if not self.wrong_type and all(outcome is None for outcome in outcomes):
            raise ValueError("a call without an outcome")


class FunctionLowered(WorkerMessage, frozen=True):
    """Kernels that Inductor generated, and the bytes they move in one call where it estimates them."""

    kernels: Integer
    bytes_read: Integer | None = None
    bytes_written: Integer | None = None


class LaidOut(WorkerMessage, frozen=True):
    """The inputs of a timing are made. `resources`: what the launched kernel needs, where it is
    known."""

    resources: KernelResources | None = None


class RoundTimes(WorkerMessage, frozen=True):
    """The milliseconds of each call of a round."""

    ms: list[float]

    def __post_init__(self) -> None:
        check_times(self.ms)


class HostTimes(WorkerMessage, frozen=True):
    """Milliseconds: to submit a call, until the device rests after it, until it rests after an empty
    launch. `persisting`: bytes of the L2 cache set aside for lines that persist."""

    submit_ms: list[float]
    rest_ms: list[float]
    empty_ms: list[float]
    persisting: Integer

    def __post_init__(self) -> None:
        for times in (self.submit_ms, self.rest_ms, self.empty_ms):
            check_times(times)


class ProfiledKernels(WorkerMessage, frozen=True):
    """The kernels that ran in the calls asked for, each with its times."""

    kernels: tuple[KernelTime, ...]

    def __post_init__(self) -> None:
        check_texts(kernel.name for kernel in self.kernels)


class FetchedOutput(WorkerMessage, frozen=True):
    """The elements asked for are in the file that comes along, where there is an output."""

    shape: tuple[Size, ...] | None = None


class ProbeFound(WorkerMessage, frozen=True):
    """What the exercise's own probe found, by name."""

    found: JsonObject

    def __post_init__(self) -> None:
        read_json_object(self.found)


class CellAnswer(WorkerMessage, frozen=True):
    """A live cell has ended. `ms`: its time; `values`: the answers computed from its names."""

    ok: bool
    ms: float
    error: Text = ""
    values: JsonObject = "{}"
    trace: JsonObject = ""  # see `access_map.trace_of`

    def __post_init__(self) -> None:
        read_json_object(self.values)
        if self.trace:
            access_map.trace_of(self.trace)


class XrayRefused(WorkerMessage, frozen=True):
    """The X-ray cannot be made. `status` is the exit status of the error.

    `missing_inputs`: the call lacks arguments.
    """

    reason: Text
    status: Integer
    missing_inputs: bool = False


class OtherSum(MessageRecord, frozen=True):
    """A sum that the compiled kernel adds up in `dtype`, of 16 or 64 bits. `what`: "accumulator",
    "product", "reduction" or "atomic addition"."""

    dtype: Text
    what: Text
    line: Line


class Product(MessageRecord, frozen=True):
    """A product of tiles in the compiled kernel. `factors`: what it multiplies, as "fp16" or "tf32"."""

    factors: Text
    line: Line


class KernelNeeds(WorkerMessage, frozen=True):
    """The resources that a kernel needs of its target; those known so far if one was too much."""

    registers: Size | None = None  # a thread
    spills: Size | None = None  # words
    stack_bytes: Size | None = None  # of a thread: spilled words, and arrays of its own
    shared_bytes: Size | None = None
    warps: Size | None = None  # a block
    tensor_memory: Size | None = None  # columns
    matrix: tuple[Text, ...] | None = None  # names of the instructions of tensor cores
    dots: Size | None = None  # products of tiles in TTIR
    coarse_dots: Size | None = None  # those of them that round float32 factors to TF32
    products: tuple[Product, ...] | None = None  # the first of each kind and line
    sums: tuple[OtherSum, ...] | None = None  # None: not looked for


class CannotCompile(WorkerMessage, frozen=True):
    """The launch does not compile for the target, or nothing here compiles for it."""

    reason: Text


class PartCompiled(WorkerMessage, frozen=True):
    """This worker's part of the specializations is compiled."""

    known: Integer  # specializations


class WorkerWarm(WorkerMessage, frozen=True):
    """A worker on a GPU is ready. It sends this unasked."""
