"""The worker's side of compiling in advance (`server.precompilation`): the learner's function is
called with tensors of the cases' layouts in ordinary memory. A launch runs nothing; each new
specialization is compiled into Triton's cache. Several workers do this in parallel, and
each compiles its part. A worker compiles its first specialization itself at the end. It compiles each
of the others earlier in a fork, which takes a third longer.

Private names of Triton, read in 3.6 and 3.7: `JITFunction._do_compile`, after which nothing is
launched if it returns None; `Autotuner.prune_configs`, `nargs` and `arg_names`.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable
from typing import Any

import torch

from tutor.judge.processes import learner_module, shared_tensors
from tutor.judge.processes.worker_messages.answers import PartCompiled
from tutor.judge.processes.worker_messages.questions import NoteLaunches


class Launches:
    """Launches of one learner's module. From here on kernels of this process only compile."""

    def __init__(self, module: Any, first: NoteLaunches) -> None:
        self._entry = learner_module.find_entry(module, first.entry)
        self._part, self._of, self._places = first.part, first.of, first.forks
        self._known: set[tuple[int, str]] = set()
        self._here: Callable[[], Any] | None = None
        self._waiting: deque[Callable[[], Any]] = deque()
        self._forks: set[int] = set()
        self._note_launches(first.capability)

    def finish(self) -> PartCompiled:
        """Wait until this worker's part is compiled."""
        if self._here:
            with contextlib.suppress(BaseException):  # the worker on the GPU raises it too
                self._here()
        while self._forks:
            self._forks.discard(os.waitpid(-1, 0)[0])
            self._fill()
        return PartCompiled(len(self._known))

    def call(self, question: NoteLaunches) -> None:
        """Call the function on a case's arguments in ordinary memory."""
        buffer = torch.zeros(question.bytes, dtype=torch.uint8)
        args = shared_tensors.arguments_within(question.args, buffer)
        with contextlib.suppress(BaseException):  # the worker on the GPU will report it
            self._entry(*args)

    def _note_launches(self, capability: int) -> None:
        from triton.runtime.autotuner import Autotuner
        from triton.runtime.driver import driver
        from triton.runtime.jit import JITFunction

        compiled = JITFunction._do_compile

        def note(kernel: Any, key: Any, *rest: Any) -> None:
            name = (id(kernel), str(key))
            if name in self._known:
                return
            # The worker on the GPU compiles the very first one at this moment.
            if self._known and len(self._known) % self._of == self._part:
                self._compile(lambda: compiled(kernel, key, *rest))
            self._known.add(name)

        def each_configuration(tuner: Any, *args: Any, **named: Any) -> None:
            tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
            for config in tuner.prune_configs(named):
                tuner.fn.run(*args, **named, **config.all_kwargs())

        JITFunction._do_compile = note
        Autotuner.run = each_configuration
        driver.set_active(_Device(capability))

    def _compile(self, work: Callable[[], Any]) -> None:
        if self._here is None:
            self._here = work
        else:
            self._waiting.append(work)
            self._fill()

    def _fill(self) -> None:
        """Start waiting compilations while there are free places."""
        while self._forks and (ended := os.waitpid(-1, os.WNOHANG)[0]):
            self._forks.discard(ended)
        while self._waiting and len(self._forks) < self._places:
            self._forks.add(_fork_for_cache(self._waiting.popleft()))


class _Device:
    """Answers the questions that a launch asks Triton's driver, without a driver, for an NVIDIA GPU."""

    def __init__(self, capability: int) -> None:
        from triton.backends.compiler import GPUTarget

        self._target = GPUTarget("cuda", capability, 32)

    def get_current_target(self) -> Any:
        return self._target

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0


def _fork_for_cache(work: Callable[[], Any]) -> int:
    """Fork a process that does `work`, of which only its cache entries are needed."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid
