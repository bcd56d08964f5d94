"""The learner's own editor: its command, and the test if it needs this terminal."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from tutor.base.errors import CannotHere

# These open a window. Every other editor is assumed to need the terminal.
_WINDOWS = {
    "atom",
    "bbedit",
    "code",
    "code-insiders",
    "codium",
    "cursor",
    "geany",
    "gedit",
    "gnome-text-editor",
    "gvim",
    "kate",
    "kwrite",
    "mate",
    "mousepad",
    "notepad",
    "pluma",
    "pycharm",
    "subl",
    "windsurf",
    "xed",
    "zed",
    "zeditor",
}


def find_editor(chosen: str = "") -> list[str]:
    """The command `chosen` in the settings, that of `$VISUAL` or `$EDITOR`, or the first editor found.

    Raises `CannotHere` if there is none, or if the named one does not exist.
    """
    named = chosen or os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        try:
            command = shlex.split(named)
        except ValueError:
            command = [named]
        if not shutil.which(command[0]):
            raise CannotHere(
                f"the editor {command[0]!r} is not installed; set VISUAL, or editor in the "
                "settings, to one that is"
            )
        return command
    for name in ("sensible-editor", "nano", "vim", "vi"):
        if shutil.which(name):
            return [name]
    raise CannotHere("no editor found; set VISUAL or EDITOR to the one you like")


def needs_terminal(command: list[str]) -> bool:
    """Return True unless the command is known to open a window of its own."""
    name = Path(command[0]).name
    if name in ("emacs", "emacsclient"):
        window = "-c" in command or name == "emacs"
        text = any(flag in command for flag in ("-nw", "-t", "-tty", "--no-window-system"))
        return text or not (
            window and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
        )
    return name not in _WINDOWS


def command_at_line(command: list[str], path: Path, line: int) -> list[str]:
    """The command that opens `path`, at `line` for editors whose option for it is known."""
    name = Path(command[0]).name
    if name in ("vi", "vim", "nvim", "nano", "micro", "emacs", "emacsclient", "kak", "joe", "gvim"):
        return [*command, f"+{line}", str(path)]
    if name in ("hx", "helix", "subl", "zed", "zeditor"):
        return [*command, f"{path}:{line}"]
    if name in ("code", "code-insiders", "codium", "cursor", "windsurf"):
        return [*command, "--goto", f"{path}:{line}"]
    return [*command, str(path)]


def open_in_window(command: list[str]) -> None:
    """Start an editor that has its own window, and do not wait for it."""
    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def edit_in_terminal(command: list[str]) -> int:
    """Run an editor in this terminal until it ends; its exit status."""
    return subprocess.run(command, check=False).returncode
