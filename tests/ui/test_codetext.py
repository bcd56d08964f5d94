"""What the editor does to lines of Python, and where it finds a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.ui import codetext

LINES = st.lists(st.text("ab #'\"\t:()", max_size=12), min_size=1, max_size=6)


@given(LINES)
def test_commenting_is_taken_back_by_doing_it_again(lines: list[str]) -> None:
    told = [line for line in lines if line.strip()]
    if all(line.lstrip().startswith("#") for line in told):
        return  # these lose their marks
    commented = codetext.toggled_comment(lines)
    assert all(line.lstrip().startswith("#") for line in commented if line.strip())
    assert codetext.toggled_comment(commented) == lines


def test_comments_stand_at_the_leftmost_indentation() -> None:
    lines = ["    if x:", "", "        y()"]
    assert codetext.toggled_comment(lines) == ["    # if x:", "", "    #     y()"]


@given(LINES, st.integers(1, 8))
def test_a_step_in_is_taken_back_by_a_step_out(lines: list[str], width: int) -> None:
    inner = codetext.indented(lines, width)
    assert [line for line in inner if not line.strip()] == [x for x in lines if not x.strip()]
    told = [line for line in lines if line.strip()]
    assert codetext.dedented([line for line in inner if line.strip()], width) == told


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if x:", "    "),
        ("    if x:  # why: this", "        "),
        ('    if s == "#":', "        "),
        ("    # a comment that ends in a colon:", "    "),
        ('    print("as it is said:', "    "),
        ("    y = f(", "        "),
        ("    return x", ""),
        ("    return (x +", "    "),
        ("    returned = 1", "    "),
        ("        pass", "    "),
        ("return", ""),
        ("\tif x:", "\t    "),
        ("", ""),
        ("   ", "   "),
    ],
)
def test_the_next_line_is_indented_as_python_goes_on(before: str, after: str) -> None:
    assert codetext.indentation_after(before, 4) == after


@given(LINES, st.text("aB#.(", min_size=1, max_size=2), st.booleans())
def test_every_place_found_has_the_text(lines: list[str], needle: str, capitals: bool) -> None:
    found = list(codetext.occurrences(lines, needle, capitals=capitals))
    assert found == sorted(found)
    for row, column in found:
        there = lines[row][column : column + len(needle)]
        assert there == needle if capitals else there.lower() == needle.lower()
    flags = 0 if capitals else re.IGNORECASE
    assert len(found) == sum(len(re.findall(re.escape(needle), x, flags)) for x in lines)


def test_finding_is_bounded() -> None:
    found = codetext.occurrences(["x" * 1_000_000], "x", capitals=True)
    assert len(list(found)) == codetext.MOST_FOUND
    assert list(codetext.occurrences(["x"], "", capitals=True)) == []
