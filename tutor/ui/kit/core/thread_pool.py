"""The threads of Textual's workers."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context
from typing import Any


class Threads(ThreadPoolExecutor):
    """Each call runs in a context of its own. Textual notes in a thread's context which worker runs
    there, and a thread that waits for its next call would hold that worker, its screen and all that
    the screen has drawn."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return super().submit(Context().run, function, *arguments, **named)
