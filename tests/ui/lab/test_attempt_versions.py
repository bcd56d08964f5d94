"""Which texts of an exercise are listed, so that none is out of reach."""

from datetime import datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from tutor.memory.store.rows import Attempt, Edit
from tutor.ui.kit.text.diff import difference
from tutor.ui.lab.pages.versions import list_versions, name_attempts, texts_left_behind, verdict_of

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def edits(*texts: str, seconds: float = 1.0) -> list[Edit]:
    """Kept one after the other, given oldest first."""
    rows = [
        Edit(i, NOON + timedelta(seconds=seconds * i), "x", "x.py", text)
        for i, text in enumerate(texts)
    ]
    return rows[::-1]


def attempt(text: str, at: datetime = NOON) -> Attempt:
    return Attempt(1, at, "x", text, {}, False, "cpu")


def test_typing_is_one_stretch_and_the_newest_text_is_the_editors() -> None:
    assert texts_left_behind(edits("a", "ab", "abc"), ()) == []


def test_what_a_restored_text_took_the_place_of_is_listed() -> None:
    listed = texts_left_behind(edits("old", "mine", "old"), ())
    assert [edit.text for edit in listed] == ["mine"]
    listed = texts_left_behind(edits("mine", "handed in"), {"handed in"})
    assert [edit.text for edit in listed] == ["mine"]


def test_a_pause_ends_a_stretch() -> None:
    listed = texts_left_behind(edits("a", "ab", seconds=600), ())
    assert [edit.text for edit in listed] == ["a"]


def test_attempts_of_one_minute_have_different_names() -> None:
    names = name_attempts([attempt("b"), attempt("a")])
    assert list(names) == ["b", "a"]
    assert names["b"].startswith("your attempt 2, ")
    assert names["a"].startswith("your attempt 1, ")
    assert names["a"].endswith(", wrong")


def test_attempts_and_texts_left_stand_by_time() -> None:
    kept = edits("a", "b", "a")
    shown = list_versions([attempt("a", NOON)], kept)
    assert [version.source for version in shown] == ["b", "a"]
    assert [version.attempt is None for version in shown] == [True, False]


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=12))
def test_a_text_that_was_replaced_by_an_earlier_one_is_within_reach(texts: list[str]) -> None:
    listed = {edit.text for edit in texts_left_behind(edits(*texts), ())}
    for i in range(1, len(texts)):
        if texts[i] in texts[:i]:
            assert texts[i - 1] in listed


def test_a_difference_is_marked_and_bounded() -> None:
    told = difference("a\nb\n", "a\nc\n", "before", "now").plain
    assert "-b" in told
    assert "+c" in told
    assert difference("a\n", "a\n", "before", "now").plain == "The two texts are the same."
    many = difference("\n".join(map(str, range(20_000))), "x\n" * 20_000, "before", "now").plain
    assert many.count("\n") < 500
    assert "of 20,000 lines are compared" in many
    assert "\x1b" not in difference("", "\x1b[2J", "before", "now").plain


def test_a_verdict_that_another_version_stored_is_none() -> None:
    at = datetime(2026, 11, 20, tzinfo=timezone.utc)
    assert verdict_of(Attempt(1, at, "row_sum", "", {"passed": False}, False, "cpu")) is None
