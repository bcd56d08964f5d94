"""The templates that fork workers for one server, by mode: each is connected when it is first needed."""

import os
import signal
from collections.abc import Callable

from tutor.course.reading.python_source import names_compiler
from tutor.judge.processes import process_control
from tutor.judge.processes.limits import Lost
from tutor.judge.processes.template_link import TemplateLink
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.helpers import WantTemplate

ENOUGH_CORES = 4  # for judging, and in parallel compiling the baselines

_AHEAD = {
    "interpret": 1,
    "both": 1,
    "compile": 0,
    "cuda": 2,
    "lower": 1,
    "offline": 1,
    "xray": 0,
}  # workers forked before they are needed


class Templates:
    """`keeper` is the channel to the process that forks them."""

    def __init__(self, keeper: Channel) -> None:
        self._keeper = keeper
        self._by_mode: dict[str, TemplateLink] = {}
        self._was_stopped = False  # this process
        signal.signal(signal.SIGCONT, self._note_stop)

    def get(self, mode: str) -> TemplateLink:
        """Return the template of a mode; it may not be ready. Connect one if there is none alive."""
        template = self._by_mode.get(mode)
        if template is None or not template.alive:
            if template is not None:
                template.close()
            template = self._by_mode[mode] = TemplateLink(mode, _ahead(mode), self._connect)
        return template

    def ready(self, mode: str) -> TemplateLink:
        """Return a template that is ready; another one if it is dead."""
        template = self.get(mode)
        try:
            template.wait_ready()
        except Lost:
            template = self.get(mode)
            template.wait_ready()
        return template

    def take(self, mode: str) -> WorkerHandle:
        """Return a worker; from another template if this one is dead."""
        try:
            return self.ready(mode).take()
        except Lost:
            return self.ready(mode).take()

    def takes(self, source: str) -> Callable[[str], WorkerHandle]:
        """Return `take` for workers that load `source`."""
        return lambda mode: self.take(mode_for(source, mode))

    def were_stopped(self) -> bool:
        """Return True if a signal has stopped one of the judge's processes since this was last asked:
        a template, the keeper or this one. They go on then."""
        was = [template.was_stopped() for template in self._by_mode.values()]
        was += [process_control.resume(os.getppid()), self._was_stopped]
        self._was_stopped = False
        return any(was)

    def _note_stop(self, *_: object) -> None:
        self._was_stopped = True

    def refill(self) -> None:
        """Fork workers in advance. Called when nobody waits for a verdict."""
        for template in self._by_mode.values():
            template.refill()

    def drop(self, mode: str) -> None:
        """Leave the template of a mode, if there is one."""
        if template := self._by_mode.pop(mode, None):
            template.close()

    def close(self) -> None:
        for template in self._by_mode.values():
            template.close()

    def _connect(self, mode: str, channel: Channel) -> None:
        """Have the keeper connect a template: workers must not be forked here, where references are."""
        self._keeper.send(WantTemplate(mode), (channel.fileno(),))


def mode_for(source: str, mode: str) -> str:
    """Return the mode of a worker that loads `source`: with PyTorch's compiler where it is named."""
    return "both" if mode == "interpret" and names_compiler(source) else mode


def compiles_ahead() -> bool:
    """Return True if kernels can be compiled for the GPU in advance: for NVIDIA's, with cores to do
    it in parallel."""
    import torch

    enough = len(os.sched_getaffinity(0)) >= ENOUGH_CORES
    return enough and torch.cuda.is_available() and not torch.version.hip


def _ahead(mode: str) -> int:
    if mode == "offline" and compiles_ahead():
        from tutor.judge.server import precompilation

        return precompilation.count_workers()
    return _AHEAD.get(mode, 0)  # 0: a compiler beside Inductor
