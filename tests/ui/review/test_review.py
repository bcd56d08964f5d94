"""A review with nothing but keys: questions, terms and kernels, rated, undone, put aside."""

import threading
from datetime import date, timedelta
from typing import Any

import pytest
from answering import keep_answer
from doing import SMALL, TINY, label_of, seen, show, until
from remembering import Reader, reader  # noqa: F401
from textual.pilot import Pilot
from textual.widgets import OptionList

from tutor.judge.model.verdict import TwistFinding, Verdict, to_json
from tutor.judge.twists.asked import hold_to_twist
from tutor.memory.card_list import title_of
from tutor.memory.course_sync import sync
from tutor.memory.store.rows import CardId, JudgedProgram
from tutor.ui.app import TutorApp
from tutor.ui.kit.dialogs.help import HelpScreen
from tutor.ui.lab.pages.solution import SolutionPage
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.question.program_field import ProgramEditor
from tutor.ui.question.question_view import QuestionView
from tutor.ui.review.card_views import rating_line
from tutor.ui.review.cards import CardsScreen
from tutor.ui.review.scope import Scope
from tutor.ui.review.screen import ReviewScreen

FUSED = CardId("question", "d14-fused")
RIDGE = CardId("question", "d14-ridge")
TERM = CardId("term", "ridge-point")
KERNEL = CardId("exercise", "vector_add")
VERDICT = {"passed": True, "cases": []}


def due(app: Reader, *cards: CardId) -> None:
    """Let these cards, and no others, be due four days after they entered."""
    sync(app.record, app.course)
    for card in cards:
        if card.kind == "question":
            keep_answer(app.record, card.key, 14, None, False, 0.0, None, 5.0, "quiz")
        elif card.kind == "term":
            app.record.course_items.enter([card])
        else:
            app.record.activity.attempt(
                JudgedProgram(card.key, "import torch", VERDICT, True, "cpu")
            )
    app.clock.forward(days=4)


async def review(pilot: Pilot[None]) -> ReviewScreen:
    screen = ReviewScreen()
    await show(pilot, screen)
    await until(pilot, lambda: screen.is_current and screen.query("#sheet > *"))
    await until(pilot, lambda: takes_keys(screen))
    return screen


def takes_keys(screen: ReviewScreen) -> bool:
    """True once the focus is where a card's keys are taken: on its question, if it has one."""
    views = screen.query(QuestionView)
    return screen.focused is not None and (
        not views or views.first() in screen.focused.ancestors_with_self
    )


@pytest.mark.slow
async def test_a_page_that_reads_for_long_tells_the_seconds(
    reader: Reader,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on = threading.Event()

    def wait_then_sync(*args: Any) -> Any:
        go_on.wait(60)
        return sync(*args)

    monkeypatch.setattr("tutor.memory.course_sync.sync", wait_then_sync)
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, ReviewScreen())
        await until(pilot, lambda: "reading what is due … 1 s" in seen(reader))
        go_on.set()
        await until(pilot, lambda: "Nothing is due" in seen(reader))
        await pilot.pause(1.2)
        assert "reading what is due" not in seen(reader)


async def test_an_answer_is_stored_then_rated_with_its_interval(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        assert "1 for the first time · 0 again · 0 asked before" in seen(reader)
        await pilot.press(label_of(reader, "a"), "enter")
        await until(pilot, lambda: screen.stage == "shown")
        answer = reader.record.activity.last_answer("d14-fused")
        assert answer is not None
        assert (answer.origin, answer.right) == ("review", True)
        promised = screen.session.preview(screen._answer)
        line = seen(reader).split("\n")[-2]
        for rating, word in enumerate(("Again", "Hard", "Good", "Easy"), 1):
            days = promised[rating]
            when = f"{days} day{'s' if days != 1 else ''}" if days else "soon"
            assert f"{rating}  {word} {when}" in line
        await pilot.press("4")
        await until(pilot, lambda: screen.stage == "end")
        card = reader.record.reviews.card(FUSED)
        assert card is not None
        assert (card.due - reader.record.today()).days == promised[4]
        assert "1 card, 100% remembered" in seen(reader)
        assert "Strong  fusion" in seen(reader)


async def know(reader: Reader, pilot: Pilot[None], screen: ReviewScreen) -> None:  # noqa: F811
    """Answer the card on the screen rightly."""
    await until(pilot, lambda: screen.stage == "asking" and takes_keys(screen))
    is_term = screen.card is not None and screen.card.id == TERM
    await pilot.press(*(() if is_term else (label_of(reader, "a"),)), "enter")
    await until(pilot, lambda: screen.stage == "shown")


async def test_the_counts_move_and_a_failed_card_returns_with_two_ratings(
    reader: Reader,  # noqa: F811
) -> None:
    due(reader, FUSED)
    reader.record.course_items.enter([TERM])
    reader.clock.forward(days=1)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        first = screen.card
        assert "2 for the first time · 0 again · 0 asked before" in seen(reader)
        await pilot.press("f3")
        await until(pilot, lambda: screen.stage == "shown")
        line = seen(reader).split("\n")[-2]
        assert "1  Again soon" in line
        assert "Good" not in line  # what is given up is not remembered
        await pilot.press("3", "1")
        await until(
            pilot, lambda: "1 for the first time · 1 again · 0 asked before" in seen(reader)
        )
        await know(reader, pilot, screen)
        await pilot.press("3")
        await until(
            pilot, lambda: "0 for the first time · 1 again · 0 asked before" in seen(reader)
        )
        assert screen.card is not None
        assert first is not None
        assert screen.card.id == first.id
        await know(reader, pilot, screen)
        line = seen(reader).split("\n")[-2]
        assert "Again soon" in line
        assert "Good 1 day" in line
        assert "Hard" not in line
        assert "Easy" not in line
        await pilot.press("escape")
        await until(
            pilot,
            lambda: any(
                note.message == "1 card to be asked again waits until tomorrow."
                for note in reader._notifications
            ),
        )


async def test_what_stands_above_a_card_names_a_key_that_is_changed_meanwhile(
    reader: Reader,  # noqa: F811
) -> None:
    due(reader, TERM)
    while not reader.record.reviews.queue(reader.record.today())[0].leech:  # forgotten so often
        reader.record.reviews.rate(TERM, 1)
        reader.clock.forward(days=2)
    app = TutorApp(reader.course, reader.record, reader.judge)
    app._warm_judge = lambda: None  # type: ignore[method-assign]  # nothing is judged here
    async with app.run_test(size=SMALL) as pilot:
        await review(pilot)
        assert "before the next try: o opens it." in seen(app)
        app.set_keys({"review.lesson": "B"})
        await until(pilot, lambda: "before the next try: B opens it." in seen(app))


async def test_enter_takes_the_proposed_rating(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        await pilot.press(label_of(reader, "b"), "enter")
        await until(pilot, lambda: screen.stage == "shown")
        assert "The same numbers are computed." in seen(reader)
        await pilot.press("enter")  # again: it comes back in this session
        await until(pilot, lambda: screen.stage == "asking" and takes_keys(screen))
        assert reader.record.reviews.history(FUSED)[-1].rating == 1
        await pilot.press(label_of(reader, "a"), "enter")
        await until(pilot, lambda: screen.stage == "shown")
        await pilot.press("enter")
        await until(pilot, lambda: screen.stage == "end")
        assert "Weak    fusion" in seen(reader)


async def test_the_numbers_are_other_ones(reader: Reader) -> None:  # noqa: F811
    due(reader, RIDGE)
    keep_answer(
        reader.record,
        "d14-ridge",
        14,
        3,
        False,
        0.0,
        None,
        5.0,
        "quiz",
        numbers={"peak": 312, "bandwidth": 2},
    )
    reader.clock.forward(days=4)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        view = screen.query_one(QuestionView)
        asked = view.question.numbers
        assert asked != {"peak": 312, "bandwidth": 2}
        await pilot.press(*f"{asked['peak']}", "slash", *f"{asked['bandwidth']}", "enter")
        await until(pilot, lambda: screen.stage == "shown")
        answer = reader.record.activity.last_answer("d14-ridge")
        assert answer is not None
        assert answer.right
        assert answer.params == asked


async def test_a_term_is_said_then_shown_then_rated(reader: Reader) -> None:  # noqa: F811
    due(reader, TERM)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        assert "ridge point" in seen(reader)
        assert "Where the two limits" not in seen(reader)
        await pilot.press("3")  # not before it is shown
        assert reader.record.reviews.history(TERM) == ()
        await pilot.press("enter")
        await until(pilot, lambda: "Where the two limits of a roofline meet." in seen(reader))
        await pilot.press("3")
        await until(pilot, lambda: screen.stage == "end")
        assert [row.rating for row in reader.record.reviews.history(TERM)] == [3]


@pytest.mark.slow
async def test_a_kernel_starts_over_and_the_verdict_rates_it(reader: Reader) -> None:  # noqa: F811
    due(reader, KERNEL)
    exercise = reader.course.exercise("vector_add")
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        assert "Write it again: vector_add" in seen(reader)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(reader.screen, LabScreen))
        lab = reader.screen
        assert isinstance(lab, LabScreen)
        assert lab.mode.for_review
        assert lab.document.editor.text == exercise.starter.read_text()
        assert lab.attempts == ()  # nothing to copy from
        assert not lab.pane.of(SolutionPage).offered
        assert "This time:" in seen(reader)
        await pilot.press("escape")
        await until(pilot, lambda: screen.is_current)
        assert screen.card is not None  # nothing was handed in: it stays
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(reader.screen, LabScreen))
        reader.record.activity.attempt(
            JudgedProgram("vector_add", "import triton", VERDICT, True, "cpu")
        )
        await pilot.press("escape")
        await until(pilot, lambda: screen.stage == "end")
        assert "1 card, 100% remembered" in seen(reader)
        assert reader.record.reviews.due_exercises(reader.record.today()) == ()


async def open_lab(reader: Reader, pilot: Pilot[None]) -> LabScreen:  # noqa: F811
    """Open the lab of the card on the screen, and wait for its text."""
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(reader.screen, LabScreen))
    lab = reader.screen
    assert isinstance(lab, LabScreen)
    await until(pilot, lambda: hasattr(lab, "document") and lab.document.editor.text)
    return lab


async def leave_lab_after(
    reader: Reader,  # noqa: F811
    pilot: Pilot[None],
    screen: ReviewScreen,
    verdict: dict[str, Any],
) -> None:
    """Open the lab of the card, hand in a program with this verdict, and come back."""
    lab = await open_lab(reader, pilot)
    lab.document.editor.replace_text("import triton\n")
    reader.record.activity.attempt(
        JudgedProgram("vector_add", "import triton", verdict, verdict["passed"], "cpu")
    )
    lab.action_leave()
    await until(pilot, lambda: screen.is_current)


def ask_of_twists(reader: Reader) -> None:  # noqa: F811
    """Leave no promise of a twist in the course."""
    path = reader.course.root / "kernels" / "vector_add" / "exercise.toml"
    path.write_text(path.read_text().partition("[[promise]]\ntwist")[0])


@pytest.mark.slow
@pytest.mark.parametrize(("key", "rating", "said"), [("y", 3, "100%"), ("n", 1, "0%")])
async def test_what_nothing_can_judge_is_asked(
    reader: Reader,  # noqa: F811
    key: str,
    rating: int,
    said: str,
) -> None:
    ask_of_twists(reader)
    due(reader, KERNEL)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        await leave_lab_after(reader, pilot, screen, VERDICT)
        await until(pilot, lambda: "Did you do it this way?" in seen(reader))
        assert screen.stage == "confirming"
        await pilot.press(key)
        await until(pilot, lambda: screen.stage == "end")
        assert f"1 card, {said} remembered" in seen(reader)
    *_, by_verdict, by_learner = reader.record.reviews.history(KERNEL)
    assert (by_verdict.origin, by_verdict.undone) == ("attempt", True)
    assert (by_learner.origin, by_learner.rating, by_learner.undone) == ("review", rating, False)
    assert reader.record.reviews.undo() is not None


@pytest.mark.slow
async def test_what_is_not_the_twist_is_not_remembered_for_that(reader: Reader) -> None:  # noqa: F811
    due(reader, KERNEL)
    broken = TwistFinding(
        2, kept=False, message="Right, but not by the twist: the grid has 1 axis."
    )
    verdict = hold_to_twist(Verdict("vector_add", True, "cpu", twists=(broken,)), 2)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        await pilot.press("3")  # nothing to rate yet
        await leave_lab_after(reader, pilot, screen, to_json(verdict))
        await until(pilot, lambda: "Right, but not by the twist" in seen(reader))
        assert "3  Good" in seen(reader)
        lab = await open_lab(reader, pilot)  # goes on with what was written
        assert lab.document.editor.text == "import triton\n"
        lab.action_leave()
        await until(pilot, lambda: screen.is_current)
        await pilot.press("2")  # by hand
        await until(pilot, lambda: screen.stage == "end")
    assert [row.rating for row in reader.record.reviews.history(KERNEL)][-1] == 2


async def test_a_kernel_that_is_given_up_comes_back_tomorrow(reader: Reader) -> None:  # noqa: F811
    due(reader, KERNEL)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        await pilot.press("f3")
        await until(pilot, lambda: reader.record.reviews.history(KERNEL)[-1].rating == 1)
        await until(pilot, lambda: screen.stage == "end")
    tomorrow = reader.record.today() + timedelta(days=1)
    assert [card.id for card in reader.record.reviews.queue(tomorrow)] == [KERNEL]


async def test_undo_brings_a_card_back(reader: Reader) -> None:  # noqa: F811
    due(reader, TERM, FUSED)
    before = reader.record.reviews.card(TERM)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        if screen.card is not None and screen.card.id != TERM:
            await pilot.press("tab", "b")
            await until(pilot, lambda: screen.card is not None and screen.card.id == TERM)
        await pilot.press("enter", "4")
        await until(pilot, lambda: screen.stage == "end")
        assert reader.record.reviews.card(TERM) != before
        await pilot.press("u")
        await until(pilot, lambda: screen.card is not None and screen.card.id == TERM)
        assert reader.record.reviews.card(TERM) == before
        for _ in range(4):  # more often than there is anything
            await pilot.press("u")
            await pilot.pause()
        assert reader.record.reviews.undo() is None
        today = reader.record.today()
        assert {card.id for card in reader.record.reviews.queue(today)} == {TERM, FUSED}


@pytest.mark.parametrize("letter", ["b", "s"])
async def test_a_card_is_put_aside_and_brought_back(
    reader: Reader,  # noqa: F811
    letter: str,
) -> None:
    due(reader, TERM)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        for undo in ("u", "u"):
            await pilot.press(letter)
            await until(pilot, lambda: screen.stage == "end")
            assert reader.record.reviews.queue(reader.record.today()) == ()
            await pilot.press(undo)
            await until(pilot, lambda: screen.stage == "asking" and takes_keys(screen))
            assert [card.id for card in reader.record.reviews.queue(reader.record.today())] == [
                TERM
            ]


async def test_a_note_and_a_flag_stay_with_the_card(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        await pilot.press(label_of(reader, "a"), "enter")
        await until(pilot, lambda: screen.stage == "shown")
        await pilot.press("f", "e", *"[/b] mine", "f2")
        await until(pilot, lambda: "[/b] mine" in seen(reader))
        assert "flagged" in seen(reader)
        assert screen.stage == "shown"  # still to be rated
        card = reader.record.reviews.card(FUSED)
        assert card is not None
        assert (card.flag, card.note) == (1, "[/b] mine")
        await pilot.press("e", "x", "escape", "escape")  # the second discards
        await pilot.pause()
        assert "x[/b] mine" not in seen(reader)


async def test_only_a_phase_and_cram(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    due_on = date(2026, 11, 24)
    assert reader.record.today() == due_on
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        await pilot.press("tab", "p")
        await until(pilot, lambda: "Only Phase I, Foundations" in seen(reader))
        assert "Phase II" not in seen(reader)  # no day of it is written
        await pilot.press("end", "enter")
        await until(pilot, lambda: "Cram" in seen(reader).split("\n")[0])
        before = reader.record.reviews.card(FUSED)
        await pilot.press(label_of(reader, "a"), "enter")
        await until(pilot, lambda: screen.stage == "shown")
        await pilot.press("4")
        await until(pilot, lambda: screen.stage == "end")
        after = reader.record.reviews.card(FUSED)
        assert before is not None
        assert after is not None
        assert after.due == before.due


async def test_a_prediction_is_asked_with_the_cell_that_tells(reader: Reader) -> None:  # noqa: F811
    sync(reader.record, reader.course)
    keep_answer(reader.record, "d01-total", 1, 3, False, 0.0, None, 5.0, "predict")
    reader.clock.forward(days=4)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        assert "total = 1 + 1" in seen(reader)
        asked = screen.query_one(QuestionView).question
        assert (asked.code, asked.mode) == ("total = 1 + 1", "interpret")


async def test_undo_says_what_it_undid_and_leaves_the_list_of_cards_alone(
    reader: Reader,  # noqa: F811
) -> None:
    due(reader, TERM, FUSED)
    reader.record.reviews.bury(FUSED)
    said = []
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        screen.say = lambda words, **_: said.append(words)
        await pilot.press("enter", "3")
        await until(pilot, lambda: screen.stage == "end")
        await show(pilot, CardsScreen())
        listed = reader.screen.query_one(OptionList)
        await until(pilot, lambda: listed.option_count == 2)
        await pilot.press("s", "escape")
        await until(pilot, lambda: screen.is_current)
        suspended = [one.card.id for one in reader.record.reviews.list_set_aside()]
        assert len(suspended) == 1
        await pilot.press("u", "u", "u")
        title = title_of(reader.record.reviews.card(TERM))
        assert said[0] == f"Undone: your rating Good of “{title}”."
        assert said[1].startswith("Undone: “")
        assert said[1].endswith("” is asked today again.")
        assert [one.card.id for one in reader.record.reviews.list_set_aside()] == suspended
        assert "u undo" not in seen(reader)


async def test_the_list_of_cards_knows_their_days_without_a_review_before(reader: Reader) -> None:  # noqa: F811
    keep_answer(reader.record, FUSED.key, 14, None, False, 0.0, None, 5.0, "quiz")
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, CardsScreen())
        await until(pilot, lambda: "What does fusing save?" in seen(reader))
        assert "Day 0" not in seen(reader)
        assert "d14-fused" not in seen(reader)


def test_the_longest_ratings_fit_beside_each_other() -> None:
    assert rating_line({1: 0, 2: 36, 3: 97, 4: 302}, 3, {}).rstrip().cell_length <= SMALL[0] - 2


async def test_nothing_due_says_when_to_come_back(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    reader.clock.forward(days=-4)
    async with reader.run_test(size=SMALL) as pilot:
        await review(pilot)
        assert "Nothing is due." in seen(reader)
        assert "Back    tomorrow" in seen(reader)
        assert "u undo" not in seen(reader)


async def test_between_midnight_and_four_the_next_review_is_today(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    reader.clock.forward(days=-3)
    reader.clock.now = reader.clock.now.replace(hour=1)
    async with reader.run_test(size=SMALL) as pilot:
        await review(pilot)
        assert "Back    today, from 4:00 on" in seen(reader)


async def test_an_empty_scope_names_itself_and_another_day_asks_again(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    reader.clock.forward(days=-4)
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        for cram, words in ((False, "Nothing of Phase IV is due."), (True, "no card of Phase IV.")):
            screen.scope = Scope(name="Phase IV", phase=4, cram=cram)
            screen.begin()
            await screen.show_card()
            await until(pilot, lambda words=words: words in seen(reader))
            assert "Back    tomorrow (1 card, of all phases)" in seen(reader)
        screen.scope = Scope()
        screen.begin()
        await screen.show_card()
        reader.clock.forward(days=4)
        await show(pilot, HelpScreen(screen))
        assert screen.stage == "end"
        await pilot.press("escape")
        await until(pilot, lambda: screen.stage == "asking")


async def test_a_tiny_screen_does_not_crash(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    async with reader.run_test(size=TINY) as pilot:
        screen = await review(pilot)
        await pilot.press(label_of(reader, "a"), "enter")
        await until(pilot, lambda: screen.stage == "shown")
        await pilot.press("u", "tab", "f")


@pytest.mark.slow
async def test_a_lesson_read_to_its_end_becomes_cards(reader: Reader) -> None:  # noqa: F811
    reader.record.activity.section_read(1, 0)
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, LessonScreen(1, "twice"))
        prediction = CardId("question", "d01-total")
        await until(pilot, lambda: reader.record.reviews.card(prediction) is not None)
        assert reader.record.reviews.queue(reader.record.today()) == ()  # new ones come tomorrow


async def test_the_page_a_card_comes_from(reader: Reader) -> None:  # noqa: F811
    due(reader, FUSED)
    async with reader.run_test(size=SMALL) as pilot:
        await review(pilot)
        await pilot.press("o")
        assert reader.opened == [1]  # where the question says to read again


DRILL = """
[[question]]
id = "d14-program"
kind = "code"
prompt = "Repair it."
exercise = "vector_add"
wrong = "no_mask"
explanation = "It has a mask."
"""


@pytest.mark.slow
async def test_a_program_is_reviewed_with_its_editor(reader: Reader) -> None:  # noqa: F811
    quiz = reader.course.root / "quizzes" / "day-14.toml"
    text = quiz.read_text()
    at = text.index("[[question]]")
    quiz.write_text(text[:at] + DRILL.lstrip() + "\n" + text[at:])
    drill = CardId("question", "d14-program")
    due(reader, drill)
    right = (reader.course.root / "kernels" / "vector_add" / "solution.py").read_text()
    async with reader.run_test(size=SMALL) as pilot:
        screen = await review(pilot)
        editor = screen.query_one(ProgramEditor)
        await until(pilot, lambda: editor.has_focus)
        editor.replace_text(right)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: screen.stage == "shown")
        answer = reader.record.activity.last_answer(drill.key)
        assert answer is not None
        assert (answer.origin, answer.right, answer.confidence) == ("review", True, None)
        assert answer.value == {"code": right, "cause": ""}
        await pilot.press("enter")
        await until(pilot, lambda: screen.stage == "end")
