"""Code has the same colours in the editor as in a lesson, and each can be read on its ground."""

import pytest
from doing import WIDE, Host, show, until
from rich.style import Style
from sights import contrast
from textual.color import Color

from tutor.ui.kit.core import theme
from tutor.ui.lab.screen import LabScreen

CODE = """@triton.jit
def scaled(x: torch.Tensor, n) -> torch.Tensor:
    # twice
    return len("a") * 2
"""


def styles(lab: LabScreen) -> dict[str, Style]:
    """The style of each word of the editor."""
    found = {}
    for y in range(4):
        for segment in lab.document.editor.render_line(y):
            if segment.text.strip() and segment.style:
                found[segment.text.strip()] = segment.style
    return found


@pytest.mark.parametrize("name", [theme.DARK.name, theme.LIGHT.name])
async def test_types_and_comments_can_be_read(host: Host, name: str) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = LabScreen("vector_add")
        await show(pilot, lab)
        lab.document.editor.replace_text(CODE)
        host.theme = name
        await pilot.pause()
        lab.panes.show_side("pane")
        await pilot.pause()
        for word, style in styles(lab).items():
            if word[0].isdigit() and len(word) == 1 and not style.bold:
                continue  # a line's number
            assert style.color
            assert style.bgcolor
            text, ground = style.color.get_truecolor(), style.bgcolor.get_truecolor()
            assert contrast(text, ground) >= 4.5, (name, word)


def colour_of(lab: LabScreen, word: str) -> Color | None:
    style = styles(lab).get(word)
    return Color.from_rich_color(style.color) if style and style.color else None


async def test_a_keyword_has_a_colour_of_the_theme_and_follows_it(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = LabScreen("vector_add")
        await show(pilot, lab)
        lab.document.editor.replace_text(CODE)
        for each in (theme.LIGHT, theme.DARK):
            host.theme = each.name
            assert each.secondary is not None
            wanted = Color.parse(each.secondary)
            await until(pilot, lambda wanted=wanted: colour_of(lab, "def") == wanted)
