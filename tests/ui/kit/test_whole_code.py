"""Short code, `Day 13` and `65 536` stay on one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from tutor.ui.kit.text.inline_markdown import style_code, style_inline
from tutor.ui.kit.text.phrases import hang_after_mark
from tutor.ui.kit.text.whole_code import WholeCode


def lines(content: Content, width: int) -> list[str]:
    return [line.plain for line in content.wrap(width)]


@pytest.mark.parametrize("made", [style_inline, style_code])
def test_a_short_formula_is_not_broken_at_a_blank(made: type[Content]) -> None:
    text = made("The two distances are `(0, 2)` and `(1, -1)` here.")
    assert lines(text, 26) == ["The two distances are", "(0, 2) and (1, -1) here."]
    assert text.get_height({}, 26) == 2


def test_a_day_and_its_number_stay_together() -> None:
    assert lines(style_inline("The rule of Day 13 says so."), 16) == [
        "The rule of",
        "Day 13 says so.",
    ]


def test_groups_of_digits_stay_together() -> None:
    assert lines(style_inline("In all it is 65 536 lines."), 16) == [
        "In all it is",
        "65 536 lines.",
    ]


def test_long_code_is_broken_at_its_blanks() -> None:
    text = style_inline("`torch.compile(model, dynamic=True)` runs")
    assert lines(text, 24) == ["torch.compile(model,", "dynamic=True) runs"]


def test_code_behind_a_mark_stays_whole_too() -> None:
    shown = hang_after_mark(
        Content("→ "), Content.assemble(style_inline("It is at `x = 1` now."), " Day 2"), 14
    )
    assert shown.plain.split("\n")[:2] == ["→ It is at", "  x = 1 now."]


@given(st.text(alphabet="ab `\n", max_size=80), st.integers(4, 40))
def test_nothing_is_lost_and_no_blank_is_changed(text: str, width: int) -> None:
    whole = style_code(text)
    shown = "".join(line.plain for line in WholeCode(whole).wrap(width))
    assert sorted(shown.split()) == sorted(shown.replace("\ue000", " ").split())
    assert "".join(shown.split()) == "".join(whole.plain.split())
