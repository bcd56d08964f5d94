"""Work with a separate worker, in a thread that runs in parallel to a submission."""

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tutor.judge.model.caller_messages import CANCEL, Cancel
from tutor.judge.processes.limits import WorkerStopped
from tutor.judge.processes.wire import Channel, Closed, pair


class BackgroundTask:
    """Calls `work(caller)` in a thread. The worker calls of `work` watch `caller`, and `close` sends a
    cancel message to it. Only the thread that listens to a worker's channel closes that channel."""

    def __init__(self, work: Callable[[Channel], None]) -> None:
        self._ours, self._theirs = pair()
        self._failed: BaseException | None = None
        self._over, over = os.pipe2(os.O_CLOEXEC)

        def run() -> None:
            try:
                work(self._theirs)
            except BaseException as error:
                self._failed = error
            finally:
                os.close(over)

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def wait(self, caller: Channel, seconds: float | None = None) -> None:
        """Wait until the work is done, or for `seconds`.

        Raises the exception that the work raised, `WorkerStopped` with the code "cancelled" if `caller`
        cancels, and `Closed` if `caller` has gone.
        """
        watched: list[Any] = [self._over, caller]
        while self._over not in (ready := select.select(watched, [], [], seconds)[0]):
            if not ready:
                return
            caller.receive(CANCEL)
            raise WorkerStopped("cancelled", "stopped on request")
        if self._failed:
            raise self._failed

    def close(self) -> None:
        """Cancel the task if it still runs and join its thread. Call exactly once."""
        with suppress(Closed):
            self._ours.send(Cancel())
        self._thread.join()
        os.close(self._over)
        self._ours.close()
        self._theirs.close()
