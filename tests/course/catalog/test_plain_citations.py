"""In plain text a citation is a number, which the list of sources has."""

from tutor.course.catalog.course import open_course
from tutor.course.catalog.plain_text import (
    format_recording,
    lesson_text,
    list_sources,
    prose_lines,
)
from tutor.course.recordings import find_recorded_runs


def test_a_citation_is_the_number_of_its_source() -> None:
    lesson = open_course().lesson(1)
    assert lesson is not None
    first = lesson.sources[0].id
    shown = prose_lines(f"Read [{first}], not `x[{first}]` or [brackets].", sources=lesson.sources)
    assert shown == [f"Read [1], not `x[{first}]` or [brackets]."]
    listed = list_sources(lesson)
    assert listed[3].startswith(f"[1] {lesson.sources[0].title.split()[0]}")
    text = lesson_text(lesson)
    assert not any(f"[{source.id}]" in text for source in lesson.sources)


TREE = """\
```text
 |- yes -> one
 |         more
 `- no
    `- last
```
"""

COLUMNS = """\
```text
  one, then two     three
       |              |
     four            five <-+
```
"""


def test_a_tree_becomes_nested_items_and_a_drawing_with_bars_its_words() -> None:
    tree = ["     - yes -> one", "               more", "     - no", "        - last"]
    assert prose_lines(TREE) == tree
    words = ["    Diagram, its words row by row:", "    one, then two; three", "    four; five"]
    assert prose_lines(COLUMNS) == words


def test_a_link_to_a_place_of_the_course_is_its_words() -> None:
    text = "See [long](exercise:long_softmax), [Day 3](lesson:3/twin), [web](https://a.example)."
    assert prose_lines(text) == ["See long, Day 3, web (https://a.example)."]


def test_the_words_before_a_recorded_run_are_wrapped() -> None:
    lesson = open_course().lesson(1)
    assert lesson is not None
    for known in find_recorded_runs(lesson).values():
        words = "\n".join(format_recording(known)).split("\n\n")[0].strip("\n").splitlines()
        assert len(words) == 2
        assert max(map(len, words)) <= 78
