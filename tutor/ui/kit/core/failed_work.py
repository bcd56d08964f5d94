"""What is said when work in a thread fails in a way that nobody expected."""

from textual.dom import DOMNode
from textual.worker import Worker, WorkerState

from tutor.base.errors import CannotHere, UsageError


def tell_failed_work(node: DOMNode, event: Worker.StateChanged) -> None:
    """Notify that work of `node` ended by a fault of our own, and keep its traceback. Workers do not
    end the application (`exit_on_error=False`), and Textual would be silent.

    An expected failure (`UsageError`, `CannotHere`) is told where the work's result is needed. Of work
    whose page is left, or that ends with the application, nobody waits for the result.
    """
    error = event.worker.error
    if event.state != WorkerState.ERROR or error is None:
        return
    over = node.app._exit or not node.is_attached
    if over or isinstance(error, UsageError | CannotHere):
        return
    from tutor.base.crash_log import describe_failed_work

    node.app.notify(describe_failed_work(error), severity="error", timeout=15, markup=False)
