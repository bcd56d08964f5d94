"""Where a lesson's prose leads, which of its words are explained, how its minutes spread."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token

from tutor.authoring.check import faults
from tutor.course.catalog.course import open_course
from tutor.course.catalog.glossary import Term
from tutor.course.model import Cell, Prose, Section, Source
from tutor.course.reading.links import ProseLink, add_addresses, linking_parser, links_in, parser
from tutor.ui.lesson.section_terms import section_minutes, terms_in

SOURCES = (Source("torch-add", "torch.add"),)


def section(*blocks: str | Cell) -> Section:
    made = (block if isinstance(block, Cell) else Prose(block, 1) for block in blocks)
    return Section("A section", "a-section", 1, tuple(made))


def test_each_target_once_in_the_order_of_the_text() -> None:
    text = (
        "See [torch-add], Day 5 and [the map](lesson:14/the-map); Day 5 again, [Day 6], `Day 7`,\n"
        "[an address](https://example.org), Days 8 to 10.\n\n```text\nDay 11\n```"
    )
    assert links_in(section(text), SOURCES) == (
        ProseLink("source:torch-add", "[1]"),
        ProseLink("day:5", "Day 5"),
        ProseLink("lesson:14/the-map", "the map"),
        ProseLink("day:6", "Day 6"),
        ProseLink("https://example.org", "an address"),
        ProseLink("day:8", "Day 8"),
        ProseLink("day:9", "Day 9"),
        ProseLink("day:10", "Day 10"),
    )


MARKS = [
    *("Day 3", "day 4", "Day", "12", " ", "`", "*", "**", "_", "[", "](day:2)", "](", ")", "!["),
    *("\n", "\n\n", "- ", "```\n", "> ", "|", "<b>", "\\", "Days 1 to 3"),
]


@given(st.lists(st.sampled_from(MARKS), max_size=30).map("".join))
def test_days_as_links_change_no_word_and_nothing_in_code(text: str) -> None:
    linked = linking_parser().parse(text)
    assert words(linked) == words(parser().parse(text))
    depth = 0
    for child in (child for token in linked for child in token.children or ()):
        depth += (child.type == "link_open") - (child.type == "link_close")
        assert depth in (0, 1)  # no link inside a link


def words(tokens: list[Token]) -> str:
    """Blocks and inline code apart from text, so that nothing may move between them."""
    said = []
    for token in tokens:
        said.append(f"<{token.type}>{'' if token.children else token.content}")
        for child in token.children or ():
            if child.type not in ("link_open", "link_close"):
                said.append(
                    child.content if child.type == "text" else f"<{child.type}>{child.content}"
                )
    return "".join(said)


@given(st.lists(st.sampled_from([*MARKS, "[torch-add]", "[Day 3]"]), max_size=30).map("".join))
def test_any_prose_has_its_links_listed(text: str) -> None:
    targets = [link.target for link in links_in(section(text), SOURCES)]
    assert len(targets) == len(set(targets))
    add_addresses(text, SOURCES)


@pytest.mark.parametrize(
    "target", ["lesson:1/gone", "day:9", "term:gone", "exercise:gone"], ids=lambda t: str(t)
)
def test_a_link_that_leads_nowhere_is_a_fault_with_its_line(course: Path, target: str) -> None:
    lesson = next((course / "lessons").glob("day-01-*.md"))
    assert faults(course) == ()
    good = "[cells](lesson:1/cells)"
    lesson.write_text(lesson.read_text() + f"\n{good}\n")
    assert faults(course) == ()
    lesson.write_text(lesson.read_text() + f"\n[there]({target})\n")
    [fault] = faults(course)
    assert fault.field == "link"
    assert fault.line == lesson.read_text().split("\n").index(f"[there]({target})") + 1
    assert target in str(fault)


def test_words_by_pattern_in_code_and_by_name_in_prose() -> None:
    load = Term("tl-load", "tl.load", "op", "…", "s", match=(r"tl\.load",), languages=("python",))
    order = Term("order", "order", "layout", "…", "s", match=("order",), languages=("ttgir",))
    tile = Term("tile", "tile", "term", "…", "s")
    terms = (tile, order, load)
    assert terms_in(terms, section("Tiles in order.")) == ()
    assert terms_in(terms, section("A block is a tile.")) == (tile,)
    assert terms_in(terms, section("Tile by tile.")) == (tile,)
    assert terms_in(terms, section("It reads with `tl.load`, `order` aside, a tile.")) == (
        load,
        order,
        tile,
    )
    assert terms_in(terms, section("A tile comes first; then `tl.load`.")) == (tile, load)
    cell = Cell("x = tl.load(p)", 1, 1)
    assert terms_in(terms, section("No word.", cell)) == (load,)
    assert terms_in(terms, section("A tile.", cell)) == (tile, load)


@pytest.mark.slow
def test_the_minutes_of_the_sections_are_about_those_of_the_lesson() -> None:
    course = open_course()
    for day in course.overview().days:
        if lesson := course.lesson(day.day):
            minutes = section_minutes(lesson, lesson.minutes)
            assert min(minutes) >= 1
            assert abs(sum(minutes) - lesson.minutes) <= len(minutes)
