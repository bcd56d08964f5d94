"""Records of an X-ray: the texts of a function on its way to the device, and the links between them.

Plain records, importable without torch; `tutor xray --json` prints them. A learner's process sends
them, so their types bound what the judge accepts of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from tutor.xray.model.control_codes import Control
from tutor.xray.model.input_specs import InputSpec

Number: TypeAlias = int | float
Device: TypeAlias = Literal["pretend", "real"]
MAX_TEXT = 4_000_000  # characters of one stage
Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=1 << 16)]
LineNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=-(1 << 62), le=1 << 62)]


@dataclass(frozen=True)
class Stage:
    """A text on the way: of the whole function, or of one kernel.

    `language` is one of "python", "bytecode", "fx", "text", "inductor", "mlir", "hlo", "ttir",
    "ttgir", "llvm", "ptx", "sass", "amdgcn", "asm", "cpp", "cuda". `ms`: milliseconds to make it.
    `kernel` is "" for a stage of the whole function. `counts` are (name, number) pairs (see
    tutor/xray/model/counts). `compiler` is a name of tutor/xray/model/compiler.py. `controls` are the
    control codes of SASS, one for each instruction. `numbers` are the lines of the learner's
    file that the lines of `text` show, 0 for none; () where the text is no part of a file.
    """

    name: Text
    title: Text
    language: Text
    text: Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
    notes: tuple[Text, ...] = ()
    ms: float = 0.0
    kernel: Text = ""
    counts: tuple[tuple[Text, Number], ...] = ()
    compiler: Text = "inductor"
    controls: tuple[Control, ...] = ()
    numbers: tuple[LineNumber, ...] = ()

    @property
    def key(self) -> str:
        """The key that links use: the name, with the kernel where it has one, as in `ttir:add_kernel`.

        Another compiler than Inductor stands before it: `tvm/fuse_tir`.
        """
        key = f"{self.name}:{self.kernel}" if self.kernel else self.name
        return key if self.compiler == "inductor" else f"{self.compiler}/{key}"

    def to_json(self) -> dict[str, Any]:
        values = msgspec.json.decode(msgspec.json.encode(self))  # with lists for tuples
        return {**values, "ms": round(self.ms, 3), "counts": dict(self.counts)}


@dataclass(frozen=True)
class Link:
    """Line `source_line` of the stage `source` became line `target_line` of `target`.

    Stages are named by `Stage.key`; lines count from 1.
    """

    source: Text
    source_line: LineNumber
    target: Text
    target_line: LineNumber
    kernel: Text = ""


@dataclass(frozen=True)
class Links:
    """Links on their way: they are many, so they travel together."""

    links: tuple[Link, ...]


@dataclass(frozen=True)
class Failure:
    """A stage that is missing, and the reason in one sentence.

    `stage` is a stage's name or key; "" where nothing could be begun.
    """

    stage: Text
    sentence: Text


@dataclass(frozen=True)
class LaunchTime:
    """Microseconds of a kernel's launches on a GPU: the median, and the quarters below and above it."""

    median: float
    low: float
    high: float

    def differs_from(self, other: LaunchTime) -> bool:
        """Return True if the middle halves of both do not meet."""
        return self.low > other.high or self.high < other.low


@dataclass(frozen=True)
class Omission:
    """What becomes of a kernel where Triton leaves out one of its passes.

    `stage` is the one that the pass works for ("ttir", "ttgir" or "llir"), `name` the pass, which runs
    `times` there and is left out each time; it is number `place` (from 1) of `of` that are left out. The
    kernel with all its passes has the place 0, and "" for both names.

    `changed` are the stages whose texts are others without the pass, `texts` these texts, as (stage,
    text) pairs; both empty where it changes nothing. `counts` are those of the last stage, with
    "shared_bytes". `failed` is the stage that cannot be made without the pass, or "". `sentence` says
    why, or why the kernel cannot be launched, or is "".

    `time` is that of a launch on this machine's GPU. Where it has the target's GPU and no time could be
    taken, `untimed` says why; a pass that changes nothing has neither.
    """

    kernel: Text
    stage: Text
    name: Text
    times: int = 0
    place: int = 0
    of: int = 0
    changed: tuple[Text, ...] = ()
    counts: tuple[tuple[Text, Number], ...] = ()
    failed: Text = ""
    sentence: Text = ""
    texts: tuple[tuple[Text, Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]], ...] = ()
    time: LaunchTime | None = None
    untimed: Text = ""

    def to_json(self) -> dict[str, Any]:
        values = msgspec.json.decode(msgspec.json.encode(self))
        return {**values, "counts": dict(self.counts), "texts": dict(self.texts)}


Event: TypeAlias = Stage | Link | Failure | Omission


@dataclass(frozen=True)
class Request:
    """The call to lower: `name` in the file `path` (or in `source`, where the text is given).

    `inputs` are those of the call (`input_specs.parse_inputs`); `stage` is the last one wanted, None
    for all. `again` are the inputs of further calls: with them the stage `log:recompiles` is the
    history of all calls. `logs` are the channels of TORCH_LOGS wanted as stages `log:NAME`
    (tutor/xray/model/log_channels.py); None: where all stages are wanted, each channel that says
    something. `passes` asks for each kernel's TTGIR pass by pass, `repro` for a file that repeats the
    compilation without this program, as the stage `repro`. `without` are passes of Triton's that are
    left out in turn of the kernel named `of_kernel` ("": of each), as an `Omission` each: names, as in
    "coalesce" or "ttgir:coalesce", or "all".

    `compilers` are names of tutor/xray/model/compiler.py. Inductor lowers for the GPU `target`, the
    others for `others_for`: "cpu", or a GPU.
    """

    path: str
    name: str
    inputs: tuple[InputSpec, ...]
    target: str
    stage: str | None
    backward: bool
    source: str | None = None
    logs: tuple[str, ...] | None = None
    again: tuple[tuple[InputSpec, ...], ...] = ()
    passes: bool = False
    repro: bool = False
    without: tuple[str, ...] = ()
    of_kernel: str = ""
    compilers: tuple[str, ...] = ("inductor",)
    others_for: str = "cpu"


@dataclass(frozen=True)
class XrayDone:
    """The end of an X-ray. `status` is the command's exit status: 0 if all stages are there, 1 if the
    learner's code failed, 3 if this machine lacks something. Each missing stage is a `Failure`."""

    device: Device
    status: int


@dataclass(frozen=True)
class Xray:
    """Everything that was found for one request."""

    target: str
    device: Device
    stages: tuple[Stage, ...] = ()
    links: tuple[Link, ...] = ()
    failures: tuple[Failure, ...] = ()
    omissions: tuple[Omission, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The value that `tutor xray --json` prints (docs/contract.md)."""
        values = msgspec.json.decode(msgspec.json.encode(self))
        stages = [stage.to_json() for stage in self.stages]
        omissions = [omission.to_json() for omission in self.omissions]
        return {**values, "stages": stages, "omissions": omissions}

    @staticmethod
    def from_json(value: dict[str, Any]) -> Xray:
        stages = [{**stage, "counts": [*stage["counts"].items()]} for stage in value["stages"]]
        omissions = [
            {**row, "counts": [*row["counts"].items()], "texts": [*row["texts"].items()]}
            for row in value.get("omissions", ())
        ]
        return msgspec.convert({**value, "stages": stages, "omissions": omissions}, Xray)
