"""Tables of texts: columns as wide as their content needs, and no word cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from tutor.ui.kit.widgets.markdown import MarkdownView
from tutor.ui.kit.widgets.table import column_widths

STEPS = """
| step | does |
|---|---|
| `split X f` | Loop `X` of extent `e` becomes two loops in its place, the outer one and the inner one. |
| `reorder X Y` | The loops named here take the places that they hold among themselves. |
"""
WHO = """
| system | what it checks | who vouches for the rest |
|---|---|---|
| PyTorch operator | input and output must not overlap in part [9] | its author |
| MLIR affine, Pluto, isl | distances, as today, with unknown sizes | nobody has to |
"""


async def drawn(text: str, columns: int) -> str:
    class Page(App[None]):
        def compose(self) -> ComposeResult:
            yield MarkdownView(text)

    app = Page()
    async with app.run_test(size=(columns, 40)) as pilot:
        await pilot.pause()
        strips = app.screen._compositor.render_strips(app.size)
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)


@pytest.mark.parametrize(
    ("text", "columns", "whole"),
    [
        (STEPS, 60, ["split X f", "reorder X Y"]),
        (WHO, 100, ["PyTorch operator", "MLIR affine, Pluto, isl", "who vouches for the rest"]),
        (WHO, 80, ["PyTorch operator", "MLIR affine,"]),
    ],
)
async def test_a_narrow_column_keeps_its_words_together(
    text: str, columns: int, whole: list[str]
) -> None:
    shown = await drawn(text, columns)
    assert [words for words in whole if words not in shown] == []


async def test_a_table_without_room_cuts_no_letter() -> None:
    shown = await drawn("| a | b |\n|---|---|\n| extraordinarily | considerations |\n", 20)
    assert "…" not in shown
    letters = "".join(filter(str.isalpha, shown))
    assert sorted(letters) == sorted("ab" + "extraordinarily" + "considerations")


columns = st.lists(
    st.tuples(st.integers(3, 30), st.integers(0, 200)).map(lambda c: (c[0], c[0] + c[1])),
    min_size=1,
    max_size=6,
)


@given(columns, st.integers(10, 120))
def test_widths_fill_the_room_and_keep_words(sizes: list[tuple[int, int]], room: int) -> None:
    least, want = zip(*sizes, strict=True)
    found = column_widths(least, want, room)
    if sum(want) <= room:
        assert found == list(want)
    elif sum(least) <= room:
        assert sum(found) == room
        assert all(
            low <= width <= most for low, width, most in zip(least, found, want, strict=True)
        )
    else:
        assert min(found) >= 1
        assert sum(found) <= room + len(found)


def test_a_column_that_wants_less_than_its_share_gets_what_it_wants() -> None:
    assert column_widths([7, 10], [11, 200], 60) == [11, 49]
