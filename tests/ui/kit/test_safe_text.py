"""A text that is too long ends between two words."""

from tutor.ui.kit.text.safe_text import limit_text


def test_a_long_line_ends_at_a_word() -> None:
    text = "as if that part of x were laid out by columns"
    assert limit_text(text, columns=37) == "as if that part of x were laid out by…"
    assert limit_text(text, columns=30) == "as if that part of x were laid…"
    assert limit_text(text, columns=29) == "as if that part of x were…"
    assert limit_text(text, columns=45) == text


def test_what_has_no_words_says_how_much_is_left_out() -> None:
    assert limit_text("x" * 500, columns=400) == "x" * 400 + "…"
    assert limit_text("x" * 5_000, columns=400) == "x" * 400 + "… (+4600 characters)"
