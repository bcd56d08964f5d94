"""The inputs that an exercise is timed on. Making them may take as long as a verdict may."""

import contextlib
import os
import threading

from tutor.judge.cases.arguments import encode_arguments, tensors_of
from tutor.judge.cases.reference import Args, Reference, choose_timed_case, make_inputs
from tutor.judge.processes import shared_tensors


class TimedInputs:
    """The inputs of a timed exercise, and the same in a memory file for the worker."""

    def __init__(self, reference: Reference, mode: str, seed: int) -> None:
        self.device = "cuda" if mode == "cuda" else "cpu"
        self.args: Args = make_inputs(choose_timed_case(reference, self.device), seed, self.device)
        self.fd, layouts = shared_tensors.fill_file("inputs", tensors_of(self.args))
        self.described = encode_arguments(self.args, layouts)

    def close(self) -> None:
        os.close(self.fd)


class Ahead:
    """`TimedInputs` made in a thread while the worker runs the cases, because a GPU's are so large
    that the verdict would wait for them. Call `close` in the end."""

    def __init__(self, reference: Reference, mode: str, seed: int) -> None:
        self._what = (reference, mode, seed)
        self._made: TimedInputs | None = None
        self._thread = threading.Thread(target=self._make)
        if mode == "cuda":
            self._thread.start()

    def _make(self) -> None:
        with contextlib.suppress(Exception):  # `take` raises it again, where it can be reported
            self._made = TimedInputs(*self._what)

    def take(self) -> TimedInputs:
        self._wait()
        self._made = self._made or TimedInputs(*self._what)
        return self._made

    def close(self) -> None:
        self._wait()
        if self._made:
            self._made.close()

    def _wait(self) -> None:
        if self._thread.ident is not None:  # started
            self._thread.join()
