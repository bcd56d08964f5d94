"""Messages between the server and its trusted helpers: the keeper, the templates, and the process that
times torch.compile. No torch."""

from tutor.judge.model.keeper_messages import Surroundings
from tutor.judge.model.message_format import MessageDecoder
from tutor.judge.processes.worker_messages.records import WorkerMessage

# --- templates -----------------------------------------------------------------------------------


class WantTemplate(WorkerMessage, frozen=True):
    """A server's message to the keeper: it wants workers of a mode. The channel is attached on which the
    template is to answer it."""

    mode: str


class NewServer(WorkerMessage, frozen=True):
    """The keeper's message to a template: that channel, and what the server's workers get."""

    surroundings: Surroundings


class TemplateWarm(WorkerMessage, frozen=True):
    """A template's message to the keeper: a worker that is forked from it begins without delay."""


class TemplateReady(WorkerMessage, frozen=True):
    """A template's message to a server: everything is imported. `folder` holds the workers' folders,
    `pid` is the template's process."""

    folder: str
    pid: int


class CannotImport(WorkerMessage, frozen=True):
    """The template ends because an import failed. Holds the text of the `ImportError`."""

    error: str


class Fork(WorkerMessage, frozen=True):
    """A server's message to a template: fork a worker. Two descriptors are attached: the worker's
    channel and the pipe for its printed output."""


class Forked(WorkerMessage, frozen=True):
    """A worker was forked."""

    pid: int


class Exited(WorkerMessage, frozen=True):
    """A worker has ended, with this wait status."""

    pid: int
    status: int


TemplateAnswer = TemplateReady | CannotImport | Forked | Exited
TO_TEMPLATE: MessageDecoder[NewServer] = MessageDecoder(NewServer)
WARM_TEMPLATE: MessageDecoder[TemplateWarm] = MessageDecoder(TemplateWarm)
FORKS: MessageDecoder[Fork] = MessageDecoder(Fork)
FROM_TEMPLATE: MessageDecoder[TemplateAnswer] = MessageDecoder(TemplateAnswer)

# --- callers -------------------------------------------------------------------------------------


class CallerLeft(WorkerMessage, frozen=True):
    """A server's message to the keeper: its caller has left, and it would serve another one."""


class NextCaller(WorkerMessage, frozen=True):
    """The keeper's answer, once one comes. The caller's channel and its log are attached."""


KeeperRequest = WantTemplate | CallerLeft
TO_KEEPER: MessageDecoder[KeeperRequest] = MessageDecoder(KeeperRequest)
FROM_KEEPER: MessageDecoder[NextCaller] = MessageDecoder(NextCaller)

# --- torch.compile's baseline ---------------------------------------------------------------------


class CompileBaseline(WorkerMessage, frozen=True):
    """Compile the reference's function with torch.compile."""

    path: str  # of a reference.py
    device: str


class LayOutBaseline(WorkerMessage, frozen=True):
    """Make the ring of inputs that rounds cycle through."""

    path: str
    device: str
    seed: int
    shifts: list[int]


class TimeBaseline(WorkerMessage, frozen=True):
    """Time that many calls of the baseline on the inputs laid out."""

    samples: int


class ForgetInputs(WorkerMessage, frozen=True):
    """Free the ring's memory. Has no answer."""


class BaselineReady(WorkerMessage, frozen=True):
    """The baseline is compiled, or its inputs are laid out."""


class BaselineFailed(WorkerMessage, frozen=True):
    """torch.compile, or the function, does not work here."""

    reason: str  # a sentence


class BaselineTimes(WorkerMessage, frozen=True):
    """The milliseconds of each call."""

    ms: list[float]


BaselineQuestion = CompileBaseline | LayOutBaseline | TimeBaseline | ForgetInputs
BaselineAnswer = BaselineReady | BaselineFailed | BaselineTimes
TO_BASELINE: MessageDecoder[BaselineQuestion] = MessageDecoder(BaselineQuestion)
FROM_BASELINE: MessageDecoder[BaselineAnswer] = MessageDecoder(BaselineAnswer)
