"""A checkpoint with nothing but keys: four parts, a band with its advice, and growth."""

from dataclasses import replace
from pathlib import Path

import pytest
from answering import keep_answer
from doing import SMALL, WIDE, seen, show, until
from remembering import Reader, reader  # noqa: F401
from textual.widgets import OptionList

from tutor.ui.quiz.checklist import ChecklistScreen
from tutor.ui.quiz.checkpoint import CheckpointScreen
from tutor.ui.quiz.reflection import ReflectionScreen
from tutor.ui.quiz.written_answers import WrittenScreen
from tutor.ui.routes import quiz_screen

RIDGE = [*"312e12", "slash", *"2e12", "enter", "4"]


def checkpoint(app: Reader) -> CheckpointScreen:
    quiz = app.course.quiz(14)
    assert quiz is not None
    screen = quiz_screen(quiz)
    assert isinstance(screen, CheckpointScreen)
    return screen


@pytest.mark.slow
async def test_questions_give_a_band_and_its_days(reader: Reader) -> None:  # noqa: F811
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, checkpoint(reader))
        text = seen(reader)
        assert "not taken yet" in text
        assert "□ 4  10 minutes of writing" in text
        await pilot.press("enter")
        await until(pilot, lambda: "312 TFLOP/s and 2 TB/s" in seen(reader))
        await pilot.press(*RIDGE, "enter")
        await pilot.pause()
        for answered in range(2, 5):
            assert f"{answered} of 4" in seen(reader)
            await pilot.press("f3")
            await pilot.pause()
            if answered < 4:
                await pilot.press("enter")
                await pilot.pause()
        # stored with the last answer, not with the page after it
        assert [(r.score, r.band) for r in reader.record.checkpoints.list_taken(14)] == [
            (1, "Begin again")
        ]
        await pilot.press("escape")
        await until(pilot, lambda: "1 of 4 points   Begin again" in seen(reader))
        text = seen(reader)
        assert "Begin with Day 1." in text
        assert "Day 1  Counting · read again" in text
        assert "Day 22  Lanes · read again" in text
        await pilot.press("end", "enter")
        assert reader.opened != []


@pytest.mark.slow
async def test_a_retake_asks_other_numbers_and_shows_growth(reader: Reader) -> None:  # noqa: F811
    reader.record.checkpoints.add(14, 1, 4, "Begin again")
    keep_answer(reader.record, "d14-ridge", 14, 156, True, 1.0, 4, 9.0, "quiz")
    for name in ("d14-intensity", "d14-fused", "d14-both"):
        keep_answer(reader.record, name, 14, None, False, 0.0, None, 9.0, "quiz")
    reader.clock.forward(days=7)
    async with reader.run_test(size=WIDE) as pilot:
        await show(pilot, checkpoint(reader))
        await pilot.press("up", "enter")
        await until(pilot, lambda: "where is the ridge point?" in seen(reader))
        assert "312 TFLOP/s and 2 TB/s" not in seen(reader)
        await pilot.press("escape")
        reader.record.checkpoints.add(14, 3, 4, "Small gaps")
        await show(pilot, checkpoint(reader))
        text = seen(reader)
        assert "How it grew" in text
        assert "+50 %" in text
        assert "Day 1  Counting · read again" in text
        assert "Day 22" not in text  # a missed question cites it, and it is still to come


@pytest.mark.slow
async def test_a_missed_question_leads_to_the_section_that_teaches_it(
    reader: Reader,  # noqa: F811
) -> None:
    file = reader.course.root / "quizzes" / "day-14.toml"
    text = file.read_text("utf-8")
    asked = 'prompt = "What does fusing save?"'
    file.write_text(text.replace(asked, f'{asked}\nsource = "Day 1, Twice"'), "utf-8")
    keep_answer(reader.record, "d14-fused", 14, "b", False, 0.0, None, 9.0, "quiz")
    reader.record.checkpoints.add(14, 4, 4, "Ready")
    async with reader.run_test(size=WIDE) as pilot:
        await show(pilot, checkpoint(reader))
        await until(pilot, lambda: "Day 1  Counting · a question you missed" in seen(reader))
        rows = reader.screen.query_one(OptionList)
        texts = [str(option.prompt) for option in rows.options]
        rows.highlighted = next(n for n, text in enumerate(texts) if "you missed" in text)
        await pilot.press("enter")
        assert reader.sections == ["twice"]


async def test_the_checklist_shows_what_the_record_knows(reader: Reader) -> None:  # noqa: F811
    keep_answer(reader.record, "d14-ridge", 14, 156, True, 1.0, 4, 9.0, "quiz")
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, checkpoint(reader))
        await pilot.press("j", "enter")
        await until(pilot, lambda: "0 of 2 ticked" in seen(reader))
        text = seen(reader)
        assert "✓ right on 20 November: 312 TFLOP/s" in text
        assert "– Day 1, Twice: not read to its end." in text
        await pilot.press("space")
        await pilot.pause()
        assert reader.record.checkpoints.ticks(14) == {"d14-can-ridge": True}
        assert "1 of 2 ticked" in seen(reader)
        await pilot.press("space", "o")
        assert reader.record.checkpoints.ticks(14) == {"d14-can-ridge": False}
        assert reader.opened == [1]
        reader.record.activity.section_read(1, 1)
        await pilot.press("escape")
        await until(pilot, lambda: "0 of 2 ticked, 1 shown by your work" in seen(reader))


@pytest.mark.slow
async def test_a_reason_comes_before_the_truth(reader: Reader) -> None:  # noqa: F811
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, checkpoint(reader))
        await pilot.press("j", "j", "enter")
        await until(pilot, lambda: "Fusing always" in seen(reader))
        await pilot.press("enter")
        await until(pilot, lambda: "Choose one first" in seen(reader))
        await pilot.press("p")
        await until(pilot, lambda: "Choose one first" not in seen(reader))
        await pilot.press("enter", "enter")
        await pilot.pause()
        assert "Type an answer first" in seen(reader)
        assert "registers may run out" not in seen(reader)
        assert reader.record.checkpoints.misconceptions(14) == ()
        await pilot.press(*"spills", "enter")
        await until(pilot, lambda: "registers may run out" in seen(reader))
        assert "✓ It is partly true." in seen(reader)
        await pilot.press("enter", "t", "enter", *"yes", "enter")
        await until(pilot, lambda: "✗ It is not true." in seen(reader))
        assert [
            (row.item, row.reason, row.right)
            for row in reader.record.checkpoints.misconceptions(14)
        ] == [
            ("d14-always", "spills", True),
            ("d14-slower", "yes", False),
        ]
        await pilot.press("enter")
        await until(pilot, lambda: "1 of 2 judged right" in seen(reader))


@pytest.mark.slow
async def test_writing_is_kept_as_typed_and_names_the_focus(reader: Reader) -> None:  # noqa: F811
    reader.record.checkpoints.add_reflection(14, "d14-surprise", "Bytes, [/red] then.", 60)
    reader.clock.forward(days=3)
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, checkpoint(reader))
        await pilot.press("j", "j", "j", "enter")
        await until(pilot, lambda: "What surprised you most?" in seen(reader))
        screen = reader.screen
        assert isinstance(screen, ReflectionScreen)
        assert "you wrote: Bytes, [/red] then." in seen(reader)
        await pilot.press(*"Roofs", "enter", *"too")
        assert screen.keep()  # as its timer does
        assert reader.record.checkpoints.reflections(14)[0].text == "Roofs\ntoo"
        await pilot.press("f2", *"Fusion", "f2")
        await until(pilot, lambda: "The shaky topic" in seen(reader))
        await pilot.press("j", "enter")
        await until(pilot, lambda: isinstance(reader.screen, CheckpointScreen))
        assert reader.record.settings.focus() == "fusion"
        assert "Focus  fusion comes first" in seen(reader)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(reader.screen, WrittenScreen))
        await pilot.press(*"roofs too")
        await until(pilot, lambda: "1 text" in seen(reader))
        assert "Roofs" in seen(reader)
        assert "[/red]" not in seen(reader)


async def test_leaving_in_the_middle_of_a_word_keeps_it(reader: Reader) -> None:  # noqa: F811
    async with reader.run_test(size=SMALL) as pilot:
        quiz = reader.course.quiz(14)
        assert quiz is not None
        assert quiz.reflection is not None
        await show(pilot, ReflectionScreen(14, quiz.reflection))
        await pilot.press(*"Half a wo", "escape")
        assert [row.text for row in reader.record.checkpoints.reflections(14)] == ["Half a wo"]
        await show(pilot, ReflectionScreen(14, quiz.reflection))
        assert "Half a wo" in seen(reader)  # of the same day: it goes on


async def test_writing_goes_on_where_a_day_ends_at_midnight(reader: Reader) -> None:  # noqa: F811
    reader.clock.now = reader.clock.now.replace(hour=2)
    reader.record.settings.set("rollover_hour", 0)
    async with reader.run_test(size=SMALL) as pilot:
        quiz = reader.course.quiz(14)
        assert quiz is not None
        assert quiz.reflection is not None
        await show(pilot, ReflectionScreen(14, quiz.reflection))
        await pilot.press(*"Half", "escape")
        await show(pilot, ReflectionScreen(14, quiz.reflection))
        assert "Half" in seen(reader)
        assert "you wrote" not in seen(reader)


async def test_digits_open_parts_and_the_place_stays(reader: Reader) -> None:  # noqa: F811
    async with reader.run_test(size=SMALL) as pilot:
        screen = checkpoint(reader)
        await show(pilot, screen)
        await pilot.press("1")
        await until(pilot, lambda: "312 TFLOP/s and 2 TB/s" in seen(reader))
        await pilot.press("f3")
        await pilot.pause()
        await pilot.press("escape")
        await until(pilot, lambda: reader.screen is screen)
        await until(pilot, lambda: "1 of 4 questions answered" in seen(reader))
        await pilot.press("4")
        await until(pilot, lambda: isinstance(reader.screen, ReflectionScreen))
        await pilot.press("escape")
        await until(pilot, lambda: reader.screen is screen)
        assert screen.query_one("#parts", OptionList).highlighted == 3


async def test_the_page_behind_an_item_is_opened(reader: Reader) -> None:  # noqa: F811
    quiz = reader.course.quiz(14)
    assert quiz is not None
    places = [
        row.name
        for item in quiz.checklist
        for row in item.evidence
        if row.kind not in ("question", "exercise")
    ]
    assert places, "the small course has a page as evidence"
    index = next(
        i for i, item in enumerate(quiz.checklist) if any(e.name in places for e in item.evidence)
    )
    opened: list[str] = []
    reader.open = lambda target, *_, **__: opened.append(target)  # type: ignore[method-assign]
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, ChecklistScreen(quiz))
        await pilot.press(*["down"] * index, "o")
        await until(pilot, lambda: opened)
    assert opened[0].partition(":")[2] in places


async def test_a_tick_before_the_list_is_laid_out_is_kept(reader: Reader) -> None:  # noqa: F811
    quiz = reader.course.quiz(14)
    assert quiz is not None
    async with reader.run_test(size=SMALL) as pilot:
        screen = ChecklistScreen(quiz)
        await reader.push_screen(screen)
        screen.query_one(OptionList).clear_options()  # as before the layout that fills it
        screen.action_tick()
        assert reader.record.checkpoints.ticks(14) == {quiz.checklist[0].id: True}
        screen.on_resize()
        await until(pilot, lambda: f"1 of {len(quiz.checklist)} ticked" in seen(reader))
        await until(pilot, lambda: "■ " in seen(reader))


async def test_a_day_to_read_is_wrapped_and_not_cut(reader: Reader) -> None:  # noqa: F811
    reader.record.checkpoints.add(14, 1, 4, "Begin again")
    course_quiz = reader.course.quiz(14)
    assert course_quiz is not None
    long = (
        "I can say what a roof is, where its ridge lies, and which of my kernels stand left of it"
    )
    item = replace(course_quiz.checklist[0], text=long, days=(22,))
    quiz = replace(course_quiz, checklist=(item,), bands=())
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, CheckpointScreen(quiz))
        await until(pilot, lambda: "Day 22" in seen(reader))
        assert "…" not in seen(reader).replace("I can …", "")
        assert " ".join(seen(reader).split()).count("which of my kernels stand left of it") == 1


async def test_a_tick_moves_no_line_of_the_evidence(reader: Reader) -> None:  # noqa: F811
    quiz = reader.course.quiz(14)
    assert quiz is not None
    long = (
        "I can compare the time that a kernel takes with the time its bytes need on this GPU " * 2
    )
    items = tuple(replace(quiz.checklist[0], id=f"item-{n}", text=long) for n in range(12))
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, ChecklistScreen(replace(quiz, checklist=items)))
        await until(pilot, lambda: "□ I can compare" in seen(reader))
        before = seen(reader)
        await pilot.press("space")
        await until(pilot, lambda: "■ I can compare" in seen(reader))
        rows = zip(before.split("\n"), seen(reader).split("\n"), strict=True)
        changed = [(one, other) for one, other in rows if one != other]
        assert all(one.replace("□", "■") == other for one, other in changed if "□" in one)
        assert len(changed) <= 2  # the mark and the count above


async def test_what_was_written_stands_below_its_whole_prompt(reader: Reader) -> None:  # noqa: F811
    reader.record.checkpoints.add_reflection(14, "no-longer-there " * 12, "Bytes then.", 60)
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, WrittenScreen())
        await until(pilot, lambda: "Bytes then." in seen(reader))
        assert "more characters" not in seen(reader)
        assert seen(reader).count("no-longer-there") == 12


def add_day_15(reader: Reader) -> Path:  # noqa: F811
    """Add Day 15 to the outline, and return the path that its lesson would have."""
    lessons = reader.course.root / "lessons"
    outline = lessons / "outline.toml"
    row = '[[day]]\nday = 15\ntitle = "Going on"\nphase = 2\nweek = 1\nkind = "lesson"\n\n'
    before, after = outline.read_text().split("[[day]]\nday = 22")
    outline.write_text(f"{before}{row}[[day]]\nday = 22{after}")
    return lessons / "day-15-going-on.md"


def do_all_but_the_last(reader: Reader) -> str:  # noqa: F811
    """Do all parts of Day 14's checkpoint but its last reflection, whose id is returned."""
    quiz, done = reader.course.quiz(14), reader.record.checkpoints
    assert quiz is not None
    assert quiz.reflection is not None
    done.add(14, 4, 4, "Ready")
    for item in quiz.checklist:
        done.tick(14, item.id, True)
    for belief in quiz.misconceptions:
        done.add_misconception(14, belief.id, belief.truth, "so it is", True)
    *first, last = quiz.reflection.prompts
    for prompt in first:
        done.add_reflection(14, prompt.id, "words", 60)
    return last.id


async def test_over_days_that_are_not_written_the_next_lesson_is_offered(
    reader: Reader,  # noqa: F811
) -> None:
    lessons = add_day_15(reader).parent
    first = (lessons / "day-01-counting.md").read_text()
    (lessons / "day-22-lanes.md").write_text(
        first.replace("day = 1", "day = 22").replace('"Counting"', '"Lanes"').replace("d01", "d22")
    )
    reader.record.checkpoints.add_reflection(14, do_all_but_the_last(reader), "words", 60)
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, checkpoint(reader))
        offer = "→ Day 22 Lanes · the next day that is written. Day 15 is not written yet."
        assert offer in " ".join(seen(reader).split())
        await pilot.press("down", "down", "down", "down", "enter")
        await until(pilot, lambda: reader.opened == [22])


async def test_the_day_after_is_offered_once_all_is_done(reader: Reader) -> None:  # noqa: F811
    add_day_15(reader).write_text("# Not read here\n")
    last = do_all_but_the_last(reader)
    async with reader.run_test(size=SMALL) as pilot:
        screen = checkpoint(reader)
        await show(pilot, screen)
        assert "Going on" not in seen(reader)
        await pilot.press("escape")
        reader.record.checkpoints.add_reflection(14, last, "words", 60)
        await show(pilot, checkpoint(reader))
        assert "→    Day 15  Going on · the next day" in seen(reader)
        await pilot.press("down", "down", "down", "down", "enter")
        await until(pilot, lambda: reader.opened == [15])
