"""Running an X-ray for a screen: in a thread, its stages shown as they arrive, the newest wins."""

from dataclasses import dataclass
from time import monotonic

from textual import on, work
from textual.message import Message
from textual.worker import Worker, WorkerState

from tutor.base.errors import CannotHere, UsageError
from tutor.judge.xray_client import XrayDone
from tutor.ui.kit.core.screen import TutorScreen
from tutor.xray.model.stages import Event, Request

_TELL_EVERY = 0.05  # seconds: links come by the ten thousand


@dataclass
class Arrived(Message):
    """What run number `turn` has brought since the last message; `ended` says it is the last."""

    turn: int
    events: list[Event]
    ended: bool = False
    trouble: str = ""
    device: str = ""


class XrayScreen(TutorScreen):
    """A screen that runs one X-ray at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.running = False
        self.started = 0.0
        self.took = 0.0  # seconds, of the run that ended last
        self.device = ""  # "pretend" or "real", once a run has ended
        self._turn = 0

    def arrived(self, events: list[Event]) -> None:
        """Called with each batch of stages, links and failures."""

    def ended(self, trouble: str) -> None:
        """Called once a run is over; `trouble` is why it brought nothing more, or ""."""

    def run_xray(self, request: Request) -> None:
        """Begin; a run under way gives way to this one."""
        if self.running:
            self.tutor.judge.cancel()
        self._turn += 1
        self.running = True
        self.started = monotonic()
        self._listen(self._turn, request)

    def stop_xray(self) -> None:
        self._turn += 1
        if self.running:
            self.running = False
            self.took = monotonic() - self.started
            self.tutor.judge.cancel()

    @work(thread=True, group="judge", exit_on_error=False)
    def _listen(self, turn: int, request: Request) -> None:
        """In a thread: the judge's calls block, and one waits for the one before it to end. What
        an outdated run still says is read, and dropped."""
        if turn != self._turn:
            return
        events: list[Event] = []
        told = 0.0
        trouble = device = ""
        try:
            for event in self.tutor.judge.xray(request):
                if turn != self._turn:
                    self.tutor.judge.cancel()
                    continue
                if isinstance(event, XrayDone):
                    device = event.device
                    continue
                events.append(event)
                if monotonic() - told >= _TELL_EVERY:
                    self.post_message(Arrived(turn, events))
                    events, told = [], monotonic()
        except (CannotHere, UsageError) as error:
            trouble = str(error)
        self.post_message(Arrived(turn, events, ended=True, trouble=trouble, device=device))

    @on(Worker.StateChanged)
    def listening_failed(self, event: Worker.StateChanged) -> None:
        """A fault in this program must not look like lowering without end."""
        if event.worker.group == "judge" and event.state == WorkerState.ERROR:
            trouble = f"The X-ray failed: {event.worker.error!r}"
            self.post_message(Arrived(self._turn, [], ended=True, trouble=trouble))

    @on(Arrived)
    def take(self, message: Arrived) -> None:
        message.stop()
        if message.turn != self._turn or not self.running:
            return
        if message.events:
            self.arrived(message.events)
        if message.ended:
            self.running = False
            self.took = monotonic() - self.started
            self.device = message.device or self.device
            self.ended(message.trouble)
