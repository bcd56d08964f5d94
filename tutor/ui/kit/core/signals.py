"""A handler of SIGCONT. Textual takes each SIGCONT for the end of a ctrl+z and starts its driver again.

A program also gets the signal after SIGSTOP, and when its terminal closes. A driver that was started
twice has two threads that read keys. Only one of them ends with the application; the other goes on
reading from the closed terminal. Textual's handler starts the driver wherever the program is, also
within the handler of the signal before.
(Textual 8.2.8, drivers/linux_driver.py: `_sigcont_application`, `start_application_mode`.)
"""

import os
import signal
import sys
from asyncio import get_running_loop
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App


def once(app: "App[None]") -> None:
    """Let the driver start again only if its terminal exists, and stop it first if it still runs.

    Signals that arrive together start it once. Call this in the event loop of the main thread, after
    the driver has set its handler.
    """
    number = getattr(signal, "SIGCONT", None)
    start_again = signal.getsignal(number) if number else None
    if number is None or not callable(start_again):
        return
    loop = get_running_loop()
    expected = False

    def resume() -> None:
        nonlocal expected
        if not expected:
            expected = True
            loop.call_soon(start)

    def start() -> None:
        nonlocal expected
        expected = False
        driver = app._driver
        if driver is None or sys.__stdin__ is None or not os.isatty(sys.__stdin__.fileno()):
            return
        if not getattr(driver, "_must_signal_resume", True):  # it was not stopped
            driver.suspend_application_mode()
        start_again(number, None)

    loop.add_signal_handler(number, resume)
