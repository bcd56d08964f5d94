"""The cases of an exercise, run one by one in a worker. Runs in the server, which the learner's code
cannot reach; `case_result` compares the outputs."""

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from tutor.base.errors import UsageError
from tutor.course.model import Exercise
from tutor.judge.cases.arguments import (
    CaseInputs,
    copy_argument,
    encode_arguments,
    parameter_names,
    tensors_of,
)
from tutor.judge.cases.case_result import (
    ExpectedOutput,
    JudgedCase,
    ResultReader,
    WorkerAnswer,
)
from tutor.judge.cases.passes import make_rules, read_tensor
from tutor.judge.cases.reference import ANY, Args, Reference, make_inputs
from tutor.judge.model.launch_options import BACKWARDS, POISONS
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import WorkerLimits
from tutor.judge.processes.wire import Channel, close_all
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import (
    CaseAnswer,
    ModuleLoaded,
    ModuleRejected,
    ProbeFound,
    Raised,
)
from tutor.judge.processes.worker_messages.questions import Load, PassRules, RunCase, RunProbe
from tutor.judge.processes.worker_messages.records import CapturedGraphs, Layout

_COMPILING_SECONDS = 20.0  # on a GPU the first launch compiles the kernel
_PROBE_SECONDS = 3.0
_MAX_RAISED = 3  # after so many cases that raised an error the rest would do the same


@dataclass(frozen=True)
class PreparedCase:
    """Inputs of a case, and what a right program returns for them."""

    given: CaseInputs
    expected: ExpectedOutput


def limit_seconds(exercise: Exercise, mode: str) -> float:
    """The seconds after which the cases of a submission are ended, in a worker of this mode."""
    return max(exercise.seconds, _COMPILING_SECONDS if mode == "cuda" else 0.0)


class Cases:
    """A worker with the learner's text that runs case after case. `mode` is the worker's."""

    def __init__(
        self,
        exercise: Exercise,
        reference: Reference,
        worker: WorkerHandle,
        *,
        mode: str,
        seed: int,
        caller: Channel,
        target: str = "",
        explains: bool = True,
    ) -> None:
        """`target` is the GPU that the interpreter's worker pretends; "": that of the settings.
        `explains`: describe wrong outputs (`ResultReader`)."""
        self.exercise, self.reference, self.worker = exercise, reference, worker
        self.mode, self.seed, self._caller = mode, seed, caller
        self.source = ""  # of the learner, as it was loaded
        self._target = target
        self._results = ResultReader(exercise, reference, mode, explains=explains)
        # Compiled functions only:
        self.repeated = 0  # compilations for an input that the call before had too
        self.compiled: list[int] = []  # compilations in each case
        self.guards: list[str] = []  # guards whose failure caused compilations
        self.explained: CapturedGraphs | None = None  # graphs and breaks

    @property
    def repeats(self) -> tuple[str, str] | None:
        """A case whose wrong output had been right in an earlier case, and that one."""
        return self._results.repeats

    def limits(self) -> WorkerLimits:
        seconds = limit_seconds(self.exercise, self.mode)
        return WorkerLimits(seconds, int(self.exercise.memory_gib * 2**30))

    def begin_probe(self) -> None:
        """Start the worker's clock for a short probe after the cases."""
        self.worker.begin(WorkerLimits(_PROBE_SECONDS, self.limits().memory_bytes))

    def run(self, after_first: Callable[[], None] | None = None) -> Iterator[JudgedCase]:
        """Run all cases in order; stop early if each one raises.

        `after_first` is called before the second case begins. While the worker runs a case, the one
        before is compared here and the next one is made.
        """
        raised, last = 0, len(self.reference.cases) - 1
        with contextlib.ExitStack() as files:
            given = files.enter_context(self._make_inputs(0))
            question = self._post(given)
            for index in range(last + 1):
                expected = self._compute_expected(given.args)
                following = (
                    files.enter_context(self._make_inputs(index + 1)) if index < last else None
                )
                answer = self._answer(given, expected, *self.worker.answer(question, self._caller))
                raised += answer.reply.raised is not None
                stopped = answer.reply.ranks is not None and bool(answer.reply.ranks.stop)
                if raised >= _MAX_RAISED or stopped or _has_lost_gpu(answer.reply):
                    following = None
                waits = index == 0 and after_first is not None
                if following and not waits:
                    question = self._post(following)
                yield self._judge(given, expected, answer)
                if following and waits and after_first:
                    after_first()
                    question = self._post(following)
                given.close()
                if following is None:
                    return
                given = following

    def prepare(self, index: int) -> PreparedCase:
        """Make inputs and expected output of a case, for any number of programs. The caller closes the
        inputs."""
        given = self._make_inputs(index)
        return PreparedCase(given, self._compute_expected(given.args))

    def run_prepared(self, case: PreparedCase, **options: Any) -> JudgedCase:
        """Run a case that is prepared. Options as for `case`."""
        given = case.given
        shared_tensors.overwrite(given.fd, given.buffer)  # another program may have written there
        question = self._post(given, **options)
        answer = self._answer(given, case.expected, *self.worker.answer(question, self._caller))
        return self._judge(given, case.expected, answer)

    def load(self, source: str, filename: str) -> ModuleLoaded | ModuleRejected:
        """Load the learner's text in the worker."""
        self.source = source
        reply, _ = self.worker.ask(
            Load(
                source,
                filename,
                memory_bytes=self.worker.limits.memory_bytes,
                entry=self.exercise.entry,
                kind=self.exercise.kind,
                record_host=ANY not in self.reference.host_operations,
                target=self._target,
                maker=self._read_maker(),
                seconds=self.worker.limits.seconds,
                rules=self._rules,
            ),
            (),
            self._caller,
        )
        return reply

    @property
    def _rules(self) -> PassRules | None:
        rewrite = self.reference.rewrite
        return make_rules(rewrite, self.exercise.subject) if rewrite else None

    def _read_maker(self) -> str:
        maker = self.exercise.maker
        return maker.read_text(encoding="utf-8") if maker else ""

    def probe(self, source: str, filename: str) -> ProbeFound | Raised:
        """Run the exercise's probe on the learner's module."""
        reply, _ = self.worker.ask(RunProbe(source, filename), (), self._caller)
        return reply

    def case(self, index: int, args: Args | None = None, **options: Any) -> JudgedCase:
        """Run case `index` once more, perhaps with other arguments.

        Options: `padding`, a value for every masked lane of a load; `order` (see `_program_order`).
        """
        with CaseInputs(index, args) if args else self._make_inputs(index) as given:
            question = self._post(given, **options)
            expected = self._compute_expected(given.args)
            answer = self._answer(given, expected, *self.worker.answer(question, self._caller))
        return self._judge(given, expected, answer)

    def ask(self, index: int, args: Args, fd: int, **options: Any) -> tuple[CaseAnswer, list[int]]:
        """Call the function with `args`, whose bytes are in the file `fd`.

        The caller closes the files that are returned: one with the output if there is one, perhaps a
        second one. Options: those of `case`, `withhold` (the kernels' stores), `again` (use the tensors
        of the call before, whose file now has other bytes), `trace` (keep every load and store),
        `witness` (see every one in memory), `without_products` (of `tl.dot`).
        """
        _, layouts = shared_tensors.fill_buffer(tensors_of(args))
        question = self._question(index, args, layouts, options)
        return self.worker.ask(question, () if question.again else (fd,), self._caller)

    def compare(
        self, index: int, args: Args, reply: CaseAnswer, fds: list[int], fd: int
    ) -> JudgedCase:
        """Compare the answer of `ask` with the reference; `fd` is the file of the inputs."""
        expected = self._compute_expected(args)
        with CaseInputs(index, args, os.dup(fd)) as given:
            answer = self._answer(given, expected, reply, fds, close=False)
        return self._judge(given, expected, answer)

    def prepare_arguments(self, index: int) -> Args:
        """Return the arguments of a case, made anew."""
        return make_inputs(self.reference.cases[index], self.seed + index)

    def _make_inputs(self, index: int) -> CaseInputs:
        return CaseInputs(index, self.prepare_arguments(index))

    def _compute_expected(self, args: Args) -> ExpectedOutput:
        eager = self.reference.eager(*[copy_argument(a) for a in args])
        return ExpectedOutput(eager, self.reference.want(args))

    def _post(self, given: CaseInputs, **options: Any) -> RunCase:
        question = self._question(given.index, given.args, given.layouts, options)
        self.worker.post(question, (given.fd,))
        return question

    def _question(
        self, index: int, args: Args, layouts: list[Layout], options: dict[str, Any]
    ) -> RunCase:
        return RunCase(
            encode_arguments(args, layouts),
            first=index == 0,
            **{
                "poison": POISONS[index % len(POISONS)],
                "order": _program_order(self.seed, index),
                "wave": self.reference.most_fetched.programs if self.reference.most_fetched else 0,
                "once": self._loaded_once,
                "sectors": self.reference.most_sectors is not None,
                **options,
            },
        )

    @functools.cached_property
    def _loaded_once(self) -> tuple[int, ...]:
        """The numbers of the arguments whose elements a program may load once."""
        names = parameter_names(self.exercise.entry)
        if unknown := [name for name in self.reference.loaded_once if name not in names]:
            place, entry = self.exercise.reference, self.exercise.entry
            raise UsageError(f"{place}: LOADED_ONCE names {unknown[0]!r}, no argument of {entry}")
        return tuple(names.index(name) for name in self.reference.loaded_once)

    def _answer(
        self,
        given: CaseInputs,
        expected: ExpectedOutput,
        reply: CaseAnswer,
        fds: list[int],
        *,
        close: bool = True,
    ) -> WorkerAnswer:
        """Read everything that the learner's process could still write to."""
        try:
            data = shared_tensors.read_file(fds[0], expected.bytes) if fds else None
            inputs = shared_tensors.read_file(given.fd, given.buffer.numel())
            plain = fds[1] if len(fds) > 1 and self.exercise.kind == "compiled" else None
            python = None if plain is None else shared_tensors.read_file(plain, expected.bytes)
            rewritten = self.read_rewritten(reply, fds)
            return WorkerAnswer(reply, bool(fds), data, inputs, python, rewritten)
        finally:
            if close:
                close_all(fds)

    @staticmethod
    def read_rewritten(
        reply: CaseAnswer, fds: list[int]
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Return the result that a pass has changed, as it is and as it was; None if there is none."""
        told = reply.rewrite
        if told is None or told.got is None or told.want is None or len(fds) < 2:
            return None
        return read_tensor(told.got, fds[0]), read_tensor(told.want, fds[1])

    def _judge(
        self, given: CaseInputs, expected: ExpectedOutput, answer: WorkerAnswer
    ) -> JudgedCase:
        if made := answer.reply.compilations:
            self.repeated += made.repeated
            self.compiled.append(made.first + made.repeated)
            self.guards += made.guards
            self.explained = _with_more_breaks(self.explained, made.explained)
        return self._results.read(given, expected, answer)


def _has_lost_gpu(reply: CaseAnswer) -> bool:
    """Return True if the case made the GPU unusable for this process.

    After an illegal access or a failed assertion every later call fails (CUDA C++ Programming Guide,
    Error Checking: sticky errors).
    """
    message = reply.raised.message if reply.raised else ""
    return "CUDA error:" in message and "out of memory" not in message


def _program_order(seed: int, index: int) -> int:
    """Return the order in which the interpreter runs the programs of case `index`.

    Every second case runs backwards, which reverses each pair of programs. The others run in a random
    order of this submission that nobody can know beforehand. All calls of one case, also those of
    probes, use the same order: if two outputs differ, the order is not the reason. The worker must not
    learn the seed, so it gets a digest.
    """
    if index % 2 == 0:
        return BACKWARDS
    digest = hashlib.blake2b(f"{seed} {index}".encode(), digest_size=4).digest()
    return 1 + int.from_bytes(digest, "big")


def _with_more_breaks(
    known: CapturedGraphs | None, new: CapturedGraphs | None
) -> CapturedGraphs | None:
    """Return the capture with more graph breaks."""
    if known is None or new is None:
        return known or new
    return new if len(new.breaks) > len(known.breaks) else known
