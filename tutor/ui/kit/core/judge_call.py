"""Read the judge's events in a thread. The newest call wins, and every call ends."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Generic, TypeVar

from tutor.base.errors import CannotHere, UsageError
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.core.services import Services

E = TypeVar("E")


def ignore(event: object) -> None:
    """Drop an event that came too late."""


def cancel_judge(tutor: Services) -> None:
    """Stop what the judge does now. May be called from any thread."""
    tutor.judge.cancel()


@dataclass(frozen=True, eq=False)
class Turn(Generic[E]):
    """A call: `read` blocks in the thread, the other three are called in the application's thread.

    While the turn is the newest, `take` gets events in batches. Then `end` is called once, with a
    sentence on why no more events come, or "". `late` gets each event of an outdated turn.
    """

    read: Callable[[], Iterable[E]]
    take: Callable[[list[E]], None]
    end: Callable[[str], None]
    late: Callable[[E], None] = ignore


class JudgeCall(Generic[E]):
    """Makes one call at a time for `screen`; `name` begins the sentence on an unexpected error.

    `cancel` stops what is being read. It gets the application, since a screen that is gone no longer
    finds it, and may be called from any thread. At least `every` seconds lie between two batches.
    """

    def __init__(
        self,
        screen: TutorScreen,
        name: str,
        cancel: Callable[[Services], None] = cancel_judge,
        every: float = 0.0,
    ) -> None:
        self._screen, self._name, self._every = screen, name, every
        self._cancel = cancel
        self.running = False
        self.turn: Turn[E] | None = None

    def start(self, turn: Turn[E]) -> None:
        """Begin `turn`; one under way is outdated and cancelled."""
        self.stop()
        self.turn, self.running = turn, True
        work = partial(self._read, turn)
        self._screen.run_worker(work, thread=True, group="judge", exit_on_error=False)

    def stop(self) -> None:
        """Outdate the turn under way: its `end` is not called."""
        self.turn = None
        if self.running:
            self.running = False
            self._cancel(self._screen.tutor)

    def _read(self, turn: Turn[E]) -> None:
        """In a thread. The events of an outdated turn are read to their end, because the next turn
        waits for that."""
        if turn is not self.turn:
            return
        screen, app = self._screen, self._screen.app  # the screen may go before the events end
        tutor = screen.tutor
        batch: list[E] = []
        posted = 0.0
        trouble = ""
        try:
            for event in turn.read():
                batch.append(event)
                if turn is self.turn:
                    if monotonic() - posted < self._every:
                        continue
                    if screen.call_later(self.deliver, turn, batch):
                        batch, posted = [], monotonic()
                        continue
                self._cancel(tutor)
                for late_event in batch:
                    app.call_later(turn.late, late_event)
                batch = []
        except (CannotHere, UsageError) as error:
            trouble = str(error)
        except Exception as error:  # a fault in this program must not look like endless work
            trouble = f"{self._name} failed: {type(error).__name__}: {error}"
        if not screen.call_later(self.deliver, turn, batch, trouble):  # the screen is gone
            for late_event in batch:
                app.call_later(turn.late, late_event)

    def deliver(self, turn: Turn[E], events: list[E], trouble: str | None = None) -> None:
        """Hand over a batch in the application's thread; `trouble` is None if more may come."""
        if turn is not self.turn or not self.running or self._screen.is_left:
            for event in events:
                turn.late(event)
            return
        if events:
            turn.take(events)
        if trouble is not None and turn is self.turn:
            self.running = False
            turn.end(trouble)
