"""The queue of many years stays quick because no query walks through all cards or all rows."""

from pathlib import Path

import pytest
from answering import keep_answer

from tests.bench import due_queue
from tutor.memory.record import Record, open_record
from tutor.memory.schedule.queue import Limits


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("old") / "record.sqlite3"
    due_queue.fill(path, 2_000, 20_000)
    record = open_record(path, due_queue._clock)
    record.rebuild()
    record.close()
    return path


def plans(record: Record, act: object) -> list[str]:
    """How SQLite goes about each query of an act, one line a step."""
    seen: list[str] = []
    record.log.connection.set_trace_callback(seen.append)
    act()  # type: ignore[operator]
    record.log.connection.set_trace_callback(None)
    queries = [q for q in seen if q.lstrip().startswith(("SELECT", "INSERT", "UPDATE"))]
    assert queries
    return [
        row[3] for q in queries for row in record.log.connection.execute(f"EXPLAIN QUERY PLAN {q}")
    ]


@pytest.mark.slow
def test_no_query_of_a_review_scans_a_large_table(old: Path) -> None:
    record = open_record(old, due_queue._clock)
    record.settings.set_focus("topic 3")
    today = record.today()
    asked = record.reviews.queue(today)
    assert len(asked) > 100
    acts = {
        "queue": lambda: record.reviews.queue(today),
        "next": lambda: next(c for c in record.reviews.queue(today) if c.id != asked[0].id),
        "due": lambda: record.reviews.due(today),
        "preview": lambda: record.reviews.preview(asked[0].id),
        "answer": lambda: keep_answer(record, asked[0].id.key, 1, "a", True, 1.0, 3, 9.0, "review"),
        "review": lambda: record.reviews.rate(asked[1].id, 3),
        "undo": lambda: record.reviews.undo(),
        "home": lambda: (record.statistics.day_progress(), record.statistics.minutes_by_day(7)),
    }
    for name, act in acts.items():
        for step in plans(record, act):
            large = any(step.startswith(f"SCAN {t}") for t in ("card_events", "answers", "items"))
            assert not large or "USING" in step, (name, step)
            assert step != "SCAN cards", name
    record.close()


def test_the_record_that_is_measured_is_a_real_one(old: Path) -> None:
    record = open_record(old, due_queue._clock)
    found = record.statistics.compute(record.today())
    assert found.reviews >= 20_000
    assert found.cards["question"] + found.cards["term"] == 2_000
    assert found.retention.share == pytest.approx(0.92, abs=0.02)
    everything = record.reviews.queue(record.today(), Limits(10**6, 10**6))
    due = record.reviews.due(record.today())
    assert len(everything) == due.questions + due.terms > 100
    assert len({card.id for card in everything}) == len(everything)
    record.close()


def test_the_measurement(tmp_path: Path) -> None:
    found = due_queue.measure(tmp_path, cards=300, reviews=3_000, runs=10)
    value = found.to_json()
    assert value["cards"] == 300
    assert value["due"] > 10
    assert all(value[name] > 0 for name in ("queue_p50_ms", "next_p95_ms", "answer_p95_ms"))
    assert len(list(found.lines())) == 6
