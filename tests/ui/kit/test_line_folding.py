"""Folds, words and matches of a long text, against the plain way to say the same."""

from hypothesis import given
from hypothesis import strategies as st

from tutor.ui.kit.text import line_folding

lines_of_text = st.lists(st.text("ab.% \t", max_size=6), min_size=1, max_size=12)
steps = st.sampled_from([1, -1])


@given(
    st.integers(0, 12),
    st.dictionaries(st.integers(0, 11), st.integers(1, 6), max_size=3),
    st.sets(st.integers(0, 11), max_size=3),
)
def test_what_is_folded_or_hidden_has_no_row(
    count: int, sizes: dict[int, int], hidden: set[int]
) -> None:
    folded = {line: min(count, line + 1 + size) for line, size in sizes.items() if line < count}
    rows, hides = line_folding.fold_rows(count, folded, hidden)
    inside = {i for head in hides for i in range(head + 1, folded[head])}
    assert [i for i in range(count) if i not in inside | hidden] == list(rows)
    assert all(hides[head] == folded[head] - head - 1 for head in hides)
    for line in range(count):
        row = line_folding.row_of(rows, line)
        assert (row is None) == (line not in list(rows))
        assert row is None or rows[row] == line


@given(lines_of_text, st.integers(0, 11), st.sampled_from(["a", "ab", ".b", "B"]), steps)
def test_a_match_is_the_nearest_one_around_the_end(
    lines: list[str], row: int, needle: str, step: int
) -> None:
    row, needle = row % len(lines), needle.lower()
    found = line_folding.match_from(lines, range(len(lines)), row, needle, step)
    order = [(row + step * i) % len(lines) for i in range(1, len(lines) + 1)]
    holding = [line for line in order if needle in lines[line]]
    assert (found[0] if found else None) == (holding[0] if holding else None)
    if found:
        assert line_folding.format_line(lines[found[0]])[found[1] :].startswith(needle)


@given(st.text("ab.% ", max_size=12), st.integers(0, 12), steps)
def test_words_begin_after_a_blank(text: str, column: int, step: int) -> None:
    there = line_folding.word_from(text, column, step)
    starts = [i for i in range(len(text)) if text[i] != " " and (i == 0 or text[i - 1] == " ")]
    beyond = [i for i in starts if (i > column if step > 0 else i < column)]
    assert there == (None if not beyond else beyond[0] if step > 0 else beyond[-1])


@given(st.sets(st.integers(0, 12)), st.integers(0, 12), steps)
def test_marks_that_follow_each_other_are_one(marks: set[int], line: int, step: int) -> None:
    there = line_folding.mark_from(marks, line, step)
    if there is None:
        assert not [i for i in marks if (i > line if step > 0 else i < line) and i - 1 not in marks]
    else:
        assert there in marks
        assert there - 1 not in marks
        assert (there - line) * step > 0


@given(st.integers(0, 500), st.integers(0, 500), st.integers(1, 60), st.booleans())
def test_what_is_scrolled_to_is_in_sight(row: int, top: int, height: int, centre: bool) -> None:
    if not top <= row < top + height:
        new = line_folding.top_for(row, top, height, centre=centre)
        assert new <= row < new + height
        assert new >= 0
