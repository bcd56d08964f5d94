"""What the editor does to lines of Python, and where it finds a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.ui.editor import python_lines

LINES = st.lists(st.text("ab #'\"\t:()", max_size=12), min_size=1, max_size=6)


@given(LINES)
def test_commenting_is_taken_back_by_doing_it_again(lines: list[str]) -> None:
    told = [line for line in lines if line.strip()]
    if all(line.lstrip().startswith("#") for line in told):
        return  # these lose their marks
    commented = python_lines.toggle_comment(lines)
    assert all(line.lstrip().startswith("#") for line in commented if line.strip())
    assert python_lines.toggle_comment(commented) == lines


def test_comments_stand_at_the_leftmost_indentation() -> None:
    lines = ["    if x:", "", "        y()"]
    assert python_lines.toggle_comment(lines) == ["    # if x:", "", "    #     y()"]


@given(LINES, st.integers(1, 8))
def test_a_step_in_is_taken_back_by_a_step_out(lines: list[str], width: int) -> None:
    inner = python_lines.indent(lines, width)
    assert [line for line in inner if not line.strip()] == [x for x in lines if not x.strip()]
    told = [line for line in lines if line.strip()]
    assert python_lines.dedent([line for line in inner if line.strip()], width) == told


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
    assert python_lines.indentation_after(before, 4) == after


@given(LINES, st.text("aB#.(", min_size=1, max_size=2), st.booleans())
def test_every_place_found_has_the_text(lines: list[str], needle: str, capitals: bool) -> None:
    found = list(python_lines.find_occurrences(lines, needle, capitals=capitals))
    assert found == sorted(found)
    for row, column in found:
        there = lines[row][column : column + len(needle)]
        assert there == needle if capitals else there.lower() == needle.lower()
    flags = 0 if capitals else re.IGNORECASE
    assert len(found) == sum(len(re.findall(re.escape(needle), x, flags)) for x in lines)


def test_finding_is_bounded() -> None:
    found = python_lines.find_occurrences(["x" * 1_000_000], "x", capitals=True)
    assert len(list(found)) == python_lines.MOST_FOUND
    assert list(python_lines.find_occurrences(["x"], "", capitals=True)) == []


@pytest.mark.parametrize(
    ("text", "indentation"),
    [
        ("if x:\n    y()\n    else:", ""),
        ("if x:\n    y()\n    elif z:", ""),
        ("if x:\n    y()\nelif z:\n    w()\n    else:", ""),
        ("    for x in y:\n        z()\n        else:", "    "),
        ("async def f():\n    async for x in y:\n        z()\n        else:", "    "),
        ("try:\n    y()\n    except (A, B) as error:", ""),
        ("try:\n    y()\nexcept A:\n    z()\n    finally:", ""),
        ("try:\n    y()\nexcept A:\n    z()\n    else:", ""),
        ("match x:\n    case 1:\n        y()\n        case 2:", "    "),
        ("\tif x:\n\t\ty()\n\t\telse:", "\t"),
        ("if f(\n    a,\n):\n    y()\n    else:", ""),
        ("if x:\n    y()\n\n    # why\n\n    else:", ""),
        ("if x:\n    for y in z:\n        w()\n    elif v:", ""),  # `for` knows no elif
        ("if x:\n    if y:\n        z()\n    else:\n        w()\n    else:", ""),
        # It stands right already.
        ("if x:\n    if y:\n        z()\n    else:", None),
        ("match x:\n    case 1:", None),
        # There is nothing that it goes on with.
        ("    else:", None),
        ("def f():\n    y()\n    else:", None),
        ("if x:\n    y()\nz()\nfor a in b:\n    c()\n    elif d:", None),
        ("if x:\n    y()\nelse:\n    z()\n    finally:", None),
        ("try:\n    y()\n    else:", None),
        ("try:\n    y()\nfinally:\n    z()\n    except A:", None),
        # It is no clause.
        ("if x:\n    y()\n    elsewhere:", None),
        ("if x:\n    y()\n    elif z[a:", None),
        ("if x:\n    y()\n    # else:", None),
        ("if x:\n    y()\n    d = {1:", None),
        ("if x:\n    y()\nelse:", None),
    ],
)
def test_a_clause_goes_out_to_its_block(text: str, indentation: str | None) -> None:
    *above, line = text.split("\n")
    assert python_lines.clause_indentation(above, line) == indentation


BLOCKS = st.recursive(
    st.sampled_from([("pass",), ("x = f(", "    1,", ")"), ("# said", "pass")]),
    lambda body: st.builds(
        lambda heads, bodies: tuple(
            line
            for head, inner in zip(heads, bodies, strict=False)
            for line in (head, *(f"    {one}" for one in inner))
        ),
        st.sampled_from(
            [
                ("if x:", "elif y:", "else:"),
                ("for x in y:", "else:"),
                ("while x:", "else:"),
                ("try:", "except A:", "except B:", "else:", "finally:"),
                ("try:", "finally:"),
                ("def f():",),
            ]
        ),
        st.lists(body, min_size=5, max_size=5),
    ),
    max_leaves=12,
)


@given(BLOCKS)
def test_in_a_sound_program_a_clause_never_goes_further_out_than_it_stands(
    block: tuple[str, ...],
) -> None:
    """Typed where its block is it stays; typed at the body before it, it is put where it was."""
    for row, line in enumerate(block):
        if line.strip().split(" ")[0].rstrip(":") not in ("else", "elif", "except", "finally"):
            continue
        above = block[:row]
        assert python_lines.clause_indentation(above, line) is None
        if above[-1].strip() == "pass":
            typed = above[-1].replace("pass", line.strip())
            step = len(typed) - len(line)
            if step == 4:
                assert python_lines.clause_indentation(above, typed) == line[: -len(line.strip())]
