"""The learner's function in its worker: loading it, and calling it on one case's inputs."""

import mmap
import os
import time
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch

from tutor.hardware import presence
from tutor.judge.processes import learner_module, process_control, shared_tensors
from tutor.judge.processes.wire import Message
from tutor.judge.worker.cell import plain

Reply = tuple[Message, tuple[int, ...]]

# Bound before the learner's code can replace them: the judge reads an output's own memory, not what a
# class or an object of the learner says of it.
_detach, _resolve_neg = torch.Tensor.detach, torch.Tensor.resolve_neg
_contiguous, _reshape, _data_ptr = (
    torch.Tensor.contiguous, torch.Tensor.reshape, torch.Tensor.data_ptr,
)  # fmt: skip
_cat = torch.cat
_deterministic = torch.use_deterministic_algorithms


def poison_memory(on: bool) -> None:
    """Have torch.empty and its like hand out NaN (the largest value for integers), so that an element
    the kernel forgot cannot be right by luck (`torch.utils.deterministic`, 2.11 and 2.13)."""
    torch.utils.deterministic.fill_uninitialized_memory = True  # type: ignore[attr-defined]
    _deterministic(on, warn_only=True)
    warnings.filterwarnings("ignore", message=".*deterministic.*")


def limit_process(mode: str, memory_bytes: int) -> None:
    """Limit what this process can take before it runs the learner's code."""
    process_control.limit_tasks()
    if mode == "cuda":
        # The driver maps far more than it uses, so a limit on address space means nothing. The server
        # watches resident memory, and the allocator gets its share of the device.
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, memory_bytes / total))
    elif not presence.nvidia():
        # (Where there is a driver, a live cell may open the GPU, and its mappings exceed any limit.)
        process_control.limit_memory(memory_bytes)


class LearnerFunction:
    """The learner's module, its entry function, and its last call."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.device = torch.device("cuda" if mode == "cuda" else "cpu")
        self.filename = ""
        self.module = types.ModuleType("submission")
        self.entry: Callable[..., Any] | None = None
        self.last: torch.Tensor | None = None  # the last call's output, as the learner gave it
        self._kind = "kernel"
        self._watch: Any = None
        self._launches = 0
        self._capture: Any = None
        self._args: tuple[Any, ...] = ()  # of the last case
        self._renew: Callable[[], None] = lambda: None
        self._finish: Callable[[], None] = lambda: None

    def load(self, message: Message) -> Message:
        limit_process(self.mode, int(message["memory_bytes"]))
        self.filename, self._kind = message["filename"], message["kind"]
        if self.mode == "interpret":
            from tutor.judge.interpreter.hooks import InterpreterHooks

            self._watch = InterpreterHooks(self.filename)
            self._watch.install()
        elif self.mode == "cuda":
            self._count_launches()
        poison_memory(True)
        try:
            module = learner_module.load(message["source"], self.filename)
            self.entry = learner_module.find_entry(module, message["entry"])
        except learner_module.Unloadable as error:
            return {"failed": error.code, "error": error.report}
        self.module = module
        return {"loaded": True, "constants": learner_module.constants(module)}

    def _count_launches(self) -> None:
        import triton.runtime.jit as private

        run = private.JITFunction.run
        learner = self

        def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
            learner._launches += 1
            return run(self, *args, **kwargs)

        private.JITFunction.run = counted

    def run_case(self, message: Message, fds: list[int]) -> Reply:
        """Call the function on the case's inputs; the reply has a file with the output."""
        again, withhold = bool(message.get("again")), bool(message.get("withhold"))
        if again:  # the same objects at the same addresses, with the bytes the file holds now
            self._renew()
        else:
            self._args, self._renew, self._finish = self.arguments(message["args"], fds[0])
            os.close(fds[0])
        if self._watch:
            self._watch.begin(
                message.get("poison"), message.get("padding"), withhold, message.get("order")
            )
            self._watch.trace(bool(message.get("trace")))
        before = self.last
        out, report = self._call(first=bool(message.get("first")))
        if "raised" not in report:
            report |= self.describe_output(out, self._args)
        if "raised" not in report or self.device.type == "cpu":
            self._finish()
        if "wrong_type" in report or "raised" in report:
            self.last = None
            return report, ()
        report, sent = self.with_tensor(report, out)
        self.last = out
        if (
            again and before is not None and sent
        ):  # the server looks whether this call wrote into it
            _, more = self.with_tensor({"dtype": str(before.dtype).removeprefix("torch.")}, before)
            return report, (*sent, *more)
        if withhold and sent:
            return report, (*sent, *self._held_tensors(report, out))
        return report, sent

    def _call(self, first: bool) -> tuple[Any, Message]:
        """The output, and what was seen meanwhile."""
        poison_memory(True)  # also where the learner's code has turned it off
        self._launches = 0
        report: Message = {}
        started = time.perf_counter()
        try:
            if self._kind == "compiled":
                out, report = self._call_captured(self._args, first)
            else:
                assert self.entry is not None
                out = self.entry(*self._args)
            if self.device.type == "cuda":
                torch.cuda.synchronize()
        except BaseException as error:
            report |= {"raised": learner_module.describe(error, self.filename)}
            out = None
        report["ms"] = (time.perf_counter() - started) * 1e3
        if self._watch:
            report["seen"] = self._watch.report.to_json()
            self._launches = self._watch.report.launches
            if self._watch.tracer:
                report["trace"] = self._watch.tracer.to_json()
        report["launches"] = self._launches
        return out, report

    def _held_tensors(self, report: Message, out: torch.Tensor) -> tuple[int, ...]:
        """A file of the tensors like the output that launches were given while stores were withheld."""
        like = [t for t in self._watch.held if (t.numel(), t.dtype) == (out.numel(), out.dtype)]
        if not like:
            return ()
        return self.with_tensor(report, torch.cat([t.reshape(-1) for t in like]))[1]

    def arguments(
        self, described: list[Any], fd: int
    ) -> tuple[tuple[Any, ...], Callable[[], None], Callable[[], None]]:
        """The arguments as views into the shared file, with two functions: one copies the file's bytes
        to the device once more, the other copies the device's bytes back."""
        size = os.fstat(fd).st_size
        mapped = mmap.mmap(fd, size) if size else mmap.mmap(-1, 1)
        host = torch.frombuffer(mapped, dtype=torch.uint8)
        buffer = host if self.device.type == "cpu" else host.to(self.device)
        args = shared_tensors.arguments_within(described, buffer)

        def renew() -> None:
            if buffer is not host:
                buffer.data.copy_(host)  # `.data`: without a new version number

        def finish() -> None:
            if buffer is not host:
                host.copy_(buffer)

        return args, renew, finish

    def _call_captured(self, args: tuple[Any, ...], first: bool) -> tuple[Any, Message]:
        """Run under a counting backend, twice with the same input: the second must not compile.

        The function gets copies that own their memory: Dynamo guards on where a view starts in its
        storage, so views into the shared file would make it compile again for the judge's reasons.
        """
        from tutor.judge.worker import graph_capture

        report: Message = {}
        given, again, spare = (clones(args) for _ in range(3))
        assert self.entry is not None
        if first:
            plain = graph_capture.inner(self.entry)
            report["explained"] = graph_capture.explained(plain, spare, self.filename)
            self._capture = graph_capture.Capture(
                plain, graph_capture.dynamic_setting(self.entry),
                compiling=not report["explained"]["breaks"],
            )  # fmt: skip
        before, known = self._capture.compilations, len(self._capture.guards)
        broken = self._capture.breaks
        out = self._capture.call(*given)
        once = self._capture.compilations
        for arg, used in zip(args, given, strict=True):  # the server looks for writes into inputs
            if isinstance(arg, torch.Tensor):
                shared_tensors.copy_into(arg, used)
        self._capture.call(*again)
        report["compilations"] = once - before
        report["repeated"] = self._capture.compilations - once
        report["guards"] = self._capture.guards[known:]
        if (
            self._capture.breaks > broken and not first
        ):  # on a path that the first call did not take
            plain = graph_capture.inner(self.entry)
            report["explained"] = graph_capture.explained(plain, clones(args), self.filename)
        return out, report

    def describe_output(self, out: Any, args: tuple[Any, ...]) -> Message:
        if type(out) is not torch.Tensor and type(out) is not torch.nn.Parameter:
            return {"wrong_type": type(out).__name__}
        if out.layout is not torch.strided or out.is_meta:
            return {"wrong_type": "a tensor without elements in memory (sparse or meta)"}
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        return {
            "shape": list(out.shape),
            "dtype": str(out.dtype).removeprefix("torch."),
            "device": str(out.device),
            "alias": next(
                (i for i, a in enumerate(tensors) if a.numel() and _same_memory(a, out)), None
            ),
        }  # fmt: skip

    def with_tensor(
        self, report: Message, out: torch.Tensor, pieces: list[list[int]] | None = None
    ) -> Reply:
        """The report, and a file of the tensor's elements: all of them, or these pieces."""
        if report["dtype"] not in shared_tensors.DTYPES:
            return report | {"wrong_type": f"a tensor of {report['dtype']}"}, ()
        try:
            data = _reshape(_contiguous(_resolve_neg(_detach(out))), -1)
            if pieces:
                data = _cat([data[start : start + count] for start, count in pieces])
        except (RuntimeError, MemoryError) as error:  # a view may claim more than memory holds
            return report | {"raised": learner_module.describe(error, self.filename)}, ()
        raw = data.view(torch.uint8) if data.numel() else torch.empty(0, dtype=torch.uint8)
        return report, (shared_tensors.memory_file("output", raw),)

    def probe(self, message: Message) -> Message:
        """What `probe(module, device)` of the exercise's probe.py finds in the learner's objects."""
        poison_memory(False)
        try:
            space = learner_module.load(message["source"], message["filename"], "probe").__dict__
            found = space["probe"](self.module, self.device)
            return {"found": {str(k): plain(v) for k, v in found.items()}}
        except learner_module.Unloadable as error:
            return {"raised": error.report}
        except BaseException as error:
            return {"raised": learner_module.describe(error, self.filename)}


def clones(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies with the same strides, for a call that may write into its inputs."""
    return tuple(
        shared_tensors.copy_into(
            torch.empty_strided(a.shape, a.stride(), dtype=a.dtype, device=a.device), a
        )
        if isinstance(a, torch.Tensor) else a
        for a in args
    )  # fmt: skip


def _same_memory(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.device == b.device and _data_ptr(a) == _data_ptr(b)
