"""A run of the judge that leaves out each of Triton's passes in turn, and the rows that it has found."""

from collections.abc import Callable
from dataclasses import replace

from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.ladder.xray_run import XrayRun
from tutor.xray.model.stages import Event, Failure, Omission
from tutor.xray.model.subject import Subject


class PassRun:
    """The rows of one kernel, in the order of its passes. `changed` is called where there are more.

    A run goes on while another page is open. What it found is kept until another kernel, text, input
    or target is asked for.
    """

    def __init__(self, screen: TutorScreen) -> None:
        self.rows: list[Omission] = []
        self.trouble = ""  # why there are no more rows
        self.changed: Callable[[], None] = lambda: None
        self._subject: Subject | None = None
        self._xray = XrayRun(screen, self._take, self._end)

    @property
    def running(self) -> bool:
        return self._xray.running

    @property
    def took(self) -> float:
        """Seconds of the last run."""
        return self._xray.took

    @property
    def whole(self) -> Omission | None:
        """The row of the kernel with all its passes, once it is there."""
        return next((row for row in self.rows if not row.name), None)

    @property
    def is_whole(self) -> bool:
        """Return True once there is a row for every pass."""
        return bool(self.rows) and len(self.rows) == self.rows[0].of + 1

    def ask_for(self, subject: Subject, kernel: str) -> None:
        """Begin, unless these rows are there or on their way."""
        asked = replace(subject, passes=False, without=("all",), of_kernel=kernel)
        if asked == self._subject and (self.running or self.is_whole):
            return
        self._subject = asked
        self.begin()

    def begin(self) -> None:
        """Find all rows anew."""
        assert self._subject is not None
        self.rows, self.trouble = [], ""
        self._xray.start(self._subject, self._subject.source)
        self.changed()

    def stop(self) -> None:
        if self.running:
            self._xray.stop()
            self.trouble = "Stopped."
            self.changed()

    def _take(self, events: list[Event]) -> None:
        rows = [event for event in events if isinstance(event, Omission)]
        failures = [event.sentence for event in events if isinstance(event, Failure)]
        if failures and not self.rows:  # of the whole kernel
            self.trouble = failures[0]
        if rows:
            self.rows = sorted([*self.rows, *rows], key=lambda row: row.place)
            self.changed()

    def _end(self, trouble: str) -> None:
        self.trouble = trouble or ("" if self.rows else self.trouble)
        self.changed()
