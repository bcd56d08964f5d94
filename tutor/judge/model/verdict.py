"""The records a judgement is made of, and their JSON (the `tutor check --json` of the contract).

The server sends them as they happen: `CaseResult`s, then `Diagnosis`, `Timing`, at last a `Verdict`
that holds them all. Nothing here imports torch.
"""

from dataclasses import asdict, dataclass, field
from typing import Any


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
    """The first wrong element: its index, both values, and how many of how many are wrong.

    `where` says which they are in half a sentence, if one does; `map` (of the first wrong case only)
    shows it.
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
    """One case. Errors are absolute, against the float64 reference; `eager_err` is PyTorch's own."""

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
    """A likely cause, for the learner. `line` counts from 1 in the learner's file.

    `detail` is the original text (a traceback, a compiler's message) that the sentence translates.
    """

    code: str
    message: str
    line: int | None = None
    program_id: tuple[int, int, int] | None = None
    detail: str = ""


@dataclass(frozen=True)
class Sample:
    """A median in milliseconds with the 95 % interval from order statistics."""

    median_ms: float
    ci95_ms: tuple[float, float]
    samples: int


@dataclass(frozen=True)
class Roofline:
    """Least bytes and FLOPs over the device's peaks; `fraction` is limit over the learner's median.

    The limit is the datasheet's where there is one. `measured_ms` is the same with what `tutor doctor
    --measure` found on this machine, `measured` says what that was; None and "" without it.
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
    """One kernel as CUPTI saw it: how often a call launches it, and its median in microseconds."""

    name: str
    count: float
    median_us: float


@dataclass(frozen=True)
class Profile:
    """Kernels by their time, the longest first. `note` says why there are none."""

    kernels: tuple[KernelTime, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Timing:
    """How long calls take. While `final` is False more samples are to come.

    On CUDA the medians are by events and hold what any launch costs. `launch` is an empty kernel timed
    in the same way, `alone_ms` the learner's median without it; `host_ms` is what the host needs to
    submit one call. None on a CPU.
    """

    learner: Sample
    eager: Sample | None = None
    compiled: Sample | None = None
    roofline: Roofline | None = None
    note: str = ""  # why a figure is not believed, or is missing
    believed: bool = True  # False: quicker than the device allows, so not a result
    final: bool = True
    launch: Sample | None = None
    alone_ms: float | None = None
    host_ms: float | None = None
    launch_bound: bool = False
    profile: Profile | None = None


@dataclass(frozen=True)
class Break:
    reason: str
    line: int | None = None


@dataclass(frozen=True)
class Graph:
    """What the compiler did with a compiled function over all cases.

    Kernels and bytes are told only of a function that is timed, for which Inductor compiles it anyway.
    Without timing, or after a wrong answer, the cases run with a backend that only counts graphs:
    loading and running Inductor as far as its kernels' text took 3 s (2 cores, torch 2.13), its C++
    compiler 2 s more, and a verdict that is waited for takes 1 s.
    """

    graphs: int
    breaks: tuple[Break, ...] = ()
    recompiles: int = 0
    kernels: int | None = None  # None: not counted, because nothing was timed
    compilations: int = 0  # over all cases; none where it breaks, for then the cases run eagerly
    guards: tuple[str, ...] = ()  # those that failed, one for each compilation after the first
    # What the kernels read and write in one call on the inputs that are timed, as Inductor estimates
    # it, and the least possible (the `work` of the reference); None: not told.
    bytes_read: int | None = None
    bytes_written: int | None = None
    bytes_least: int | None = None


@dataclass(frozen=True)
class Traffic:
    """What the kernels of one case asked of memory in the interpreter, in bytes over all launches.

    Lanes that are masked off ask for nothing; an atomic operation counts as a store. `…_once` counts
    each element once a launch, however many lanes and programs asked for it. `least` is the `work` of
    the exercise's reference for that case. What torch itself moves (a `contiguous()`) is not in it.
    """

    case: str
    launches: int
    programs: int
    loaded: int
    stored: int
    loaded_once: int
    stored_once: int
    least: int


@dataclass(frozen=True)
class Latency:
    """Milliseconds since a warm judge took the submission: until the first case was judged, until
    all were right, until the verdict. `start` is what came before: starting and warming the judge."""

    first_case: float | None
    correct: float | None
    total: float
    start: float = 0.0


@dataclass(frozen=True)
class Verdict:
    exercise: str
    passed: bool
    device: str  # "cpu-interpreter" | "cpu" | "cuda: NVIDIA H200"
    cases: tuple[CaseResult, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()
    timing: Timing | None = None
    resources: dict[str, Any] | None = None
    graph: Graph | None = None
    traffic: Traffic | None = None  # kernels only
    latency_ms: Latency | None = None
    seed: int = 0
    output: str = ""  # what the learner's code printed, bounded
    versions: dict[str, str] = field(default_factory=dict)


def to_json(record: Any) -> Any:
    """Any record of this module as plain JSON values. Infinite and NaN floats become strings."""
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
    """The inverse of `to_json` for a `Verdict`; for attempts kept in the learner's record."""

    timing = data.get("timing")
    graph = data.get("graph")
    return Verdict(
        exercise=data["exercise"],
        passed=data["passed"],
        device=data["device"],
        cases=tuple(case_from_json(c) for c in data["cases"]),
        diagnosis=tuple(diagnosis_from_json(d) for d in data["diagnosis"]),
        timing=timing_from_json(timing) if timing else None,
        resources=data.get("resources"),
        graph=graph
        and Graph(
            graphs=graph["graphs"],
            breaks=tuple(Break(**b) for b in graph["breaks"]),
            recompiles=graph["recompiles"],
            kernels=graph["kernels"],
            bytes_read=graph.get("bytes_read"),
            bytes_written=graph.get("bytes_written"),
            bytes_least=graph.get("bytes_least"),
            compilations=graph.get("compilations", 0),
            guards=tuple(graph.get("guards", ())),
        ),
        traffic=data.get("traffic") and Traffic(**data["traffic"]),
        latency_ms=data.get("latency_ms") and Latency(**data["latency_ms"]),
        seed=data.get("seed", 0),
        output=data.get("output", ""),
        versions=data.get("versions", {}),
    )


def timing_from_json(data: dict[str, Any]) -> Timing:
    def sample(d: dict[str, Any]) -> Sample:
        return Sample(d["median_ms"], (d["ci95_ms"][0], d["ci95_ms"][1]), d["samples"])

    profile = data.get("profile")
    return Timing(
        learner=sample(data["learner"]),
        eager=sample(data["eager"]) if data.get("eager") else None,
        compiled=sample(data["compiled"]) if data.get("compiled") else None,
        roofline=Roofline(**data["roofline"]) if data.get("roofline") else None,
        note=data.get("note", ""),
        believed=data.get("believed", True),
        final=data.get("final", True),
        launch=sample(data["launch"]) if data.get("launch") else None,
        alone_ms=data.get("alone_ms"),
        host_ms=data.get("host_ms"),
        launch_bound=data.get("launch_bound", False),
        profile=profile
        and Profile(tuple(KernelTime(**k) for k in profile["kernels"]), profile["note"]),
    )


def case_from_json(data: dict[str, Any]) -> CaseResult:
    mismatch = data.get("mismatch")
    if mismatch:
        drawn = mismatch.get("map")
        mismatch = Mismatch(
            **{**mismatch, "index": tuple(mismatch["index"]), "map": drawn and _wrong_map(drawn)}
        )
    return CaseResult(**{**data, "mismatch": mismatch})


def _wrong_map(data: dict[str, Any]) -> WrongMap:
    high, wide = data["cell"]
    counts = tuple(tuple(row) for row in data["counts"])
    return WrongMap(tuple(data["shape"]), data["width"], (high, wide), counts)


def diagnosis_from_json(data: dict[str, Any]) -> Diagnosis:
    program = data.get("program_id")
    return Diagnosis(**{**data, "program_id": tuple(program) if program else None})
