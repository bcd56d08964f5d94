"""The line or two at the top of a screen: what gives way where there is no room."""

import pytest
from textual.content import Content

from tutor.ui.kit.widgets.header import _justify

TEXTS = tuple(map(Content, ("sitting 1 of 3, 120 min · week 4", "sitting 1 of 3, 120 min")))


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (60, "sitting 1 of 3, 120 min · week 4         ▸□□□□□□□□□□□□□□□□□□"),
        (53, "sitting 1 of 3, 120 min · week 4  ▸□□□□□□□□□□□□□□□□□□"),
        (52, "sitting 1 of 3, 120 min          ▸□□□□□□□□□□□□□□□□□□"),
        (40, "sitting 1 of 3, 12…  ▸□□□□□□□□□□□□□□□□□□"),
    ],
)
def test_the_first_text_that_fits_whole_is_shown(width: int, said: str) -> None:
    assert _justify(TEXTS, "▸" + "□" * 18, width).plain == said
