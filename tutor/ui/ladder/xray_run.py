"""An X-ray for a screen. Stages are shown as they arrive, and the newest run wins."""

from collections.abc import Callable, Iterator
from time import monotonic

from tutor.base.errors import CannotHere
from tutor.judge.xray_relay import STOPPED
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import TutorScreen
from tutor.xray.model.stages import Event, Failure, XrayDone
from tutor.xray.model.subject import Subject

INTERRUPTED = "The judge was called for something else, such as your saved file."

_TELL_EVERY = 0.05  # seconds: there are ten thousands of links


class XrayRun:
    """Runs one X-ray at a time for `screen`. `take` gets its stages, links and failures in batches,
    `end` a sentence on why the run ended early, or ""."""

    def __init__(
        self,
        screen: TutorScreen,
        take: Callable[[list[Event]], None],
        end: Callable[[str], None],
    ) -> None:
        self.call: JudgeCall[Event] = JudgeCall(screen, "The X-ray", every=_TELL_EVERY)
        self.started = 0.0
        self.took = 0.0  # seconds, of the last run
        self.device = ""  # "pretend" or "real", once a run has ended
        self._screen, self._take, self._end = screen, take, end

    @property
    def running(self) -> bool:
        return self.call.running

    def start(self, subject: Subject, source: str) -> None:
        """X-ray `source` as the subject says. This stops a run that is under way."""
        self.started = monotonic()
        judge, device = self._screen.tutor.judge, ""

        def read() -> Iterator[Event]:
            nonlocal device
            stopped = False
            for event in judge.xray(subject.request(source)):
                if isinstance(event, XrayDone):
                    device = event.device
                elif isinstance(event, Failure) and event.sentence == STOPPED:
                    stopped = True
                else:
                    yield event
            if stopped:  # by another screen: a turn that this one stops is outdated
                raise CannotHere(INTERRUPTED)

        def end(trouble: str) -> None:
            self.took = monotonic() - self.started
            self.device = device or self.device
            self._end(trouble)

        self.call.start(Turn(read, self._take, end))

    def stop(self) -> None:
        if self.running:
            self.took = monotonic() - self.started
        self.call.stop()
