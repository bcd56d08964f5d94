"""What counts as covering an item of the inventory. Reads files only."""

from pathlib import Path

import pytest
import small_course

from tutor.authoring.coverage import Coverage, coverage
from tutor.course.catalog.course import open_course

PLAN = """\
[inventory]
day-1 = {{ prefix = "S1", items = 1 }}
[features]
map = "Where it is."
[day-1]
"S1-01" = {entry}
"""
PROSE = "A kernel reads **all** of its\ninput, and `writes` it once."


def covered(folder: Path, entry: str) -> Coverage:
    root = small_course.course(folder)
    lesson = root / "lessons" / "day-01-one.md"
    lesson.write_text(small_course.LESSON.replace("The end.", PROSE))
    (root / "lessons" / "coverage.toml").write_text(PLAN.format(entry=entry))
    return coverage(open_course(root))


@pytest.mark.parametrize(
    "entry",
    [
        '"cell:1"',
        '"question:d01-sum"',
        '"feature:map"',
        "'lesson:last \"reads all of its input, and writes it\"'",
        "'lesson:last \"A kernel reads **all** of its input\"'",
        '["lesson:cells", "cell:1"]',
    ],
)
def test_a_named_cell_question_or_sentence_covers(tmp_path: Path, entry: str) -> None:
    assert covered(tmp_path, entry) == Coverage(1, 1, (), (), ())


@pytest.mark.parametrize("entry", ['"lesson:last"', '["lesson:last", "lesson:cells"]'])
def test_a_section_without_a_quote_is_a_tag_only(tmp_path: Path, entry: str) -> None:
    assert covered(tmp_path, entry) == Coverage(0, 1, (), ("S1-01",), ())


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('"lesson:nowhere"', "found lesson:nowhere"),
        ("'lesson:last \"reads all of its\"'", "expected a quote of 6 words or more, found 4"),
        ("'lesson:cells \"reads all of its input, and\"'", "words that stand in the section cells"),
        ("'lesson:last \"reads none of its input at all\"'", "of day-01-one.md, found"),
        ("'cell:1 \"reads all of its input, and\"'", "a quote only of a section of a lesson"),
    ],
)
def test_a_quote_that_does_not_stand_there_is_a_mistake(
    tmp_path: Path, entry: str, said: str
) -> None:
    found = covered(tmp_path, entry)
    assert (found.covered, found.missing, found.tags) == (0, ("S1-01",), ())
    (fault,) = found.faults
    assert said in str(fault)
    assert "coverage.toml:6: S1-01: " in str(fault)


@pytest.mark.parametrize(
    ("quote", "count"),
    [("A kernel reads all of its input", 1), ("A kernel reads none of its input", 0)],
)
def test_a_sentence_of_another_day_covers_where_it_stands_there(
    tmp_path: Path, quote: str, count: int
) -> None:
    root = small_course.course(tmp_path)
    second = small_course.LESSON.replace("day = 1", "day = 2").replace("d01-sum", "d02-sum")
    second = second.replace('title = "One"', 'title = "Two"').replace("The end.", PROSE)
    (root / "lessons" / "day-02-two.md").write_text(second)
    entry = f"'lesson:2/last \"{quote}\"'"
    (root / "lessons" / "coverage.toml").write_text(PLAN.format(entry=entry))
    found = coverage(open_course(root))
    assert (found.covered, len(found.faults)) == (count, 1 - count)
    assert all("of day-02-two.md" in str(fault) for fault in found.faults)
