"""The program's own colours, dark and light. Every other Textual theme stays available (T)."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import Monochrome, NoColor, monochrome_style
from textual.theme import BUILTIN_THEMES, Theme


def _complete(theme: Theme) -> Theme:
    """Add the variables that repeat a colour of the theme, and the styles that both themes share."""
    shared: dict[str, Any] = {
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": theme.panel,
        "footer-background": theme.surface,
        "footer-key-foreground": theme.primary,
        "scrollbar": theme.variables["border"],
        "scrollbar-background": theme.background,
        "markdown-h2-color": theme.primary,
        "markdown-h2-background": "transparent",
        "markdown-h2-text-style": "bold",
        "markdown-h3-color": theme.accent,
        "markdown-h3-text-style": "bold",
    }
    return replace(theme, variables={**theme.variables, **shared})


DARK = _complete(
    Theme(
        name="tutor-dark",
        primary="#5cc2b3",
        secondary="#8fb0e8",
        accent="#e6b566",
        foreground="#d6d9de",
        background="#15171b",
        surface="#1b1e24",
        panel="#252932",
        success="#93c76a",
        warning="#e6b566",
        error="#ea7b83",
        dark=True,
        variables={
            "block-cursor-background": "#243c3e",
            "block-cursor-foreground": "#f0f4f4",
            "footer-description-foreground": "#a4a9b3",
            "input-selection-background": "#2b5753",
            "text-muted": "#9ba0a9",
            "text-disabled": "#989da7",
            "border": "#3a4050",
        },
    )
)

LIGHT = _complete(
    Theme(
        name="tutor-light",
        primary="#086c62",
        secondary="#2f5597",
        accent="#825200",
        foreground="#25282e",
        background="#fbfaf7",
        surface="#f3f1eb",
        panel="#eae7df",
        success="#3a7418",
        warning="#825200",
        error="#b0243a",
        dark=False,
        variables={
            "block-cursor-background": "#d7ebe7",
            "block-cursor-foreground": "#10302c",
            "footer-description-foreground": "#565a63",
            "text-muted": "#585b63",
            "text-disabled": "#5c5f67",
            "border": "#c4c0b4",
        },
    )
)


def _of_terminal(name: str, textuals: str, ground: str, text: str) -> Theme:
    """Textual's theme of the terminal's own sixteen colours, under a name that says what it is.

    The ground under a list's cursor is one on which the terminal's default colour can be read.
    """
    theme = BUILTIN_THEMES[textuals]
    cursor = {"block-cursor-background": ground, "block-cursor-foreground": text}
    return replace(theme, name=name, variables={**theme.variables, **cursor})


TERMINAL_DARK = _of_terminal("terminal-dark", "ansi-dark", "ansi_bright_black", "ansi_bright_white")
TERMINAL_LIGHT = _of_terminal("terminal-light", "ansi-light", "ansi_white", "ansi_black")

ABOUT = {
    DARK.name: "dark",
    LIGHT.name: "light",
    TERMINAL_DARK.name: "the terminal's own colours, on dark",
    TERMINAL_LIGHT.name: "the terminal's own colours, on light",
}


class Greys(Monochrome):
    """For `NO_COLOR`: greys for our colours; of the terminal's own only its two default ones.

    Textual's filter fails on a piece without a style, and makes the terminal's own colours black on
    black.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text, style and _grey(style), None) for text, style, _ in segments]


@lru_cache(1024)
def _grey(style: Style) -> Style:
    back = style.bgcolor
    if all(colour is None or colour.triplet for colour in (style.color, back)):
        return monochrome_style(style)
    plain = style + NoColor.DEFAULT_COLORS
    # What stood out by its ground (a list's cursor) stands out reversed.
    return plain if back is None or back.is_default else plain + Style(reverse=True)


def about(theme: Theme) -> str:
    """Words on a theme of ours; of any other, whether it is dark or light."""
    return ABOUT.get(theme.name, "dark" if theme.dark else "light")


def theme_names(known: Iterable[str]) -> list[str]:
    """Every theme once: ours, the terminal's own, then Textual's."""
    same = {"ansi-dark", "ansi-light", "textual-ansi"}
    return [*ABOUT, *sorted(set(known) - set(ABOUT) - same)]
