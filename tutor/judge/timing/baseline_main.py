"""The process that holds the torch.compile baselines. It is trusted and separate from the server, so
that a compilation (seconds) neither delays the learner's first number nor takes the server's
interpreter lock.

`tutor.judge.timing.baseline_client` starts it as `python -m tutor.judge.timing.baseline_main FD
PARENT`. Its messages are in `tutor.judge.processes.worker_messages.helpers`.
"""

import functools
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tutor.judge.processes import process_control
from tutor.judge.processes.wire import Channel, Closed, escape_surrogates
from tutor.judge.processes.worker_messages.helpers import (
    TO_BASELINE,
    BaselineAnswer,
    BaselineFailed,
    BaselineReady,
    BaselineTimes,
    CompileBaseline,
    ForgetInputs,
    LayOutBaseline,
    TimeBaseline,
)


class Yardsticks:
    """The compiled baseline of one exercise at a time, and the inputs that it is timed on."""

    def __init__(self) -> None:
        self._ring: list[tuple[Any, ...]] = []
        self._function: Callable[..., Any] = print

    def answer(self, question: CompileBaseline | LayOutBaseline | TimeBaseline) -> BaselineAnswer:
        if isinstance(question, TimeBaseline):
            from tutor.judge.sampling import samples

            return BaselineTimes(samples.round_of(self._function, self._ring, question.samples))
        try:
            path, device = Path(question.path), question.device
            if isinstance(question, CompileBaseline):
                self._lay_out(path, device, seed=1, shifts=[0])
                self._ring = []
            else:
                self._lay_out(path, device, question.seed, question.shifts)
        except Exception as error:  # this machine's compiler cannot build the function
            said = (str(error).strip().splitlines() or [""])[0]
            return BaselineFailed(escape_surrogates(f"{type(error).__name__}: {said}"[:300]))
        return BaselineReady()

    def forget(self) -> None:
        self._ring = []
        gc.collect()
        if (torch := sys.modules.get("torch")) and torch.cuda.is_initialized():
            torch.cuda.empty_cache()

    def _lay_out(self, path: Path, device: str, seed: int, shifts: list[int]) -> None:
        """Make the ring of inputs and call the compiled function once on each."""
        import torch

        from tutor.judge.cases.reference import (
            choose_timed_case,
            make_inputs,
            set_matrix_arithmetic,
        )
        from tutor.judge.sampling import samples

        # Inductor writes the number of threads into its code for a CPU.
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        loaded, function = _compile_eager(path, path.stat().st_mtime_ns)
        set_matrix_arithmetic(loaded)
        self._function = function
        self._ring = samples.ring(
            make_inputs(choose_timed_case(loaded, device), seed, device), shifts
        )
        for args in self._ring:
            function(*args)
        if device == "cuda":
            torch.cuda.synchronize()


@functools.cache
def _compile_eager(path: Path, _changed: int) -> tuple[Any, Callable[..., Any]]:
    """Return the reference and its `eager` for torch.compile: once for this process's life."""
    import torch

    from tutor.judge.cases import reference
    from tutor.judge.worker import inductor_setup

    inductor_setup.keep_headers()
    loaded = reference.load_reference(path)
    return loaded, torch.compile(loaded.eager)


def main() -> None:
    """Answer the server until its channel closes."""
    channel = Channel.from_fd(int(sys.argv[1]))
    process_control.die_with_parent(int(sys.argv[2]))
    yardsticks = Yardsticks()
    try:
        while True:
            question, _ = channel.receive(TO_BASELINE)
            if isinstance(question, ForgetInputs):
                yardsticks.forget()
            else:
                channel.send(yardsticks.answer(question))
    except Closed:
        os._exit(0)  # no orderly cleanup is needed


if __name__ == "__main__":
    main()
