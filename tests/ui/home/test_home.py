"""Home and map: what is offered, what is said by a word and not by colour alone, and the keys."""

from datetime import timedelta

import pytest
from answering import keep_answer
from clock import Clock
from doing import seen, until
from textual.widgets import Input, OptionList, Static

from tutor.course.catalog.overview import DayOverview, Overview
from tutor.memory.record import open_record
from tutor.memory.store.study_day import now, study_day
from tutor.ui.app import TutorApp
from tutor.ui.home.course_map import MapScreen, ready_days
from tutor.ui.home.home import HomeScreen, _review_words, course_line
from tutor.ui.home.next_steps import Review
from tutor.ui.home.step_button import Step
from tutor.ui.kit.dialogs.help import HelpScreen
from tutor.ui.kit.dialogs.jump import JumpScreen
from tutor.ui.kit.dialogs.small_window import SmallScreen
from tutor.ui.lesson.screen import LessonScreen


@pytest.mark.parametrize(
    ("last", "map_says", "home_says"),
    [
        (1, "2 of 3 days are ready", "a GPU runs; 2 of 3 days are ready."),
        (2, "3 days", "a GPU runs, in 3 days."),
    ],
)
def test_a_course_with_all_its_days_counts_them_once(
    last: int, map_says: str, home_says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TUTOR_COURSE", raising=False)
    days = tuple(DayOverview(n, f"T{n}", 1, 1, "lesson", "", n <= last + 1) for n in (1, 2, 3))
    overview = Overview(days, (), {}, {})
    assert ready_days(overview) == map_says
    assert course_line(overview).endswith(home_says)


@pytest.mark.slow
async def test_the_first_start_welcomes_and_offers_one_thing(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: "Welcome" in seen(app))
        assert len(app.screen.query(Step)) == 1
        text = seen(app)
        assert "Begin     Day 1 · Counting bytes" in text
        assert "c begin" in text
        assert "r review" not in text, "there is nothing to review"
        assert "I   Foundations" in text
        assert "0/2" in text
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen))


async def test_at_night_home_says_from_when_more_is_due(app: TutorApp) -> None:
    record, clock = app.record, Clock(now().replace(hour=1))
    record.log.clock = clock
    record.activity.section_read(1, 0)
    keep_answer(record, "d01-how-many", 1, 4, False, 0.0, None, 3.0, "predict")
    async with app.run_test(notifications=True, size=(120, 40)) as pilot:
        await until(pilot, lambda: f"more on {clock.now:%-d %B}, from 4:00 on" in seen(app))


async def test_what_pays_comes_first(app: TutorApp) -> None:
    record = app.record
    record.activity.section_read(1, 0)
    record.activity.set_position(1, 1)
    keep_answer(record, "d01-how-many", 1, 4, False, 0.0, None, 3.0, "predict")
    soon = study_day(now()) + timedelta(days=1)
    app.course.overview()
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: "Continue" in seen(app))
        text = seen(app)
        assert "Day 1 · Counting bytes, section 2 of 3" in text
        assert record.reviews.due(soon).questions == 1
        steps = list(app.screen.query(Step))
        assert app.focused is steps[0]
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen))
        await until(pilot, lambda: "section 2 of 3" in seen(app))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_home_counts_again_when_it_is_seen_again(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: "Welcome" in seen(app))
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, MapScreen))
        app.record.activity.section_read(1, 0)
        await pilot.press("escape")
        await until(pilot, lambda: "Continue" in seen(app))
        assert "▣" in seen(app)


async def test_the_marked_step_stays_marked_and_a_letter_jumps_to_one(app: TutorApp) -> None:
    app.record.activity.section_read(1, 1)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.focused, Step))
        marked = [step.action_id for step in app.screen.query(Step)]
        assert len(marked) > 1
        await pilot.press("semicolon")
        await until(pilot, lambda: isinstance(app.screen, JumpScreen))
        assert isinstance(app.screen, JumpScreen)
        places = {w.action_id: at for at, (w, _) in app.screen._targets.items()}
        await pilot.press(places[marked[1]])
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await until(pilot, lambda: is_marked(app, marked[1]))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.pause(0.3)
        assert is_marked(app, marked[1])


def is_marked(app: TutorApp, action_id: str) -> bool:
    return isinstance(app.focused, Step) and app.focused.action_id == action_id


async def test_keys_without_anything_behind_them_say_so(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: "Welcome" in seen(app))
        await pilot.press("r")
        await until(pilot, lambda: "Nothing is due" in seen(app))
        await pilot.press("escape", "K")
        await until(pilot, lambda: "Every exercise" in seen(app))


@pytest.mark.slow
async def test_the_map_says_what_exists_and_opens_it(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("m")
        await until(pilot, lambda: "The map" in seen(app))
        text = seen(app)
        assert "□  1  Counting bytes" in text
        assert "·  2  Not there yet" in text
        assert "to come" in text
        assert "2 of 3 days are ready · Enter opens one" in text
        await pilot.press("down", "enter")
        await until(pilot, lambda: "not written yet" in seen(app))
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "A second lesson" in seen(app).split("Day 3")[-1])
        await until(pilot, lambda: "] next phase" not in seen(app))
        assert "[ phase before" in seen(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen))
        assert app.screen.day == 3


@pytest.mark.slow
async def test_help_lists_the_keys_of_the_screen_below(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await until(pilot, lambda: "Answer what is due today" in seen(app))
        assert "home.review" not in seen(app)  # ids are for config.toml
        assert seen(app).index("To another page") < seen(app).index("On every page")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


@pytest.mark.slow
async def test_help_keeps_its_key_column_free_and_names_only_our_own(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("question_mark")
        await until(pilot, lambda: "The keys that work here" in seen(app))
        listed = app.screen.query_one(OptionList)
        lines = [line for option in listed.options for line in str(option.prompt).split("\n")]
        assert any(line.startswith(" " * 15) and "skipped" in line for line in lines)
        assert max(map(len, lines[:-1])) <= listed.content_size.width
        await pilot.press("escape", "slash")  # the keyboard is in Textual's own field
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await until(pilot, lambda: "The keys that work here" in seen(app))
        assert "ompletion" not in seen(app)


async def test_a_learners_own_keys(app: TutorApp, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "home" / "config.toml").write_text('[keys.home]\nmap = "w"\n')
    app = TutorApp(app.course, app.record, app.judge)  # settings are read as it starts
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("m")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, MapScreen))


async def test_a_keymap_with_a_mistake_is_named_on_home(app: TutorApp, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "home" / "config.toml").write_text("[keys]\nhome.map = 3\n")
    app = TutorApp(app.course, app.record, app.judge)
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: "must be a key" in " ".join(seen(app).split()))


@pytest.mark.parametrize("size", [(8, 3), (1, 1), (39, 24), (80, 5)])
async def test_a_small_window_says_so_and_recovers(app: TutorApp, size: tuple[int, int]) -> None:
    async with app.run_test(notifications=True, size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, SmallScreen))
        said = str(app.screen.query_one(Static).content)
        assert "40 columns and 10 rows are needed" in said
        assert "--plain" in said
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await until(pilot, lambda: "Welcome" in seen(app))
        await pilot.resize_terminal(*size)
        await until(pilot, lambda: isinstance(app.screen, SmallScreen))
        await pilot.press("q")
    assert app.return_code == 0


async def test_a_recovered_record_is_said_plainly(app: TutorApp, tmp_path) -> None:  # type: ignore[no-untyped-def]
    app.record.close()
    file = tmp_path / "home" / "record.sqlite3"
    file.write_bytes(b"not a database" * 100)
    record = open_record(file)
    again = TutorApp(app.course, record, app.judge)
    async with again.run_test(notifications=True, size=(100, 40)) as pilot:
        await until(pilot, lambda: isinstance(again.screen, HomeScreen))
        assert record.notice
        await until(pilot, lambda: "The record was damaged" in seen(again))
    record.close()


async def test_a_chosen_theme_is_kept(app: TutorApp) -> None:
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert {"tutor-dark", "tutor-light", "nord", "ansi-dark"} <= set(app.available_themes)
        app.theme = "nord"
        await pilot.pause()
    assert TutorApp(app.course, app.record, app.judge).theme == "nord"


def test_cards_beyond_the_days_limit_wait() -> None:
    for waiting, words in (
        (0, "today   ~ "),
        (1, "today, 1 more waits"),
        (2, "today, 2 more wait "),
    ):
        first = _review_words(Review(20, ("tail",), 33.0, waiting=waiting))[0].plain
        assert words in first, first
