"""Requests of the judge's callers to its server, and the events they get. No torch."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.msgpack import Decoder

from tutor.judge.model import access_map, verdict
from tutor.judge.model.events import CellOutput, Progress, Started, XrayDone
from tutor.xray.model import stages


class ServerMessage(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A message between the server and its caller, recognised by the name of its class."""


# --- requests -------------------------------------------------------------------------------------


class SubmitRequest(ServerMessage, frozen=True):
    """`client.Submission`."""

    exercise: str
    source: str
    filename: str
    device: str
    timing: bool
    seed: int | None
    profile: bool
    target: str


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
    """Wait until a mode is warm: the named one, else the one that judges kernels on `device`."""

    mode: str = ""
    device: str = "auto"


class Cancel(ServerMessage, frozen=True):
    """Stop the current call. Ignored if there is none."""


ServerRequest = (
    SubmitRequest | CellRequest | PrepareRequest | InputsRequest | AccessRequest | XrayCall
    | EndSession | WarmRequest | Cancel
)  # fmt: skip

# --- events ---------------------------------------------------------------------------------------


class Ready(ServerMessage, frozen=True):
    """The server has started; nobody asked."""


class Done(ServerMessage, frozen=True):
    """The last message of a call."""


class Refused(ServerMessage, frozen=True):
    """Instead of `Done`: the call failed. `status` is the exit status of the error."""

    reason: str
    status: int


class CaseEvent(ServerMessage, frozen=True):
    record: verdict.CaseResult


class DiagnosisEvent(ServerMessage, frozen=True):
    record: verdict.Diagnosis


class TimingEvent(ServerMessage, frozen=True):
    record: verdict.Timing


class VerdictEvent(ServerMessage, frozen=True):
    record: verdict.Verdict


class StartedEvent(ServerMessage, frozen=True):
    record: Started


class ProgressEvent(ServerMessage, frozen=True):
    record: Progress


class OutputEvent(ServerMessage, frozen=True):
    record: CellOutput


class CellEnded(ServerMessage, frozen=True):
    """`events.CellDone`; `values` is a JSON object, as msgpack has no integers of more than 64 bits."""

    ok: bool
    error: str = ""
    values: str = "{}"
    ms: float = 0.0
    lost: bool = False


class SpecsEvent(ServerMessage, frozen=True):
    record: tuple[str, ...]


class AccessEvent(ServerMessage, frozen=True):
    record: access_map.AccessMap


class StageEvent(ServerMessage, frozen=True):
    record: stages.Stage


class FailureEvent(ServerMessage, frozen=True):
    record: stages.Failure


class LinksEvent(ServerMessage, frozen=True):
    links: list[tuple[str, int, str, int, str]]  # the fields of `stages.Link`


class XrayEvent(ServerMessage, frozen=True):
    record: XrayDone


RecordEvent = (
    CaseEvent | DiagnosisEvent | TimingEvent | VerdictEvent | StartedEvent | ProgressEvent
    | OutputEvent | SpecsEvent | AccessEvent | StageEvent | FailureEvent | XrayEvent
)  # fmt: skip
ServerEvent = Ready | Done | Refused | RecordEvent | CellEnded | LinksEvent

TO_SERVER: Decoder[ServerRequest] = Decoder(ServerRequest)
FROM_SERVER: Decoder[ServerEvent] = Decoder(ServerEvent)
CANCEL: Decoder[Cancel] = Decoder(Cancel)

_EVENTS: dict[type, Callable[[Any], RecordEvent]] = {
    verdict.CaseResult: CaseEvent,
    verdict.Diagnosis: DiagnosisEvent,
    verdict.Timing: TimingEvent,
    verdict.Verdict: VerdictEvent,
    Started: StartedEvent,
    Progress: ProgressEvent,
    CellOutput: OutputEvent,
    access_map.AccessMap: AccessEvent,
    stages.Stage: StageEvent,
    stages.Failure: FailureEvent,
    XrayDone: XrayEvent,
}


def event_of(record: Any) -> RecordEvent:
    """The message that carries `record`."""
    return _EVENTS[type(record)](record)
