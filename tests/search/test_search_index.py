"""The index of the course: what it finds, that nothing typed breaks it, that a bad file is made anew."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.course.model import Question
from tutor.search.index import create_index, fill_index, find_passages, open_index
from tutor.search.passages import _question, passages
from tutor.search.results import Passage, SearchResults


def places(found: SearchResults) -> list[tuple[str, str]]:
    return [(hit.kind, hit.place) for hit in found.hits]


def kept() -> Path:
    [file] = paths.cache_dir().glob("search-*.sqlite3")
    return file


def test_the_whole_course_is_in_it(course: Path) -> None:
    db = open_index(open_course(course))
    assert ("lesson", "1/one") in places(find_passages(db, "old", 5))
    assert places(find_passages(db, "How much", 5))[0] == ("question", "d01-sum")
    assert places(find_passages(db, "total print", 5)) == [("lesson", "1/cells")]


def test_what_a_prediction_will_tell_is_not_found_before_it_was_answered(course: Path) -> None:
    db = open_index(open_course(course))
    told = ("explanation", "d01-sum")
    assert told not in places(find_passages(db, "One and one", 40))
    assert told in places(find_passages(db, "One and one", 40, {"d01-sum"}))
    every = [p for p in passages(open_course(course)) if "One and one" in p.text]
    assert [(p.kind, p.place) for p in every] == [told]


def test_a_match_is_marked_in_its_excerpt(course: Path) -> None:
    [hit] = find_passages(open_index(open_course(course)), "addi", 1).hits
    assert ("Adding", True) in hit.excerpt
    assert "".join(text for text, _ in hit.excerpt).startswith("Adding is old")


def test_an_excerpt_is_of_prose_or_of_code_in_lines() -> None:
    code = "x = wait(1)\n\ny = 2\n"
    asked = next(_question(Question("q", "open", "Why does it wait? Look.", "", 1, code=code)))
    db = sqlite3.connect(":memory:")
    create_index(db)
    fill_index(db, [asked])

    def excerpt(typed: str) -> str:
        [hit] = find_passages(db, typed, 1).hits
        return "".join(text for text, _ in hit.excerpt)

    assert excerpt("look") == "Why does it wait? Look. …"
    assert excerpt("y") == "… x = wait(1) ⏎ y = 2"


@pytest.mark.parametrize(
    ("typed", "every"),
    [
        ("kernels", True),
        ("kern", True),
        ("KERNEL", True),
        ("tl.load kernel", True),
        ("kernel zebra", False),
        ("load.tl", None),
        ("k", None),
        ("", None),
        ("—", None),
    ],
)
def test_words_begin_plurals_fall_back_and_dots_join(typed: str, every: bool | None) -> None:
    db = memory(Passage("term", "a", 1, "tl.load", "A kernel reads with tl.load and a mask."))
    found = find_passages(db, typed, 5)
    assert bool(found.hits) is (every is not None)
    if found.hits:
        assert found.every is every


def memory(*found: Passage) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    create_index(db)
    fill_index(db, found)
    return db


HOSTILE = st.lists(
    st.one_of(
        st.sampled_from([*"\"'*^:(){}[]-+ \t\n\0\x01\x02\x03%_;~,./\\é漢", "\ud800", "\u202e"]),
        st.sampled_from([" AND ", " OR ", " NOT ", " NEAR(", "title:", "tile", "mask ", "s"]),
        st.characters(categories=None),
    ),
    max_size=40,
).map("".join)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(typed=HOSTILE, text=HOSTILE)
def test_nothing_typed_and_nothing_written_breaks_it(typed: str, text: str) -> None:
    db = memory(
        Passage("note", "1/a", 1, text, f"tile {text} mask"), Passage("term", "b", 1, "", "")
    )
    found = find_passages(db, typed, 10)
    for hit in found.hits:
        shown = hit.title + "".join(piece for piece, _ in hit.excerpt)
        assert not any(ord(character) < 32 for character in shown)
        shown.encode()
    assert find_passages(db, "tile mask", 5).hits


def test_a_changed_file_is_found_at_once(course: Path) -> None:
    open_index(open_course(course)).close()
    first = kept().stat().st_mtime_ns
    open_index(open_course(course)).close()
    assert kept().stat().st_mtime_ns == first  # a fresh index is not made again
    lesson = next((course / "lessons").glob("day-01-*.md"))
    lesson.write_text(lesson.read_text() + "\nZebras graze.\n")
    assert find_passages(open_index(open_course(course)), "zebra", 5).hits


@pytest.mark.parametrize("damage", ["empty", "noise", "cut", "pages", "other"])
def test_a_damaged_index_is_made_anew(course: Path, damage: str) -> None:
    open_index(open_course(course)).close()
    file = kept()
    data = bytearray(file.read_bytes())
    if damage == "pages":
        data[4096:] = bytes(len(data) - 4096)
    elif damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "noise":
        data = bytearray(b"\xff\x00noise" * 1000)
    elif damage == "empty":
        data = bytearray()
    file.unlink()
    if damage == "other":
        with sqlite3.connect(file) as other:
            other.execute("CREATE TABLE made (stamp TEXT)")
    else:
        file.write_bytes(data)
    assert find_passages(open_index(open_course(course)), "old", 5).hits
    assert find_passages(open_index(open_course(course)), "old", 5).hits


def test_a_faulty_lesson_is_left_out_and_the_rest_is_found(course: Path) -> None:
    next((course / "lessons").glob("day-01-*.md")).write_text("no front matter")
    db = open_index(open_course(course))
    assert not find_passages(db, "Adding old", 5).hits


def test_a_cache_that_cannot_be_written_costs_only_time(
    course: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "file"))
    assert find_passages(open_index(open_course(course)), "old", 5).hits


def test_two_programs_build_it_at_once(course: Path) -> None:
    def build(_: int) -> int:
        return len(find_passages(open_index(open_course(course)), "old", 5).hits)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(build, range(8))) == {1}
