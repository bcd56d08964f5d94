"""Records of a verdict and their JSON (`tutor check --json`).

The server sends `CaseResult`s, then `Diagnosis`, `Timing`, and last a `Verdict` that has them all.
"""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tutor.memory.store.rows import JudgedProgram


@dataclass(frozen=True)
class WrongMap:
    """Wrong elements counted by cells: the output as rows of `width` elements
    (`tensor_grid.lay_out`), each cell of `cell` = (rows, columns) of them."""

    shape: tuple[int, ...]
    width: int
    cell: tuple[int, int]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Mismatch:
    """The first wrong element, both values, and the number of wrong elements.

    `where` names these in half a sentence if possible; `map` draws them for the first wrong case.
    """

    index: tuple[int, ...]
    got: float | int | bool | str
    want: float | int | bool | str
    count: int
    total: int
    where: str = ""
    map: WrongMap | None = None


@dataclass(frozen=True)
class CaseResult:
    """The result of one case. Errors are absolute; `eager_err` is PyTorch's."""

    name: str
    inputs: str
    passed: bool
    max_abs_err: float | None = None
    bound: float | None = None
    eager_err: float | None = None
    mismatch: Mismatch | None = None
    note: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """A cause or an observation, for the learner. `line` counts from 1 in the learner's file.

    `detail` is the original text (a traceback, a compiler's message) that the sentence translates, or,
    of an access, the whole of a sentence that is shortened.
    `proof` says how the judge knows: "proven" (a change makes every case right, or a known mistake
    gives the same output), "observed" (it was seen to happen), "" (it only describes what is wrong).
    """

    code: str  # a table of `reports/causes.toml`; docs/contract.md lists them
    message: str
    line: int | None = None
    program_id: tuple[int, int, int] | None = None
    detail: str = ""
    proof: str = ""  # "proven" | "observed" | ""


@dataclass(frozen=True)
class Repair:
    """The smallest change of the program that was found to make every case right, in words. A learner
    gets them one after the other: the first cause of the verdict names the place, hints the rest.

    `kind` says what kind of change it is, `says` what the exercise's author says of the mistake; both
    are "" where nothing more is to be told. `change` has lines with - and +. It tells a part of the
    answer and is for who has given up, or is done.
    """

    lines: tuple[int, ...]
    kind: str = ""
    says: str = ""
    change: str = ""
    tries: int = 0


@dataclass(frozen=True)
class Sample:
    """A median in milliseconds with the 95 % interval from order statistics."""

    median_ms: float
    ci95_ms: tuple[float, float]
    samples: int


@dataclass(frozen=True)
class Roofline:
    """Least bytes and FLOPs over the device's peaks; `fraction` is the limit over the learner's median.

    The limit uses the datasheet if there is one. `measured_ms` uses the peak that `tutor doctor
    --measure` found on this machine, and `measured` names it; None and "" without a measurement.
    """

    bytes: int
    flops: int
    limit_ms: float
    fraction: float
    bound: str  # "memory" | "compute"
    peak: str = ""  # what the limit was computed from, and its source
    units: str = "fp32"  # the arithmetic whose peak counts, as in `spec.Work`
    measured_ms: float | None = None
    measured: str = ""


@dataclass(frozen=True)
class KernelTime:
    """A kernel in CUPTI's record: launches in a call, and the median in microseconds."""

    name: str
    count: float
    median_us: float


@dataclass(frozen=True)
class Profile:
    """Kernels by their time, the longest first. `note` is the reason if there are none."""

    kernels: tuple[KernelTime, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Timing:
    """Times of calls. While `final` is False more samples follow.

    On CUDA the medians are measured by events and include the cost of a launch. `launch` is an empty
    kernel timed in the same way, `alone_ms` the learner's median without it, `host_ms` the host's time
    to submit a call. These are None on a CPU.
    """

    learner: Sample
    eager: Sample | None = None
    compiled: Sample | None = None
    roofline: Roofline | None = None
    note: str = ""  # why a time is not credible or missing
    believed: bool = True  # False: quicker than the device allows, so not a result
    final: bool = True
    launch: Sample | None = None
    alone_ms: float | None = None
    host_ms: float | None = None
    launch_bound: bool = False
    profile: Profile | None = None


@dataclass(frozen=True)
class Break:
    """A graph break: Dynamo's reason, and the learner's line where one is known."""

    reason: str
    line: int | None = None


@dataclass(frozen=True)
class GraphSummary:
    """The compiler's graphs of a compiled function over all cases.

    Kernels and bytes are counted only for a function that is timed, because Inductor compiles it then.
    Otherwise the cases run with a backend that only counts graphs: Inductor took 3 s to the text of its
    kernels (2 cores, torch 2.13), its C++ compiler 2 s more, and a verdict takes 1 s.
    """

    graphs: int
    breaks: tuple[Break, ...] = ()
    recompiles: int = 0
    kernels: int | None = None  # None: not counted, because nothing was timed
    compilations: int = 0  # over all cases; 0 if it breaks, because the cases then run eagerly
    guards: tuple[str, ...] = ()  # those that failed, one for each compilation after the first
    # Bytes of one call on the timed inputs by Inductor's estimate, and the least possible (the `work` of
    # the reference); None: not counted.
    bytes_read: int | None = None
    bytes_written: int | None = None
    bytes_least: int | None = None


@dataclass(frozen=True)
class KernelTraffic:
    """Bytes that the kernels of one case accessed in the interpreter over all launches.

    Masked lanes access nothing; an atomic operation counts as a store. `…_once` counts each element once
    a launch. `least` and `flops` are the `work` of the exercise's reference for that case. Copies by
    torch, as by `contiguous()`, are not counted.
    """

    case: str
    launches: int
    programs: int
    loaded: int
    stored: int
    loaded_once: int
    stored_once: int
    least: int
    # Loads, each element counted once a wave; 0 where the exercise limits no waves.
    fetched: int = 0
    flops: int = 0


@dataclass(frozen=True)
class Latency:
    """Milliseconds from a submission to a warm judge until the first case, all right cases, the verdict.

    `start` is the time before: to start and warm the judge.
    """

    first_case: float | None
    correct: float | None
    total: float
    start: float = 0.0


@dataclass(frozen=True)
class ShownValue:
    """An argument or an output that can be read. `values` are a tensor's elements row by row; None for a
    plain value, and for a tensor of too many."""

    name: str
    spec: str  # as `f32[2,3]`, with strides for a view; or a plain value in Python's form
    dtype: str = ""  # of a tensor, as `float32`
    shape: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    values: tuple[float | int | bool | str, ...] | None = None


@dataclass(frozen=True)
class WrongExample:
    """The smallest arguments found on which the program is wrong for the same reason.

    `case` was made smaller. `fault` is half a sentence on what is wrong if it is not the numbers; then
    there is no `mismatch`. `block` says which blocks of the program were made smaller for it; "" for
    none. `program`: of a pass, the lines of the program that it rewrites.
    """

    case: str
    inputs: tuple[ShownValue, ...]
    got: ShownValue | None = None
    want: ShownValue | None = None
    mismatch: Mismatch | None = None
    fault: str = ""
    block: str = ""
    program: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Return True if it shows every element of its inputs."""
        return all(shown.values is not None for shown in self.inputs if shown.dtype)


@dataclass(frozen=True)
class TwistFinding:
    """Says whether a right program keeps the promises of an exercise's twist. `message` tells what it
    does instead, with a line of the program where there is one."""

    number: int
    kept: bool
    message: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Chart:
    """What a learner's policy did over time: spans (row, start, end, label) in units that `label` names,
    for `course.gantt`."""

    title: str
    label: str
    spans: tuple[tuple[str, float, float, str], ...]


@dataclass(frozen=True)
class Verdict:
    """A judgement from its cases to its times. What was not asked for, or not reached, is None or
    empty."""

    exercise: str
    passed: bool
    device: str  # "cpu-interpreter" | "cpu" | "cuda: NVIDIA H200"
    cases: tuple[CaseResult, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()
    timing: Timing | None = None
    resources: dict[str, Any] | None = None
    graph: GraphSummary | None = None
    traffic: KernelTraffic | None = None  # kernels only
    example: WrongExample | None = None  # of a refused program
    latency_ms: Latency | None = None
    seed: int = 0
    output: str = ""  # what the learner's code printed, bounded
    figures: dict[str, str] = field(default_factory=dict)  # of the right answer, by the exercise
    chart: Chart | None = None  # of what was measured, right or wrong, by the exercise
    versions: dict[str, str] = field(default_factory=dict)
    repair: Repair | None = None
    sought_repair: bool = False  # also if none was found
    twists: tuple[TwistFinding, ...] = ()  # of a right program, those that are judged


def judged_program(source: str, verdict: "Verdict") -> JudgedProgram:
    """Return a submission as the record keeps it."""
    return JudgedProgram(verdict.exercise, source, to_json(verdict), verdict.passed, verdict.device)


def hide_change(verdict: "Verdict") -> "Verdict":
    """Return the verdict without the text of its repair, which tells a part of the answer."""
    if verdict.repair is None:
        return verdict
    return replace(verdict, repair=replace(verdict.repair, change=""))


def to_json(record: Any) -> Any:
    """Convert a record of this module to JSON values. Infinite and NaN floats become strings."""
    return _plain(asdict(record))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def verdict_from_json(data: dict[str, Any]) -> Verdict:
    """Convert the JSON of a `Verdict`, as the learner's record has it, to the record.

    Raises `ValueError` if another version wrote it and a field is missing or has another type.
    """
    import msgspec  # here, so that the program's start does not wait for it

    return msgspec.convert(data, Verdict, strict=False)  # not strict: "inf" is a number
