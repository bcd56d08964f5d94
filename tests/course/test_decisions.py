"""The decisions of a schedule's samplings, and the recorded times of all choices of Day 37."""

import math

import pytest

from tutor.base.errors import UsageError
from tutor.course import decisions
from tutor.course.decisions import choices, recorded_decisions, tiles


@pytest.mark.parametrize(
    ("extent", "parts", "most", "count"),
    [(64, 4, 64, 84), (64, 2, 64, 7), (96, 2, 64, 11), (64, 4, 8, 74), (1, 3, 1, 1), (7, 1, 6, 0)],
)
def test_tiles_are_all_rows_with_the_product(extent, parts, most, count):
    rows = tiles(extent, parts, most)
    assert len(set(rows)) == len(rows) == count
    assert all(math.prod(row) == extent and len(row) == parts for row in rows)
    assert all(row[-1] <= most for row in rows)


def test_a_choice_has_one_decision_for_each_sampling():
    space = [["SampleCategorical", [0, 16, 64]], ["SamplePerfectTile", 6, 2, 3]]
    assert choices(space) == [
        (option, tile) for option in range(3) for tile in [(2, 3), (3, 2), (6, 1)]
    ]


def test_the_recording_has_a_time_for_each_choice():
    for surface, tiles_of_it in zip(recorded_decisions(), (3, 2), strict=True):
        assert list(surface.times) == choices(surface.space)
        assert all(time > 0 for time in surface.times.values())
        kinds = [kind for kind, *_ in surface.space]
        assert kinds.count("SamplePerfectTile") == tiles_of_it
        assert kinds.count("SampleCategorical") == 4 - tiles_of_it
        assert "apache-tvm" in surface.marked


def test_a_file_with_too_few_times_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(decisions, "course_root", lambda: tmp_path)
    with pytest.raises(UsageError, match="no surface is recorded"):
        recorded_decisions()
    path = decisions.decisions_file(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(
        '{"device": "a", "date": "2026-11-29", "versions": "b",'
        ' "products": [{"space": [["SamplePerfectTile", 4, 2, 4]], "us": [1.0]}]}'
    )
    with pytest.raises(UsageError, match="expected recorded surfaces"):
        recorded_decisions()
