"""Statistics from rows: retention, forecast, calibration, and a month of a learner's life."""

import json
import os
import random
import subprocess
import sys
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import a_month
import pytest
from answering import keep_answer
from clock import Clock
from hypothesis import given
from hypothesis import strategies as st
from run_home import share_course

from tutor.base.errors import UsageError
from tutor.commands.stats import draw_bar, heat_map, sparkline, statistics_lines
from tutor.memory.record import open_record
from tutor.memory.schedule.fitting import FEWEST_REVIEWS, read_histories
from tutor.memory.schedule.fsrs import Rules
from tutor.memory.statistics.calibration import ConfidentAnswer, brier, brier_by_week, curve
from tutor.memory.statistics.statistics import Answers, Retention
from tutor.memory.store.rows import CardId

TERM = CardId("term", "t")


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> tuple[a_month.Month, Path]:
    folder = tmp_path_factory.mktemp("month")
    return a_month.live(folder), folder


@pytest.mark.slow
def test_the_statistics_of_a_month_are_those_of_what_was_done(
    month: tuple[a_month.Month, Path],
) -> None:
    lived, _ = month
    found = lived.statistics
    assert found is not None
    assert lived.reviewed > 80
    right = found.retention.young_right + found.retention.mature_right
    # kernels, judged and not drawn, are remembered each time
    recalls = found.retention.young + found.retention.mature
    assert recalls >= len(lived.remembered)
    assert recalls - right == lived.remembered.count(False)
    assert found.retention.share == pytest.approx(0.9, abs=0.1)  # what the schedule aims at
    for day, count in lived.reviews_by_day.items():
        assert found.reviewed[day] >= count
        assert found.answered[day] >= count
    assert sum(found.reviewed.values()) == found.reviews
    assert sum(found.answered.values()) == found.answers.total
    assert 1 <= found.streak <= 3  # the last three mornings, where something was due
    assert found.brier is not None
    assert found.kernels.passed == found.cards["exercise"] > 0
    assert {strength.name for strength in found.days} == {"1", "22"}
    assert all(s.known is None or 0 <= s.known <= 1 for s in found.topics)
    assert max(lived.sizes) <= 100  # no morning is swamped
    assert sum(count for _, count in found.forecast) > 10


@pytest.mark.slow
def test_the_month_can_be_computed_anew(month: tuple[a_month.Month, Path]) -> None:
    _, folder = month
    record = open_record(
        folder / "record.sqlite3", a_month.Clock(a_month.START + timedelta(days=40))
    )
    before = record.log.select("SELECT * FROM cards ORDER BY id")
    record.rebuild()
    assert record.log.select("SELECT * FROM cards ORDER BY id") == before
    assert record.settings.focus() == "masks"
    record.close()


@pytest.mark.slow
def test_what_stats_prints(month: tuple[a_month.Month, Path]) -> None:
    lived, folder = month
    assert lived.statistics is not None
    text = list(statistics_lines(lived.statistics))
    assert max(map(len, text)) <= 80
    assert "Retention" in "\n".join(text)
    environment = {**os.environ, "TUTOR_HOME": str(share_course(folder))}
    command = [sys.executable, "-m", "tutor", "stats", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["retention"]["share"] == pytest.approx(lived.statistics.retention.share)
    assert value["cards"] == lived.statistics.cards
    assert "textual" not in done.stderr


def test_an_empty_record_has_statistics(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3", Clock())
    found = record.statistics.compute(record.today())
    assert "nothing was asked a second time yet" in "\n".join(statistics_lines(found))
    assert found.brier is None
    json.dumps(found.to_json())
    with pytest.raises(UsageError, match=f"0 reviews are too few .* {FEWEST_REVIEWS}"):
        record.settings.fit()
    record.close()


def test_each_answer_counts_once_and_where_it_was_given(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3", Clock())
    for origin, count in (("quiz", 3), ("predict", 2), ("placement", 1), ("retry", 1)):
        for n in range(count):
            keep_answer(record, f"{origin}{n}", 1, "a", True, 1.0, None, 5.0, origin)
    # Predicted, and graded once the cell has run; an open answer has no grade.
    keep_answer(record, "late", 1, "a", None, 0.0, None, 5.0, "predict")
    keep_answer(record, "late", 1, "a", True, 1.0, None, 5.0, "predict")
    keep_answer(record, "open", 1, "text", None, 0.0, None, 5.0, "predict")
    row = keep_answer(record, "quiz0", 1, "a", True, 1.0, None, 5.0, "review")
    record.reviews.rate(
        CardId("question", "quiz0"), 4, answer=row
    )  # in the place of the proposed one
    record.reviews.rate(TERM, 3)
    found = record.statistics.compute(record.today())
    assert found.answers == Answers(quizzes=3, lessons=4, placement=1, reviews=2, again=1)
    assert found.answers.in_words() == "11 · quizzes 3, lessons 4, placement 1, reviews 2, again 1"
    assert found.answered == {record.today(): 11}
    assert found.reviews == 3  # of the placement, the question and the term
    record.close()


def test_an_answer_whose_rating_was_taken_back_is_not_counted(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3", Clock())
    card = CardId("question", "q")
    keep_answer(record, "q", 1, "a", False, 0.0, None, 5.0, "quiz")
    for origin in ("review", "cram"):
        left = keep_answer(record, "q", 1, "a", True, 1.0, None, 5.0, origin)
        row = keep_answer(record, "q", 1, "b", True, 1.0, None, 5.0, origin)
        record.reviews.rate(card, 4, answer=row, origin=origin)
        assert left != row
    assert record.statistics.compute(record.today()).answers == Answers(
        quizzes=1, reviews=2, cram=2
    )
    record.reviews.undo()
    found = record.statistics.compute(record.today())
    assert found.answers == Answers(quizzes=1, reviews=2, cram=1)
    assert found.answered == {record.today(): 4}
    record.close()


def test_a_wrong_answer_that_is_rated_good_was_not_remembered(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    asked = CardId("question", "quiz0")
    for right, credit in ((True, 1.0), (False, 0.0), (False, 0.5), (True, 1.0)):
        clock.forward(days=1)
        row = keep_answer(record, "quiz0", 1, "b", right, credit, None, 5.0, "review")
        record.reviews.rate(asked, 3, answer=row)
    assert record.statistics.compute(record.today()).retention == Retention(3, 2)
    record.close()


def test_true_retention_by_hand(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    record.reviews.rate(TERM, 1)  # the first is no recall
    record.reviews.rate(TERM, 3)  # nor is a repeat on the same day
    for days, rating in ((1, 3), (5, 1), (2, 2), (30, 4)):
        clock.forward(days=days)
        record.reviews.rate(TERM, rating)
    record.reviews.rate(TERM, 1, origin="cram")
    clock.forward(days=25)
    record.reviews.rate(TERM, 1)
    record.reviews.undo()
    found = record.statistics.compute(record.today())
    assert found.retention == Retention(3, 2, 1, 1)
    assert found.retention_month == Retention(0, 0, 1, 1)
    record.close()


# Calibration

said = st.builds(
    ConfidentAnswer,
    st.dates(date(2026, 1, 1), date(2026, 12, 31)),
    st.integers(1, 5),
    st.booleans(),
)


@given(st.lists(said, min_size=1))
def test_brier_and_the_curve_count_each_answer(answers: list[ConfidentAnswer]) -> None:
    score = brier(answers)
    assert score is not None
    assert 0 <= score <= 1
    points = curve(answers)
    assert sum(point.count for point in points) == len(answers)
    # Murphy 1973: the score splits into the curve's distance from the diagonal and its spread
    parts = [p.count * ((p.said - p.right) ** 2 + p.right * (1 - p.right)) for p in points]
    assert score == pytest.approx(sum(parts) / len(answers))
    weeks = brier_by_week(answers)
    assert all(week.weekday() == 0 for week, _ in weeks)
    assert min(s for _, s in weeks) - 1e-9 <= score <= max(s for _, s in weeks) + 1e-9


def test_who_knows_what_they_know() -> None:
    day = date(2026, 1, 1)
    assert brier([]) is None
    assert brier([ConfidentAnswer(day, 5, True)] * 3) == 0
    assert brier([ConfidentAnswer(day, 5, False)]) == 1


# Plots


def test_a_heat_map_has_every_day_in_its_place() -> None:
    today = date(2026, 11, 18)  # a Wednesday
    rows = list(heat_map({today: 8, today - timedelta(days=7): 1}, today, weeks=4))
    assert rows[3] == "Wed  ····░░██"
    assert rows[4] == "Thu  ······  "
    assert list(heat_map({}, today)) == []


def test_bars_show_something_above_nothing() -> None:
    assert (draw_bar(0, 10), draw_bar(0.001, 10), draw_bar(1, 10)) == ("", "█", "█" * 10)
    assert sparkline([0, 0.01, 5]) == " ▁█"


# Fitting


@pytest.mark.slow
def test_fitting_is_offered_shows_its_gain_and_can_be_taken_back(tmp_path: Path) -> None:
    """A learner who forgets much sooner than most: the defaults promise too much."""
    pytest.importorskip("fsrs_rs_python")
    clock = Clock(datetime(2025, 1, 1, 12, tzinfo=timezone.utc))
    record = open_record(tmp_path / "record.sqlite3", clock)
    assert record.settings.fit_offer() == ""
    draw = random.Random(5)
    due: dict[int, tuple[int, float]] = {card: (card % 20, 1.0) for card in range(45)}
    for day in range(200):
        clock.forward(days=1)
        for card, (when, kept) in list(due.items()):
            if when > day:
                continue
            right = draw.random() < 0.75
            record.reviews.rate(CardId("term", f"t{card}"), 3 if right else 1)
            kept = min(kept * 2, 40) if right else 1.0
            due[card] = (day + round(kept), kept)
    assert "tutor fit" in record.settings.fit_offer()
    fit = record.settings.fit()
    assert fit.reviews == len(read_histories(record.log.connection)) >= FEWEST_REVIEWS
    assert fit.better
    assert record.settings.get("parameters") is None  # nothing has changed yet
    before = record.log.select("SELECT stability, due FROM cards ORDER BY id")
    record.settings.set("parameters", list(fit.parameters))
    assert record.log.select("SELECT stability, due FROM cards ORDER BY id") != before
    assert record.settings.fit_offer() == ""
    assert record.settings.unfit() is False
    assert record.log.select("SELECT stability, due FROM cards ORDER BY id") == before
    algorithms = record.log.select("SELECT DISTINCT algorithm FROM cards")
    assert algorithms == [(Rules().algorithm,)]
    record.close()
