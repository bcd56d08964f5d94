"""Questions about a right program: asked from the lab, kept, and led to the access map."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from seen_programs import SOURCE, seen_addition

from tutor.base import paths
from tutor.base.errors import CannotHere, StorageError, UsageError
from tutor.judge.client import Event
from tutor.judge.model.access_map import AccessMap
from tutor.judge.model.verdict import CaseResult, Latency, Verdict
from tutor.judge.model.witness import ProgramRecord
from tutor.judge.questions.program_question import StagePlace
from tutor.memory.store.rows import CardId, JudgedProgram
from tutor.ui.kit.widgets.press import Press
from tutor.ui.lab.program_questions import ProgramQuestionsScreen
from tutor.ui.lab.screen import LabScreen
from tutor.ui.ladder.screen import LadderScreen
from tutor.ui.question.field import Foot
from tutor.ui.question.question_view import QuestionView
from tutor.ui.verdict.access_map import AccessScreen
from tutor.xray.model.stages import Stage

SLUG = "vector_add"
SIX = CaseResult("six", "f32[6]", True, 0.0, 1e-6)
RIGHT = Verdict(SLUG, True, "cpu-interpreter", cases=(SIX,), latency_ms=Latency(4.0, None, 9.0))


class Seen:
    """A judge that takes any text for right, and has seen the addition of six numbers."""

    may_have_gpu = False
    runner = None

    def __init__(self, trouble: str = "") -> None:
        self.trouble, self.asked = trouble, 0

    def submit(self, _: object) -> Iterator[Event]:
        yield RIGHT

    def record_program(self, *_: object) -> ProgramRecord:
        self.asked += 1
        if self.trouble:
            raise UsageError(self.trouble)
        return seen_addition()

    def inputs(self, _: str) -> tuple[str, ...]:
        raise CannotHere("no ladder here")

    def access(self, *_: object) -> AccessMap:
        return seen_addition().access

    def cancel(self) -> None:
        pass


def set_up(host: Host, trouble: str = "") -> None:
    host.judge = Seen(trouble)  # type: ignore[assignment]
    host.record.activity.attempt(JudgedProgram(SLUG, SOURCE, {}, True, "cpu"))


async def asked(pilot, host: Host) -> ProgramQuestionsScreen:
    await show(pilot, ProgramQuestionsScreen(SLUG, SOURCE, f"{SLUG}.py"))
    screen = host.screen
    assert isinstance(screen, ProgramQuestionsScreen)
    await until(pilot, lambda: screen.stage != "computing")
    return screen


def right_answer(host: Host) -> str:
    return str(host.screen.query_one(QuestionView).question.answer)


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_two_questions_are_asked_kept_and_counted(host: Host, size: tuple[int, int]) -> None:
    set_up(host)
    async with host.run_test(size=size) as pilot:
        screen = await asked(pilot, host)
        assert "say what yours does" in seen(host)
        assert "1 of 2" in seen(host)
        assert [each.kind for each in screen.asked].count("programs") == 0
        foot = screen.query_one(Foot)
        assert foot.query_one(Press).region.y == foot.query_one(".note").region.y
        await pilot.press(*right_answer(host), "enter")
        await until(pilot, lambda: screen.stage == "shown")
        assert "Right" in seen(host)
        assert host.record.program_answers.open_count(SLUG) == 1
        await pilot.press("enter")
        await until(pilot, lambda: screen.stage == "asking")
        await pilot.press("7", "7", "7", "enter")
        await until(pilot, lambda: screen.stage == "shown")
        assert host.record.program_answers.open_count(SLUG) == 0
        assert "Wrong" in seen(host)
        await pilot.press("enter")
        await until(pilot, lambda: "1 of 2 answers right. vector_add returns on" in seen(host))
        await pilot.press("enter")
        await pilot.pause()
        assert host.screen is not screen
        rated = [
            r.rating for r in host.record.reviews.history(CardId("exercise", SLUG)) if not r.undone
        ]
        assert rated == [2]


async def test_a_wrong_answer_leads_to_its_program_in_the_access_map(host: Host) -> None:
    set_up(host)
    async with host.run_test(size=WIDE) as pilot:
        screen = await asked(pilot, host)
        place = screen.asked[0].place
        await pilot.press("f3")
        await until(pilot, lambda: screen.stage == "shown")
        assert "See it in the access map" in seen(host)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(host.screen, AccessScreen))
        found = host.screen
        assert isinstance(found, AccessScreen)
        await until(pilot, lambda: found.access_map is not None)
        assert (found.program, found.step_at) == (place.program, place.step)
        await pilot.press("escape")
        await pilot.pause()
        assert host.screen is screen
        assert screen.stage == "shown", "the explanation is still there"


async def test_a_missed_question_on_the_ladder_leads_to_its_stage(host: Host) -> None:
    set_up(host)
    async with host.run_test(size=WIDE) as pilot:
        screen = await asked(pilot, host)
        place = StagePlace("sass:add_kernel", 3)
        screen.asked = [replace(screen.asked[0], place=place), *screen.asked[1:]]
        await pilot.press("f3")
        await until(pilot, lambda: screen.stage == "shown")
        assert "See it in the ladder" in seen(host)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(host.screen, LadderScreen))
        ladder = host.screen
        assert isinstance(ladder, LadderScreen)
        sass = Stage("sass", "SASS", "sass", "LDG\nFADD\nSTG\n", kernel="add_kernel")
        ladder.take_events([Stage("source", "Source", "python", "def add(): ..."), sass])
        await pilot.pause()
        assert (ladder.panes.first.key, ladder.panes.first.line) == ("sass:add_kernel", 3)


async def test_an_answer_that_cannot_be_stored_is_not_shown_as_stored(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(host)
    async with host.run_test(size=WIDE) as pilot:
        screen = await asked(pilot, host)

        def full(*_: object) -> None:
            raise StorageError("the disk is full")

        typed = right_answer(host)
        with monkeypatch.context() as broken:
            broken.setattr(host.record.program_answers, "keep", full)
            await pilot.press(*typed, "enter")
            await until(pilot, lambda: "not stored yet" in seen(host))
            assert screen.stage == "asking"
        await pilot.press("tab", "n")
        await until(pilot, lambda: screen.stage == "shown")
        assert host.record.program_answers.open_count(SLUG) == 1


async def test_what_is_typed_and_left_comes_back(host: Host) -> None:
    set_up(host)
    async with host.run_test(size=WIDE) as pilot:
        await asked(pilot, host)
        await pilot.press("1", "2", "escape")
        await pilot.pause()
        await asked(pilot, host)
        assert host.screen.query_one(QuestionView).field.text == "12"


async def test_left_out_once_it_is_free_and_then_counted(host: Host) -> None:
    set_up(host)
    async with host.run_test(size=WIDE) as pilot:
        await asked(pilot, host)
        assert "F11 leaves them out. Leaving them out costs nothing this once." in seen(host)
        await pilot.press("f11")
        await pilot.pause()
        assert not isinstance(host.screen, ProgramQuestionsScreen)
        assert not host.record.program_answers.may_leave_out(SLUG)
        assert host.record.program_answers.open_count(SLUG) == 0


async def test_a_judge_that_has_seen_nothing_says_why(host: Host) -> None:
    set_up(host, "there is nothing to ask about: no kernel of yours was launched")
    async with host.run_test(size=WIDE) as pilot:
        screen = await asked(pilot, host)
        assert screen.stage == "trouble"
        assert "no kernel of yours was launched" in seen(host)
        await pilot.press("escape")
        await pilot.pause()
        assert host.screen is not screen


async def test_the_lab_offers_them_after_a_right_answer_until_they_are_answered(
    host: Host,
) -> None:
    host.judge = Seen()  # type: ignore[assignment]
    paths.ensure(paths.work_dir())
    (Path(paths.work_dir()) / f"{SLUG}.py").write_text(SOURCE)
    async with host.run_test(size=WIDE) as pilot:
        await show(pilot, LabScreen(SLUG))
        assert "say what yours does" not in seen(host)
        await pilot.press("s")
        await until(pilot, lambda: "say what yours does: 2 questions" in seen(host))
        await pilot.press("p")
        await until(pilot, lambda: isinstance(host.screen, ProgramQuestionsScreen))
        screen = host.screen
        assert isinstance(screen, ProgramQuestionsScreen)
        await until(pilot, lambda: screen.stage == "asking")
        await pilot.press("f3")
        await until(pilot, lambda: screen.stage == "shown")
        await pilot.press("escape")
        await until(pilot, lambda: "say what yours does: 1 question\n" in seen(host))
        await pilot.press("p")
        await until(pilot, lambda: isinstance(host.screen, ProgramQuestionsScreen))
        other = host.screen
        assert isinstance(other, ProgramQuestionsScreen)
        await until(pilot, lambda: other.stage == "asking")
        assert [each.kind for each in other.asked] == [screen.asked[1].kind]
        await pilot.press("f3", "enter", "enter")
        await until(pilot, lambda: isinstance(host.screen, LabScreen))
        await until(pilot, lambda: "say what yours does" not in seen(host))


async def test_an_exercise_without_a_kernel_offers_none(host: Host) -> None:
    host.judge = Seen()  # type: ignore[assignment]
    async with host.run_test(size=WIDE, notifications=True) as pilot:
        await show(pilot, LabScreen("schedule_order"))
        await pilot.press("p")
        await until(pilot, lambda: "this exercise has none of" in seen(host))
