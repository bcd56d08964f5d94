"""The program's own colours, dark and light. Every other Textual theme stays available (F2)."""

from contextlib import suppress
from pathlib import Path

from textual.theme import Theme

DARK = Theme(
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
        "block-cursor-background": "#2f4a4c",
        "block-cursor-foreground": "#f0f4f4",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#252932",
        "footer-background": "#1b1e24",
        "footer-key-foreground": "#5cc2b3",
        "footer-description-foreground": "#a4a9b3",
        "border": "#3a4050",
        "scrollbar": "#3a4050",
        "scrollbar-background": "#15171b",
        "markdown-h2-color": "#5cc2b3",
        "markdown-h2-background": "transparent",
        "markdown-h2-text-style": "bold",
        "markdown-h3-color": "#e6b566",
        "markdown-h3-text-style": "bold",
    },
)

LIGHT = Theme(
    name="tutor-light",
    primary="#0a7268",
    secondary="#2f5597",
    accent="#8f5a00",
    foreground="#25282e",
    background="#fbfaf7",
    surface="#f3f1eb",
    panel="#e7e4db",
    success="#3a7418",
    warning="#8f5a00",
    error="#b0243a",
    dark=False,
    variables={
        "block-cursor-background": "#cfe5e1",
        "block-cursor-foreground": "#10302c",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#e7e4db",
        "footer-background": "#f3f1eb",
        "footer-key-foreground": "#0a7268",
        "footer-description-foreground": "#565a63",
        "border": "#c4c0b4",
        "scrollbar": "#c4c0b4",
        "scrollbar-background": "#fbfaf7",
        "markdown-h2-color": "#0a7268",
        "markdown-h2-background": "transparent",
        "markdown-h2-text-style": "bold",
        "markdown-h3-color": "#8f5a00",
        "markdown-h3-text-style": "bold",
    },
)


def chosen(file: Path, known: set[str]) -> str | None:
    """The theme named in `file` on an earlier day, if it still exists."""
    try:
        name = file.read_text(encoding="utf-8", errors="replace")[:100].strip()
    except OSError:
        return None
    return name if name in known else None


def keep(file: Path, name: str) -> None:
    """Remember a choice. Colours are not worth an error: a read-only disk is ignored."""
    with suppress(OSError):
        file.write_text(name + "\n", encoding="utf-8")
