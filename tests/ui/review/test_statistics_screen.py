"""The pages of statistics, of a record with a few reviews and of an empty one."""

import pytest
from answering import keep_answer
from doing import SMALL, WIDE, seen, show, until
from remembering import Reader, reader  # noqa: F401

from tutor.memory.course_sync import sync
from tutor.memory.store.rows import CardId
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.review.statistics import StatisticsScreen


async def test_an_empty_record_has_pages_too(reader: Reader) -> None:  # noqa: F811
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, StatisticsScreen())
        await until(pilot, lambda: "no repeats yet" in seen(reader))
        for words in ("0 cards in the next seven days", "Say how sure", "Topics appear"):
            await pilot.press("n")
            await until(pilot, lambda words=words: words in seen(reader))  # type: ignore[misc]


async def test_a_click_chooses_a_page(reader: Reader) -> None:  # noqa: F811
    async with reader.run_test(size=WIDE) as pilot:
        await show(pilot, StatisticsScreen())
        await until(pilot, lambda: "no repeats yet" in seen(reader))
        for name, words in (("Topics", "Topics appear"), ("Forecast", "in the next seven days")):
            column = seen(reader).split("\n")[0].index(name)
            await pilot.click(Bar, offset=(column, 0))
            await until(pilot, lambda words=words: words in seen(reader))  # type: ignore[misc]


def told(reader: Reader) -> str:  # noqa: F811
    """The sentences in the corner."""
    return " ".join(note.message for note in reader._notifications)


def answer_some(reader: Reader) -> None:  # noqa: F811
    sync(reader.record, reader.course)
    names = ("d14-ridge", "d14-intensity", "d14-fused", "d14-relu-share")
    for name in names:
        keep_answer(reader.record, name, 14, None, False, 0.0, 5, 5.0, "quiz")
    reader.clock.forward(days=1)
    for i, name in enumerate(names):
        keep_answer(reader.record, name, 14, "x", i > 0, float(i > 0), 4, 5.0, "review")


async def test_the_plots_are_drawn_in_a_terminals_own_colours(reader: Reader) -> None:  # noqa: F811
    answer_some(reader)
    async with reader.run_test(size=SMALL) as pilot:
        for theme in ("ansi-dark", "ansi-light"):
            reader.theme = theme
            await show(pilot, StatisticsScreen())
            await until(pilot, lambda: "4 questions" in seen(reader))
            for words in ("days from today", "how sure you were"):
                await pilot.press("right")
                await until(pilot, lambda words=words: words in seen(reader))  # type: ignore[misc]
            await pilot.press("escape")
            await pilot.pause()


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_what_was_done_is_drawn(reader: Reader, size: tuple[int, int]) -> None:  # noqa: F811
    answer_some(reader)
    async with reader.run_test(size=size) as pilot:
        await show(pilot, StatisticsScreen())
        await until(pilot, lambda: "4 questions" in seen(reader))
        text = seen(reader)
        assert "75% of 4" in text
        assert "██" in text  # today, in the calendar
        await pilot.press("tab")  # the text takes no keyboard, and with it no key of this page
        foot = seen(reader)
        assert "→ next" in foot
        assert "← previous" in foot
        await pilot.press("right")
        await until(pilot, lambda: "days from today" in seen(reader))
        assert "█" in seen(reader)
        await pilot.press("right")
        await until(pilot, lambda: "how sure you were" in seen(reader))
        assert "●" in seen(reader)
        await pilot.press("right")
        await until(pilot, lambda: "roofline" in seen(reader))
        assert "fusion" in seen(reader)


async def test_a_plot_is_a_picture_that_no_key_moves(reader: Reader) -> None:  # noqa: F811
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, StatisticsScreen())
        await pilot.press("n")
        await until(pilot, lambda: "0 cards in the next seven days" in seen(reader))
        before = seen(reader)
        await pilot.click("#forecast Plot")
        await pilot.press("+", "up", "-", "down")
        await pilot.pause()
        assert seen(reader) == before


async def test_a_card_that_was_set_aside_is_brought_back(reader: Reader) -> None:  # noqa: F811
    answer_some(reader)
    card = CardId("question", "d14-ridge")
    reader.record.reviews.suspend(card)
    reader.record.reviews.flag(CardId("question", "d14-relu-share"), 1)
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, StatisticsScreen())
        await until(pilot, lambda: "4 questions" in seen(reader))
        await pilot.press("b")
        await until(pilot, lambda: "suspended" in seen(reader) and "flagged" in seen(reader))
        await pilot.press("slash", *"suspended", "enter")
        await until(pilot, lambda: "1 card" in seen(reader))
        await pilot.press("s")
        await until(pilot, lambda: "Asked again" in told(reader))
        assert [one.reason for one in reader.record.reviews.list_set_aside()] == ["flagged"]
        await until(pilot, lambda: "0 cards" in seen(reader))
        assert "No card has these words." in seen(reader)
        await pilot.press("slash", *["backspace"] * 9, *"d14-fused", "enter", "s")
        await until(pilot, lambda: "Not asked until" in told(reader))
        assert len(reader.record.reviews.list_set_aside()) == 2
        back = reader.record.reviews.card(card)
        assert back is not None
        assert not back.suspended


async def test_a_card_that_the_course_no_longer_has_stays_aside(reader: Reader) -> None:  # noqa: F811
    reader.record.reviews.rate(CardId("question", "gone"), 3)
    sync(reader.record, reader.course)
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, StatisticsScreen())
        await pilot.press("b")
        await until(pilot, lambda: "no longer asked" in seen(reader))
        await pilot.press("slash", *"no longer", "enter", "s")
        await until(pilot, lambda: "The course no longer" in told(reader))
        assert len(reader.record.reviews.list_set_aside()) == 1
