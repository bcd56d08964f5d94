"""Long lines of code are broken at words, and nothing of them is lost."""

from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from tutor.ui.kit.text.wrapped_lines import wrapped


def lines(text: str, width: int) -> list[str]:
    return wrapped(Content(text), width).plain.split("\n")


def test_a_comment_goes_on_below_its_first_word() -> None:
    assert lines("    # masked lanes hold minus infinity", 30) == [
        "    # masked lanes hold minus",
        "      infinity",
    ]


def test_code_goes_on_one_step_further_in() -> None:
    assert lines("+   tl.store(out + at, total, mask=at < n)", 30) == [
        "+   tl.store(out + at, total,",
        "        mask=at < n)",
    ]


def test_styles_stay_with_their_words() -> None:
    text = Content.assemble("a plain beginning of ", ("four more words", "bold"))
    (first, second) = wrapped(text, 24).split("\n")
    assert first.plain == "a plain beginning of"
    assert not first.spans
    assert second.plain.strip() == "four more words"
    assert any(span.style == "bold" for span in second.spans)


@given(st.text("ab #+-.", max_size=200), st.integers(1, 60))
def test_no_line_is_longer_and_no_letter_is_lost(text: str, width: int) -> None:
    broken = lines(text, width)
    assert all(len(line) <= width for line in broken)
    assert "".join(broken).replace(" ", "") == text.replace(" ", "")
