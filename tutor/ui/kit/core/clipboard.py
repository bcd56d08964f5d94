"""Copying text: a program of this desktop, else the terminal (OSC 52) and a file.

A terminal sends no answer to OSC 52, and many terminals ignore it. So the text also goes into a file.
"""

import os
import shutil
import subprocess
from typing import NamedTuple

from textual.app import App

from tutor.base import paths

_SECONDS = 2.0  # limit for a program whose display does not answer


class Tool(NamedTuple):
    """A program that puts its standard input on the clipboard. `display`: the environment variable
    without which there is no clipboard, "" if it needs none."""

    command: tuple[str, ...]
    display: str = ""


TOOLS = (
    Tool(("wl-copy",), "WAYLAND_DISPLAY"),
    Tool(("xclip", "-selection", "clipboard"), "DISPLAY"),
    Tool(("xsel", "--clipboard", "--input"), "DISPLAY"),
    Tool(("pbcopy",)),
    Tool(("clip.exe",)),
)


def copy_to_clipboard(app: App[object], text: str) -> str:
    """Copy `text`. Return how, for a sentence that begins with the name of the text.

    It may wait for a program, so it is called from a thread.
    """
    for tool in TOOLS:
        if _usable(tool) and _give_to(tool, text):
            return f"copied by {tool.command[0]}"
    app.call_from_thread(app.copy_to_clipboard, text)
    sent = "sent to the terminal (OSC 52)"
    file = paths.cache_dir() / "copied.txt"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        return f"{sent}; {file} could not be written: {error.strerror}"
    return f"{sent}; if pasting gives nothing, it is in {file}"


def _usable(tool: Tool) -> bool:
    if tool.display and not os.environ.get(tool.display):
        return False
    return shutil.which(tool.command[0]) is not None


def _give_to(tool: Tool, text: str) -> bool:
    try:
        done = subprocess.run(
            tool.command,
            input=text.encode("utf-8", "replace"),
            # the process that stays to own the clipboard must not keep our pipe open
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
