"""Requests of the judge's callers to its server, and the events they get. No torch.

Where a record says it all, the record itself is the message: a `Submission` is a request, a `Verdict`
an event.
"""

from dataclasses import dataclass

from msgspec import Struct

from tutor.judge.model.access_map import AccessMap
from tutor.judge.model.case_table import CaseTable
from tutor.judge.model.events import CellDone, CellOutput, Progress, Provisional, Started
from tutor.judge.model.message_format import MessageDecoder
from tutor.judge.model.verdict import CaseResult, Diagnosis, Timing, Verdict, WrongExample
from tutor.judge.model.witness import ProgramRecord
from tutor.judge.spec import Work
from tutor.xray.model.stages import Failure, Links, Omission, Request, Stage, XrayDone


class ServerMessage(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A message between the server and its caller, recognised by the name of its class."""


# --- requests -------------------------------------------------------------------------------------


LARGEST_SEED = 1 << 62  # each case adds a little to it, and a message holds 64 bits


@dataclass(frozen=True)
class Submission:
    """A learner's submission. `device`: "auto", "cpu" or "cuda". `seed` replays a verdict. `profile`
    requests the times of single kernels. `target` is the GPU that a kernel is compiled for if this
    machine has none ("sm_90"); "" means the GPU in the settings. `explain`: look closer at a wrong
    answer, for the smallest example on which it is wrong and the smallest change that makes it right."""

    exercise: str
    source: str
    filename: str
    device: str = "auto"
    timing: bool = True
    seed: int | None = None
    profile: bool = False
    target: str = ""
    explain: bool = False


class CellRequest(ServerMessage, frozen=True):
    """`Judge.run_cell` and `Judge.run_scratch`. With `exercise_kind`, `mode` does not count."""

    session: str
    code: str
    filename: str
    seconds: float
    mode: str = "interpret"
    evaluate: tuple[str, ...] = ()
    exercise_kind: str = ""
    echo: bool = False
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
    example: WrongExample | None = None


class ProgramRequest(ServerMessage, frozen=True):
    """`Judge.record_program`."""

    exercise: str
    source: str
    filename: str


class CasesRequest(ServerMessage, frozen=True):
    """`Judge.play_cases`."""

    exercise: str
    texts: tuple[str, ...]
    own: str = ""
    shown: bool = True


class EndSession(ServerMessage, frozen=True):
    """End the processes that run the cells of a session."""

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
    Submission
    | CellRequest
    | PrepareRequest
    | InputsRequest
    | AccessRequest
    | ProgramRequest
    | CasesRequest
    | Request
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
    """Instead of `Done`: the call failed. `status` is the exit status of the error; `missing_inputs`: a
    call of the learner's function lacks arguments."""

    reason: str
    status: int
    missing_inputs: bool = False


class TimedInputs(ServerMessage, frozen=True):
    """Inputs as `tutor xray --input` takes them, and the least work for them."""

    specs: tuple[str, ...]
    work: Work


ServerEvent = (
    Ready
    | Done
    | Refused
    | Started
    | Progress
    | Provisional
    | CaseResult
    | Diagnosis
    | Timing
    | Verdict
    | CellOutput
    | CellDone
    | TimedInputs
    | AccessMap
    | ProgramRecord
    | CaseTable
    | Stage
    | Links
    | Failure
    | Omission
    | XrayDone
)

TO_SERVER: MessageDecoder[ServerRequest] = MessageDecoder(ServerRequest)
FROM_SERVER: MessageDecoder[ServerEvent] = MessageDecoder(ServerEvent)
CANCEL: MessageDecoder[Cancel] = MessageDecoder(Cancel)
