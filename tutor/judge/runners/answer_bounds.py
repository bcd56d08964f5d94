"""Bounds on what a runner answers. Its machine is not ours: an answer to another question, or an
endless one, ends the connection, and nothing of it is kept."""

from dataclasses import replace
from typing import Any

from tutor.judge.model.caller_messages import Refused, ServerRequest, Submission
from tutor.judge.model.events import Progress, Provisional
from tutor.judge.model.runner_messages import Greeted
from tutor.judge.model.verdict import Verdict

_MOST_EVENTS = 20_000  # of a call: cases, times, stages, links
_MOST_STEPS = 500  # of a call: what its progress says
_MOST_BYTES = 256 << 20  # of a call; the stages of a large model are some megabytes
_MOST_OF_A_VERDICT = 4 << 20  # bytes; one with an example and its maps has some kilobytes
_MOST_CAUSES, _MOST_CASES = 200, 2_000
_LONGEST_PROGRESS = 200  # characters
_LONGEST_NAME, _MOST_PACKAGES = 1_000, 50  # of a greeting


class Excess(Exception):
    """The runner sent what it may not; the message says what, as half a sentence."""


class CallBounds:
    """The bounds of one call. `request` is what was asked."""

    def __init__(self, request: ServerRequest) -> None:
        self._request = request
        self._events = self._steps = self._bytes = 0

    def admit(self, event: Any, size: int) -> Any:
        """Return the event, its text cut where it is only shown. `size` is that of its message, in
        bytes. Raises `Excess`."""
        self._events, self._bytes = self._events + 1, self._bytes + size
        self._steps += isinstance(event, Progress)
        if self._events > _MOST_EVENTS or self._steps > _MOST_STEPS or self._bytes > _MOST_BYTES:
            raise Excess("it answers one call without end")
        if isinstance(event, Progress):
            return replace(event, text=" ".join(event.text[:_LONGEST_PROGRESS].split()))
        if isinstance(event, Refused):
            return Refused(event.reason[:_LONGEST_NAME], event.status, event.missing_inputs)
        verdict = event.verdict if isinstance(event, Provisional) else event
        if isinstance(verdict, Verdict):
            self._check_verdict(verdict, size)
        return event

    def _check_verdict(self, verdict: Verdict, size: int) -> None:
        asked = self._request.exercise if isinstance(self._request, Submission) else ""
        if verdict.exercise != asked:
            raise Excess(f"it answered for {verdict.exercise[:60]!r}, and {asked!r} was asked")
        if (
            size > _MOST_OF_A_VERDICT
            or len(verdict.diagnosis) > _MOST_CAUSES
            or len(verdict.cases) > _MOST_CASES
        ):
            raise Excess("its verdict is longer than one can be")
        if verdict.passed and not verdict.cases:
            raise Excess("its verdict is right on no case")


def find_fault_of_greeting(greeted: Greeted) -> str:
    """Return what is wrong with a greeting, as half a sentence; "" if nothing is."""
    texts = [greeted.version, greeted.messages, greeted.host, greeted.python, greeted.clone]
    texts += [*greeted.packages, *greeted.packages.values()]
    if len(greeted.packages) > _MOST_PACKAGES:
        return "it names too many packages"
    if any(len(text) > _LONGEST_NAME or not text.isprintable() for text in texts):
        return "it introduces itself with what is no name"
    return ""
