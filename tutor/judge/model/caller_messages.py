"""Requests of the judge's callers to its server, and the events they get. No torch."""

from dataclasses import dataclass
from typing import Any

from msgspec import Raw, Struct, msgpack
from msgspec.msgpack import Decoder

from tutor.judge.model import access_map, verdict
from tutor.judge.model.events import CellOutput, Progress, Provisional, Started
from tutor.judge.spec import Work
from tutor.xray.model import stages


class ServerMessage(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A message between the server and its caller, recognised by the name of its class."""


# --- requests -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Submission:
    """A learner's submission. `device`: "auto", "cpu" or "cuda". `seed` replays a verdict. `profile`
    requests the times of single kernels. `target` is the GPU that a kernel is compiled for if this
    machine has none ("sm_90"); "" means the GPU in the settings."""

    exercise: str
    source: str
    filename: str
    device: str = "auto"
    timing: bool = True
    seed: int | None = None
    profile: bool = False
    target: str = ""


class SubmitRequest(ServerMessage, frozen=True):
    submission: Submission


class CellRequest(ServerMessage, frozen=True):
    """`Judge.run_cell`."""

    session: str
    code: str
    mode: str
    evaluate: tuple[str, ...]
    seconds: float
    exercise_kind: str
    filename: str
    echo: bool
    trace: bool = False


class PrepareRequest(ServerMessage, frozen=True):
    """Have torch.compile's version of an exercise compiled in the background."""

    exercise: str


class InputsRequest(ServerMessage, frozen=True):
    """Ask for shapes and types of an exercise's timed inputs, or of its first case without them."""

    exercise: str


class AccessRequest(ServerMessage, frozen=True):
    """`Judge.access`."""

    exercise: str
    source: str
    filename: str
    case: str


class XrayCall(ServerMessage, frozen=True):
    request: stages.Request


class EndSession(ServerMessage, frozen=True):
    session: str


class WarmRequest(ServerMessage, frozen=True):
    """Warm a mode up: the named one, else the one that judges kernels on `device`. With `wait` the
    answer comes when it is warm."""

    mode: str = ""
    device: str = "auto"
    wait: bool = True


class Cancel(ServerMessage, frozen=True):
    """Stop the current call. Ignored if there is none."""


class Leave(ServerMessage, frozen=True):
    """The caller ends, between two calls: the server may serve another one. Has no answer."""


ServerRequest = (
    SubmitRequest
    | CellRequest
    | PrepareRequest
    | InputsRequest
    | AccessRequest
    | XrayCall
    | EndSession
    | WarmRequest
    | Cancel
    | Leave
)

# --- events ---------------------------------------------------------------------------------------


class Ready(ServerMessage, frozen=True):
    """The server has started; nobody asked."""


class Done(ServerMessage, frozen=True):
    """The last message of a call."""


class Refused(ServerMessage, frozen=True):
    """Instead of `Done`: the call failed. `status` is the exit status of the error."""

    reason: str
    status: int


class RecordEvent(ServerMessage, frozen=True):
    """A record of one of the types in `_RECORDS`, by the name of its class."""

    kind: str
    record: Raw

    @classmethod
    def of(cls, record: Any) -> "RecordEvent":
        return cls(type(record).__name__, Raw(msgpack.encode(record)))

    def decoded(self) -> Any:
        """Return the record. Raises `KeyError` or `msgspec.MsgspecError` if it is none of ours."""
        return _RECORDS[self.kind].decode(self.record)


class CellEnded(ServerMessage, frozen=True):
    """`events.CellDone`; `values` is a JSON object, as msgpack has no integers of more than 64 bits."""

    ok: bool
    error: str = ""
    values: str = "{}"
    ms: float = 0.0
    lost: bool = False
    trace: str = ""


class SpecsEvent(ServerMessage, frozen=True):
    """Inputs as `tutor xray --input` takes them, and the least work for them."""

    specs: tuple[str, ...]
    work: Work


class LinksEvent(ServerMessage, frozen=True):
    links: list[tuple[str, int, str, int, str]]  # the fields of `stages.Link`


ServerEvent = Ready | Done | Refused | RecordEvent | CellEnded | SpecsEvent | LinksEvent

TO_SERVER: Decoder[ServerRequest] = Decoder(ServerRequest)
FROM_SERVER: Decoder[ServerEvent] = Decoder(ServerEvent)
CANCEL: Decoder[Cancel] = Decoder(Cancel)

_RECORDS: dict[str, Decoder[Any]] = {
    each.__name__: Decoder(each)
    for each in (
        verdict.CaseResult,
        verdict.Diagnosis,
        verdict.Timing,
        verdict.Verdict,
        Started,
        Progress,
        Provisional,
        CellOutput,
        access_map.AccessMap,
        stages.Stage,
        stages.Failure,
        stages.XrayDone,
    )
}
