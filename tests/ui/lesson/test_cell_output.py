"""What a cell prints is bounded, whatever it prints and in whatever pieces."""

from hypothesis import given
from hypothesis import strategies as st

from tutor.ui.cells.cell_output import LINE_LIMIT, Output, clean_line
from tutor.ui.kit.widgets.markdown import split_at_block

PIECES = st.lists(st.text(st.sampled_from("ab\n\r\x00\x1b[31m"), max_size=40), max_size=20)


@given(PIECES, st.integers(1, 8), st.integers(1, 60))
def test_pieces_do_not_matter_and_nothing_is_lost_uncounted(
    pieces: list[str], lines: int, characters: int
) -> None:
    whole, parts = Output(lines, characters), Output(lines, characters)
    whole.add("".join(pieces))
    for piece in pieces:
        parts.add(piece)
    assert parts.text() == whole.text()
    body = parts.text().split("\n… ")[0]
    assert body.count("\n") < lines
    assert len(body) <= characters * 8  # a tab is at most eight columns
    assert not set(body) & set("\x00\x1b\r")


@given(st.text(max_size=200).map(lambda text: text.replace("\n", "")))
def test_a_line_has_nothing_that_a_terminal_obeys(line: str) -> None:
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in clean_line(line))


def test_a_line_of_ten_megabytes_is_cut_and_counted() -> None:
    output = Output()
    output.add("x" * 10_000_000)
    text = output.text()
    assert len(text) < 2 * LINE_LIMIT
    assert "8,951,424 more characters" in text


def test_a_progress_bar_shows_its_last_state() -> None:
    assert clean_line("10 %\r50 %\r100 %\r") == "100 %"


@given(
    st.lists(
        st.sampled_from(
            [
                "para graph",
                "- item\n- item",
                "```\ncode\n\nmore\n```",
                "> q",
                "| a | b |\n| - | - |\n| 1 | 2 |",
            ]
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 30),
)
def test_text_is_only_cut_between_blocks(blocks: list[str], lines: int) -> None:
    text = "\n\n".join(blocks)
    first, rest = split_at_block(text, lines)
    assert first + rest == text
    assert first.count("```") % 2 == 0
