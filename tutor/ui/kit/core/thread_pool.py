"""The threads of Textual's workers."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context
from typing import Any


class Threads(ThreadPoolExecutor):
    """A pool that runs each call in a separate context.

    Textual stores the running worker in the context of the thread. An idle thread would keep that
    worker, its screen and all that the screen has drawn alive.
    """

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return super().submit(Context().run, function, *arguments, **named)
