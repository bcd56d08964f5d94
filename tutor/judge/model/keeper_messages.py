"""Messages between the judge's callers and its keeper. No torch."""

from msgspec import Struct

from tutor.judge.model.message_format import MessageDecoder


class KeeperMessage(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A message between a caller and the keeper, recognised by the name of its class."""


class Surroundings(Struct, frozen=True, forbid_unknown_fields=True):
    """The environment, niceness (nice(2)) and cores of a caller, which its processes get."""

    environment: dict[bytes, bytes]
    niceness: int
    cores: list[int]


# --- requests -------------------------------------------------------------------------------------


class Hello(KeeperMessage, frozen=True):
    """The first message of a caller that wants a server. Its log is attached.

    `version` is that of the caller's program, `imports` identifies what counts when torch is imported
    (see `tutor.judge.connection.identity`). `preload` is False for an X-ray of a cold start, which
    imports only what the learner's file needs.
    """

    version: str
    imports: str
    course_root: str
    surroundings: Surroundings
    keep_seconds: float
    preload: bool = True


class AskStatus(KeeperMessage, frozen=True):
    """Ask what the keeper holds, instead of `Hello`."""


class AskStop(KeeperMessage, frozen=True):
    """Have the keeper end, instead of `Hello`: once its callers have left, or with `now` at once."""

    now: bool


# --- answers --------------------------------------------------------------------------------------


class Welcome(KeeperMessage, frozen=True):
    """The caller is served; `server` is the id of its server process. The rest of the conversation is
    in `tutor.judge.model.caller_messages`."""

    server: int


class Outdated(KeeperMessage, frozen=True):
    """The keeper runs another version of the program. It takes no more callers: start another one."""


class Elsewhere(KeeperMessage, frozen=True):
    """The keeper's imports would not be those of the caller; `reason` is a sentence."""

    reason: str


class NotImported(KeeperMessage, frozen=True):
    """A package is missing; `reason` is a sentence."""

    reason: str


class Held(Struct, frozen=True, forbid_unknown_fields=True):
    """A process below the keeper. `what` is "server" or a mode; `bytes` is its own memory."""

    what: str
    pid: int
    bytes: int
    seconds: float


class Status(KeeperMessage, frozen=True):
    """The answer on what the keeper holds. `ends_in` is in seconds, or None while it has callers."""

    pid: int
    version: str
    seconds: float
    bytes: int
    keep_seconds: float
    ends_in: float | None
    held: list[Held]


KeeperRequest = Hello | AskStatus | AskStop
KeeperAnswer = Welcome | Outdated | Elsewhere | NotImported | Status
TO_FRONT: MessageDecoder[KeeperRequest] = MessageDecoder(KeeperRequest)
FROM_FRONT: MessageDecoder[KeeperAnswer] = MessageDecoder(KeeperAnswer)
