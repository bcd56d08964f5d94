"""Opening an address in the browser of this desktop, or in the one that shows the program."""

import os
import shutil

from textual.app import App

_OPENERS = ("xdg-open", "open", "wslview")


def open_address(app: App[object], url: str) -> bool:
    """Open the address; return False where nothing here could show it.

    A browser for terminals would draw over this program, so a desktop is needed.
    """
    desktop = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not (
        app.is_web or ((desktop or shutil.which("wslview")) and any(map(shutil.which, _OPENERS)))
    ):
        return False
    app.open_url(url)
    return True
