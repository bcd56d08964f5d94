"""The learner's function in its worker: loading it, and calling it on one case's inputs."""

import mmap
import os
import sys
import time
import types
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

import msgspec
import torch
import triton

from tutor.base.config import load_config
from tutor.course.model import MAKERS
from tutor.course.reading.python_source import names_compiler
from tutor.hardware import presence
from tutor.hardware.gpus import target
from tutor.judge.processes import learner_module, process_control, shared_tensors
from tutor.judge.processes.wire import escape_surrogates
from tutor.judge.processes.worker_messages.answers import (
    CaseAnswer,
    ModuleLoaded,
    ModuleRejected,
    ProbeFound,
    Raised,
)
from tutor.judge.processes.worker_messages.questions import Load, RunCase, RunProbe
from tutor.judge.processes.worker_messages.records import (
    Argument,
    Compilations,
    LearnerError,
    OutputTensor,
    write_json_object,
)
from tutor.judge.worker.cell import to_plain_value
from tutor.judge.worker.handled_errors import HandledErrors

Fds = tuple[int, ...]

MAX_NAME = 300  # characters of a type's name

# Bound before the learner's code can replace them: the judge reads an output's own memory and does
# not trust the methods of the learner's classes and objects.
_detach, _resolve_neg = torch.Tensor.detach, torch.Tensor.resolve_neg
_is_contiguous = torch.Tensor.is_contiguous
_contiguous, _reshape, _data_ptr = (
    torch.Tensor.contiguous,
    torch.Tensor.reshape,
    torch.Tensor.data_ptr,
)
_cat = torch.cat
_set_deterministic = torch._C._set_deterministic_algorithms


def poison_memory(on: bool) -> None:
    """Make torch.empty and similar functions return NaN (the largest value for integers), so that an
    element that the kernel did not write cannot be right by chance (`torch.utils.deterministic`,
    2.11 and 2.13).

    `torch.use_deterministic_algorithms` would import Inductor's settings, and with them SymPy: 1.5 s of
    processor time in each process that starts.
    """
    torch.utils.deterministic.fill_uninitialized_memory = True  # type: ignore[attr-defined]
    _set_deterministic(on, warn_only=True)
    settings: Any = sys.modules.get("torch._inductor.config")
    if settings is not None:
        settings.deterministic = on
    warnings.filterwarnings("ignore", message=".*deterministic.*")


def limit_process(mode: str, memory_bytes: int) -> None:
    """Limit the resources of this process before it runs the learner's code."""
    process_control.limit_tasks()
    if mode == "cuda":
        # The driver maps far more than it uses, so a limit on address space means nothing. The
        # server watches resident memory, and the allocator gets a fixed share of the device.
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, memory_bytes / total))
    elif not presence.has_nvidia_driver():  # its mappings exceed any limit
        process_control.limit_memory(memory_bytes)


def _allocate(size: int, alignment: int, stream: int | None) -> torch.Tensor:
    """Return `size` bytes for a kernel that makes tensor descriptors: Triton has no default, and the
    interpreter needs none."""
    return torch.empty(size, dtype=torch.int8, device="cuda")


class LearnerFunction:
    """The learner's module, its entry function, and its last call."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.device = torch.device("cuda" if mode == "cuda" else "cpu")
        self.filename = ""
        self.module = types.ModuleType("submission")
        self.entry: Callable[..., Any] | None = None
        self.last: torch.Tensor | None = None  # the last call's output, unchanged
        self._kind = "kernel"
        self.subject: Any = None  # what the entry changes, of a pass and of the kinds of `MAKERS`
        self._watch: Any = None
        self._prepared = False  # this process, for the first file
        self._record_host = True
        self._launches = 0
        self._capture: Any = None
        self._pretended = ExitStack()
        self._ranks: Any = None  # what the calls of a function of ranks share
        self._uncompiled: Any = None  # what a compiled function returned in Python
        self._args: tuple[Any, ...] = ()  # of the last case
        self._renew: Callable[[], None] = lambda: None
        self._finish: Callable[[], None] = lambda: None

    def load(self, question: Load) -> ModuleLoaded | ModuleRejected:
        self.filename, self._kind = question.filename, question.kind
        self._record_host = question.record_host
        if not self._prepared:
            self._prepare_process(question)
        elif self._watch:
            self._watch.filename = self.filename
        poison_memory(True)
        try:
            module = learner_module.load_module(question.source, self.filename)
            self.entry = learner_module.find_entry(module, question.entry)
        except learner_module.Unloadable as error:
            return ModuleRejected(error.code, error.report)
        self.module = module
        if question.rules:
            from tutor.judge.worker.passes import Passes

            self.subject = Passes(question.rules, self.entry)
        elif self._kind == "ranks":
            from tutor.judge.worker.ranks.launch import Ranks

            self._ranks = Ranks(
                self.entry,
                self.filename,
                time.monotonic() + question.seconds,
                question.memory_bytes,
                lambda out: describe_output(out, ()),
            )
        elif self._kind in MAKERS:
            self.subject = _open_subject(self._kind)(question.maker, self.entry)
            module.__dict__["__subject__"] = self.subject  # where the probe finds it
        return ModuleLoaded(write_json_object(learner_module.constants(module)))

    def _prepare_process(self, question: Load) -> None:
        """Prepare this process for the first file that it loads, and for all later ones."""
        self._prepared = True
        limit_process(self.mode, question.memory_bytes)
        if self.mode == "interpret":
            from tutor.judge.interpreter.hooks import InterpreterHooks

            self._watch = InterpreterHooks(self.filename)
            self._watch.install()
            self._watch.host.look_into_operators()
            self._pretend(question.target, compiling=not question.record_host)
        elif self.mode == "cuda":
            triton.set_allocator(_allocate)
            self._count_launches()
            if names_compiler(question.source):
                self._count_compiled_launches()

    def _pretend(self, asked: str, compiling: bool) -> None:
        """Answer as this GPU until the process ends. Where nothing is recorded of what PyTorch does,
        the exercise may call `torch.compile`."""
        from tutor.judge.worker.pretended_gpu import launching_on

        chip = target(asked or load_config().config.target)
        self._pretended.enter_context(launching_on(chip, compiling=compiling))

    def _count_launches(self) -> None:
        import triton.runtime.jit as private

        run = private.JITFunction.run
        learner = self

        def count_launch(self: Any, *args: Any, **kwargs: Any) -> Any:
            learner._launches += 1
            return run(self, *args, **kwargs)

        private.JITFunction.run = count_launch

    def _count_compiled_launches(self) -> None:
        """Count also the launches that a compiled launcher makes: Inductor makes those of the learner's
        kernels itself, as `HeuristicType.USER_AUTOTUNE` (torch 2.11 to 2.14)."""
        from torch._inductor.runtime import triton_heuristics as private
        from torch._inductor.runtime.hints import HeuristicType

        run = private.CachingAutotuner.run
        learner = self

        def count_launch(self: Any, *args: Any, **kwargs: Any) -> Any:
            learner._launches += self.heuristic_type == HeuristicType.USER_AUTOTUNE
            return run(self, *args, **kwargs)

        private.CachingAutotuner.run = count_launch  # type: ignore[method-assign]

    def run_case(self, question: RunCase, fds: list[int]) -> tuple[CaseAnswer, Fds]:
        """Call the function on the case's inputs. Files: the output, and with `again` or `withhold`
        perhaps a second one."""
        if question.again:  # the same objects at the same addresses, with the file's bytes
            self._renew()
        else:
            self._args, self._renew, self._finish = self.arguments(question.args, fds[0])
            os.close(fds[0])
        if self._watch:
            self._watch.begin(
                question.poison,
                question.padding,
                question.withhold,
                question.order,
                known=question.again,
            )
            self._watch.wave, self._watch.sectors = question.wave, question.sectors
            self._watch.without_products = question.without_products
            self._watch.given = tuple(a for a in self._args if isinstance(a, torch.Tensor))
            self._watch.once = tuple(self._args[i] for i in question.once)
            self._watch.trace(question.trace)
            self._watch.watch_memory(question.witness)
        before, self.last = self.last, None
        out, raised, seen = self._call(question.first, question.handled)
        if self._kind == "pass" and raised is None:
            self._finish()
            report, tensors = out
            sent = tuple(fd for tensor in tensors for fd in self._file_of(tensor))
            return CaseAnswer(rewrite=report, **seen), sent
        if self._ranks:
            return self._answer_of_ranks(out, raised, seen)
        described = describe_output(out, self._args) if raised is None else ""
        if raised is None or self.device.type == "cpu":
            self._finish()
        if raised is not None:
            return CaseAnswer(raised=raised, **seen), ()
        if isinstance(described, str):
            return CaseAnswer(wrong_type=described, **seen), ()
        files = self.elements(out)
        if isinstance(files, LearnerError):
            return CaseAnswer(raised=files, **seen), ()
        self.last = out
        if self._watch:
            launched = out.untyped_storage().data_ptr() in self._watch.memory
            described = msgspec.structs.replace(described, launched=launched)
        if question.again and before is not None:
            # The server checks whether this call wrote into it.
            files = files + self._file_of(before)
        elif question.withhold:
            files = files + self._held_tensors(out)
        elif self._kind == "compiled":
            files = files + self._output_of_python(out)
        return CaseAnswer(output=described, **seen), files

    def _answer_of_ranks(
        self, end: Any, raised: LearnerError | None, seen: dict[str, Any]
    ) -> tuple[CaseAnswer, Fds]:
        """Answer with the outputs of all ranks, or with why there are none."""
        if raised is not None or end.error is not None:
            return CaseAnswer(raised=raised or end.error, **seen), ()
        if end.wrong_type:
            return CaseAnswer(wrong_type=end.wrong_type, **seen), ()
        if end.output is None:  # they were stopped
            return CaseAnswer(**seen), ()
        described, files = describe_output(end.output, ()), self.elements(end.output)
        assert not isinstance(files, LearnerError)  # the judge's own tensor
        assert not isinstance(described, str)
        return CaseAnswer(output=described, **seen), files

    def _call(
        self, first: bool, handled: bool = False
    ) -> tuple[Any, LearnerError | None, dict[str, Any]]:
        """Return the output, the error, and the other fields of the answer."""
        poison_memory(True)  # also if the learner's code has turned it off
        self._launches = 0
        out, raised, compilations, report = None, None, None, None
        trace, witness, ranks = "", "", None
        host, copies = (), ()
        errors = HandledErrors(self.filename) if handled else None
        started = time.perf_counter()
        try:
            if self._kind == "compiled":
                out, compilations = self._call_captured(self._args, first)
            elif self._ranks:
                out = self._ranks.run(self._args)
                ranks = out.report
            elif self.subject:
                out = self.subject.run(self._args)
            else:
                assert self.entry is not None
                with self._recording(), errors or nullcontext():
                    out = self.entry(*self._args)
                if self._watch:
                    self._watch.note_return(out)
                    if self._record_host:
                        self._watch.host.end_call(out)
            if self.device.type == "cuda":
                torch.cuda.synchronize()
        except BaseException as error:
            raised = learner_module.describe_error(error, self.filename)
        ms = (time.perf_counter() - started) * 1e3
        if self._watch:
            report, watched = self._watch.report.as_record(), self._watch.host
            host, copies = tuple(watched.names), tuple(watched.copies)
            self._launches = report.launches
            if self._watch.tracer:
                trace = write_json_object(self._watch.tracer.to_json())
            if self._watch.witness:
                witness = write_json_object(self._watch.witness.to_json())
        seen = {
            "ms": ms,
            "launches": self._launches,
            "report": report,
            "trace": trace,
            "witness": witness,
            "compilations": compilations,
            "host_operations": host,
            "host_copies": copies,
            "handled": errors.found if errors else (),
            "ranks": ranks,
        }
        return out, raised, seen

    def _recording(self) -> AbstractContextManager[None]:
        if self._watch and self._record_host:
            recording: AbstractContextManager[None] = self._watch.host.recording(self._args)
            return recording
        return nullcontext()

    def _file_of(self, tensor: torch.Tensor) -> Fds:
        """Return a file of the tensor's elements, or no file if they cannot be sent."""
        files = self.elements(tensor) if dtype_name(tensor) in shared_tensors.DTYPES else ()
        return () if isinstance(files, LearnerError) else files

    def _output_of_python(self, out: torch.Tensor) -> Fds:
        """Return a file of the output without `torch.compile`; none if it is no such tensor."""
        other, self._uncompiled = self._uncompiled, None
        like = type(other) is torch.Tensor and (other.shape, other.dtype) == (out.shape, out.dtype)
        return self._file_of(other) if like else ()

    def _held_tensors(self, out: torch.Tensor) -> Fds:
        """Return a file of the tensors like the output that launches got while stores were withheld."""
        like = [t for t in self._watch.held if (t.numel(), t.dtype) == (out.numel(), out.dtype)]
        return self._file_of(torch.cat([t.reshape(-1) for t in like])) if like else ()

    def arguments(
        self, described: Sequence[Argument], fd: int
    ) -> tuple[tuple[Any, ...], Callable[[], None], Callable[[], None]]:
        """Yield the arguments as views into the shared file, and two functions: the first copies the
        file's bytes to the device again, the second copies the device's bytes back."""
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

    def _call_captured(self, args: tuple[Any, ...], first: bool) -> tuple[Any, Compilations]:
        """Run under a counting backend, twice with the same input: the second call must not compile.

        The function gets copies that own their memory. Dynamo guards on a view's start in its
        storage, so views into the shared file would cause compilations that the learner's code did
        not cause. It is also called without `torch.compile`, and must compute the same there.
        """
        from tutor.judge.worker import graph_capture

        explained = None
        given, again, spare, plain_args = (clones(args) for _ in range(4))
        assert self.entry is not None
        if first:
            plain = graph_capture.inner(self.entry)
            explained = graph_capture.explain_graphs(plain, spare, self.filename)
            self._capture = graph_capture.Capture(
                plain,
                graph_capture.dynamic_setting(self.entry),
                compiling=not explained.breaks,
            )
        before, known = self._capture.compilations, len(self._capture.guards)
        broken = self._capture.breaks
        out = self._capture.call(*given)
        once = self._capture.compilations
        for arg, used in zip(args, given, strict=True):  # the server checks for writes into inputs
            if isinstance(arg, torch.Tensor):
                shared_tensors.copy_into(arg, used)
        self._capture.call(*again)
        with torch.compiler.set_stance("force_eager"):
            self._uncompiled = graph_capture.inner(self.entry)(*plain_args)
        repeated, guards = self._capture.compilations - once, tuple(self._capture.guards[known:])
        if self._capture.breaks > broken and not first:
            # The break is on a path that the first call did not take.
            plain = graph_capture.inner(self.entry)
            explained = graph_capture.explain_graphs(plain, clones(args), self.filename)
        return out, Compilations(once - before, repeated, guards, explained)

    def elements(
        self, out: torch.Tensor, pieces: Sequence[tuple[int, int]] = ()
    ) -> Fds | LearnerError:
        """Return a file of the tensor's elements: all of them, or these pieces."""
        try:
            data = _reshape(_contiguous(_resolve_neg(_detach(out))), -1)
            if pieces:
                data = _cat([data[start : start + count] for start, count in pieces])
            elif data.numel() == 1:  # whatever its stride, it counts as contiguous
                data = _cat([data])
        except (RuntimeError, MemoryError) as error:  # a view may claim more than fits in memory
            return learner_module.describe_error(error, self.filename)
        raw = data.view(torch.uint8) if data.numel() else torch.empty(0, dtype=torch.uint8)
        return (shared_tensors.memory_file("output", raw),)

    def probe(self, question: RunProbe) -> ProbeFound | Raised:
        """Return the findings of `probe(module, device)` of the exercise's probe.py on the learner's
        objects."""
        poison_memory(False)
        try:
            space = learner_module.load_module(question.source, question.filename, "probe").__dict__
            figures = space["probe"](self.module, self.device)
            return ProbeFound(
                write_json_object({str(k): to_plain_value(v) for k, v in figures.items()})
            )
        except learner_module.Unloadable as error:
            return Raised(error.report)
        except BaseException as error:
            return Raised(learner_module.describe_error(error, self.filename))


def _open_subject(kind: str) -> Callable[..., Any]:
    """Return the class that makes what the entry gets, calls the entry, and runs what it has made."""
    if kind == "schedule":
        from tutor.judge.worker.tvm_schedule import Schedules

        return Schedules
    assert kind == "graph"
    from tutor.judge.worker.onnx_graph import Graphs

    return Graphs


def describe_output(out: Any, args: tuple[Any, ...]) -> OutputTensor | str:
    """Return the tensor, or a sentence that says why the judge cannot use the returned value."""
    if type(out) is not torch.Tensor and type(out) is not torch.nn.Parameter:
        return escape_surrogates(type(out).__name__[:MAX_NAME]) or "an object without a type's name"
    if out.layout is not torch.strided or out.is_meta:
        return "a tensor without elements in memory (sparse or meta)"
    if out.is_nested:
        return "a nested tensor, whose rows have shapes of their own"
    dtype = dtype_name(out)
    if dtype not in shared_tensors.DTYPES:
        return f"a tensor of {dtype}"
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    alias = next((i for i, a in enumerate(tensors) if a.numel() and _same_memory(a, out)), None)
    return OutputTensor(tuple(out.shape), dtype, str(out.device), alias, _is_contiguous(out))


def dtype_name(tensor: torch.Tensor) -> str:
    """Return the element type's name without `torch.`: `float32`."""
    return str(tensor.dtype).removeprefix("torch.")


def clones(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return copies with the same strides, for a call that may write into its inputs."""
    return tuple(
        shared_tensors.copy_into(
            torch.empty_strided(a.shape, a.stride(), dtype=a.dtype, device=a.device), a
        )
        if isinstance(a, torch.Tensor)
        else a
        for a in args
    )


def _same_memory(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.device == b.device and _data_ptr(a) == _data_ptr(b)
