"""Long lines of code are broken at words, and nothing of them is lost."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from tutor.ui.kit.text.wrapped_lines import wrap_code, wrap_list, wrap_prose


def lines(text: str, width: int) -> list[str]:
    return wrap_code(Content(text), width).plain.split("\n")


def test_a_comment_is_filled_anew() -> None:
    words = " ".join(["masked lanes hold minus infinity"] * 3)  # a line that is full
    text = f"    # {words},\n    # which no\n    # One more.\n    x = 1\n    # Short."
    assert lines(text, 60) == [
        "    # masked lanes hold minus infinity masked lanes hold",
        "    # minus infinity masked lanes hold minus infinity, which",
        "    # no",
        "    # One more.",
        "    x = 1",
        "    # Short.",
    ]
    assert lines(text, 120) == text.split("\n"), "where it fits it stays"


def test_a_mark_of_a_difference_is_repeated() -> None:
    assert lines("+ # masked lanes hold minus infinity", 30)[1] == "+ # infinity"


def test_code_goes_on_one_step_further_in() -> None:
    assert lines("+   tl.store(out + at, total, mask=at < n)", 30) == [
        "+   tl.store(out + at, total,",
        "        mask=at < n)",
    ]


def test_styles_stay_with_their_words() -> None:
    text = Content.assemble("a plain beginning of ", ("four more words", "bold"))
    (first, second) = wrap_code(text, 24).split("\n")
    assert first.plain == "a plain beginning of"
    assert not first.spans
    assert second.plain.strip() == "four more words"
    assert any(span.style == "bold" for span in second.spans)


@pytest.mark.parametrize(
    "text",
    [
        "   - shows: half the bytes, twice",
        "1. ✓ a product in tiles, right",
        "│ words of mine, and more of them",
    ],
)
def test_an_item_goes_on_below_its_first_word(text: str) -> None:
    first, second = wrap_prose(Content(text), 25).plain.split("\n")
    margin = next(i for i, letter in enumerate(first) if letter.isalpha())
    assert second == " " * margin + second.strip()


def test_prose_goes_on_at_the_margin() -> None:
    _, second = wrap_prose(Content("FLOP for each byte that programs load"), 25).plain.split("\n")
    assert second == "programs load"


def test_an_item_without_a_mark_goes_on_further_in() -> None:
    answer = "The answer:\n  one element a thread → loads\n  1. the clock is read once"
    assert wrap_list(Content(answer), 26).plain.split("\n") == [
        "The answer:",
        "  one element a thread →",
        "    loads",
        "  1. the clock is read",
        "     once",
    ]


@given(
    st.text("ab #+-.│1✓", max_size=200),
    st.integers(1, 60),
    st.sampled_from([wrap_code, wrap_prose, wrap_list]),
)
def test_no_line_is_longer_and_no_letter_is_lost(
    text: str, width: int, breaks: Callable[[Content, int], Content]
) -> None:
    broken = breaks(Content(text), width).plain.split("\n")
    assert all(len(line) <= width for line in broken)
    marks = str.maketrans("", "", " #+-" if breaks is wrap_code else " ")  # those come again
    assert "".join(broken).translate(marks) == text.replace("\n", "").translate(marks)
