"""A call of the judge from a screen: the newest wins, late events are handed over, every call ends."""

import threading
from collections.abc import Iterator

from doing import until
from textual.app import App

from tutor.base.errors import CannotHere
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import TutorScreen


class Calls:
    """A turn whose events come when the test lets them."""

    def __init__(self, *events: int | Exception) -> None:
        self.events, self.goes_on = events, threading.Event()
        self.taken: list[int] = []
        self.late: list[int] = []
        self.ended: list[str] = []

    @property
    def turn(self) -> Turn[int]:
        return Turn(self._read, self.taken.extend, self.ended.append, self.late.append)

    def _read(self) -> Iterator[int]:
        for event in self.events:
            self.goes_on.wait(20)
            if isinstance(event, Exception):
                raise event
            yield event


async def test_every_call_ends_whatever_is_raised() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = TutorScreen()
        await app.push_screen(screen)
        call: JudgeCall[int] = JudgeCall(screen, "The judge", lambda _: None)
        for error, said in (
            (CannotHere("no torch"), "no torch"),
            (KeyError("event"), "The judge failed: KeyError: 'event'"),
            (None, ""),
        ):
            calls = Calls(1, 2, error) if error else Calls(1, 2)
            calls.goes_on.set()
            call.start(calls.turn)
            await until(pilot, lambda: not call.running)
            assert (calls.taken, calls.ended) == ([1, 2], [said])


async def test_the_newest_call_wins_and_late_events_are_handed_over() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = TutorScreen()
        await app.push_screen(screen)
        cancelled: list[bool] = []
        call: JudgeCall[int] = JudgeCall(screen, "The judge", lambda _: cancelled.append(True))
        old, new = Calls(1, 2), Calls(3)
        call.start(old.turn)
        await pilot.pause(0.1)
        assert cancelled == []
        call.start(new.turn)
        assert cancelled == [True]
        old.goes_on.set()
        await until(pilot, lambda: old.late == [1, 2])
        assert len(cancelled) == 3, (
            "each event that is late shows that the judge has not stopped yet"
        )
        assert call.running
        new.goes_on.set()
        await until(pilot, lambda: not call.running)
        assert (new.taken, new.ended) == ([3], [""])
        assert (old.taken, old.ended) == ([], [])


async def test_a_screen_that_has_gone_gets_nothing() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = TutorScreen()
        await app.push_screen(screen)
        asked: list[object] = []
        call: JudgeCall[int] = JudgeCall(screen, "The judge", asked.append)
        calls = Calls(1)
        call.start(calls.turn)
        await app.pop_screen()
        assert screen.parent is None  # it no longer finds its application
        calls.goes_on.set()
        await until(pilot, lambda: calls.late == [1])
        assert asked == [app]
        assert (calls.taken, calls.ended) == ([], [])
