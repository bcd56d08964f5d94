"""A process of the application for one tab of the browser, and what the tab may send it."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from textual_serve.app_service import AppService

# As `python -m tutor`, without the working folder on the path: a json.py there is not the one meant.
# (Python 3.10 knows no `-P`.)
_COMMAND = (
    sys.executable,
    "-c",
    "import sys; sys.path[:] = filter(None, sys.path); from tutor.__main__ import main; main()",
)
_END_SECONDS = 3.0  # for the application to end when told, and then once more by SIGTERM
_LONGEST_INPUT = (
    1 << 18
)  # characters of a message; a paste of this size takes the application seconds
_SMALLEST, _LARGEST = 2, 1_000  # columns or rows


class Application(AppService):
    """The application of one tab. It ends with it, whatever it is busy with."""

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        self._process = process = await asyncio.create_subprocess_exec(
            *_COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._build_environment(width=width, height=height),
            start_new_session=True,  # ctrl+c at the server's terminal ends it as the tab's end does
        )
        self._stdin = process.stdin
        return process

    async def stop(self) -> None:
        """End the process: told, by SIGTERM (it keeps what was written), and at last killed."""
        task, self._task = self._task, None
        process = self._process
        if task is None or process is None:
            return
        await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
        ends: tuple[Callable[[], object], ...] = (
            lambda: self.stdin.write(self.encode_packet(b"M", b'{"type": "quit"}')),
            lambda: os.killpg(process.pid, signal.SIGTERM),
            lambda: os.killpg(process.pid, signal.SIGKILL),
        )
        for end in ends:
            with suppress(OSError, RuntimeError):
                end()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), _END_SECONDS)
                break
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def read_size(given: object) -> int | None:
    """Return a number of columns or rows, within what a screen has; None for what is none."""
    if isinstance(given, int | str) and not isinstance(given, bool):
        with suppress(ValueError):
            return max(_SMALLEST, min(int(given), _LARGEST))
    return None


async def obey(application: AppService, message: Any) -> object:
    """Do what a tab's message asks. Returns the answer to send, or None. What is no message of
    textual-serve's page, or too long, does nothing."""
    match message:
        case ["stdin", str() as text] if len(text) <= _LONGEST_INPUT:
            await application.send_bytes(text.encode("utf-8", "replace"))
        case ["resize", {"width": width, "height": height}]:
            columns, rows = read_size(width), read_size(height)
            if columns and rows:
                await application.set_terminal_size(columns, rows)
        case ["ping", str() as data] if len(data) <= _LARGEST:
            return ["pong", data]
        case ["blur", *_]:
            await application.blur()
        case ["focus", *_]:
            await application.focus()
    return None
