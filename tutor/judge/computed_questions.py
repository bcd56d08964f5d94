"""Questions about a learner's right kernel, computed by the judge on this machine.

Two are drawn of all that can be asked, of different kinds. The same text gets the same two about the
same pass.
"""

from collections.abc import Iterable
from hashlib import blake2b
from random import Random

from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import Exercise
from tutor.judge.client import Judge
from tutor.judge.questions.ladder_questions import (
    KINDS,
    WAITS,
    LoweredKernel,
    draw_wait_question,
    draw_warps_question,
    find_kernels,
    put_warps,
)
from tutor.judge.questions.program_question import Drawn, ProgramQuestion, code_of_kernel
from tutor.judge.questions.record_questions import draw_record_questions
from tutor.memory.program_answers import ASKED
from tutor.memory.record import Record
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Link, Request, Stage

_PLAIN = ("programs",)  # kinds that say little, asked where there is nothing else
_ALIKE = (
    {"loaded", "stored"},
    {"stores", "first"},
    {"turns", "loop"},
)  # of these one is asked at most
_SHARE_OF_LADDER = 1 / 3  # of passes, with a question on the ladder: it takes seconds more
_FEW, _MANY = 4, 8  # warps


class Compiled:
    """A learner's program as the ladder has it, lowered as often as questions need it."""

    def __init__(
        self, judge: Judge, exercise: Exercise, source: str, filename: str, target: str
    ) -> None:
        self._judge, self._exercise = judge, exercise
        self._source, self._filename, self.target = source, filename, target
        self._inputs: tuple[str, ...] = ()
        self._kernels: list[LoweredKernel] | None = None

    def draw(self, kind: str, id_: str, seed: str) -> Drawn:
        """Draw a question of a kind of `KINDS`; none where the ladder does not get that far."""
        try:
            if kind == WAITS:
                return self._draw_wait(id_, seed)
            return self._draw_warps(id_, seed)
        except (UsageError, CannotHere):
            return Drawn(())

    def _draw_wait(self, id_: str, seed: str) -> Drawn:
        kernels = self._lower_once()
        inputs = ", ".join(self._inputs)
        return draw_wait_question(id_, self._exercise.day, kernels, self.target, inputs, seed)

    def _draw_warps(self, id_: str, seed: str) -> Drawn:
        for kernel in self._lower_once():
            warps = dict(kernel.stages["sass"].counts).get("num_warps")
            changed = put_warps(self._source, kernel.name, _FEW if warps == _MANY else _MANY)
            if changed is None:
                continue
            other = next((k for k in self._lower(changed) if k.name == kernel.name), None)
            if other is not None:
                inputs = ", ".join(self._inputs)
                day, target = self._exercise.day, self.target
                return draw_warps_question(id_, day, kernel, other, target, inputs, seed)
        return Drawn(())

    def _lower_once(self) -> list[LoweredKernel]:
        if self._kernels is None:
            self._inputs = self._judge.inputs(self._exercise.slug)
            self._kernels = self._lower(self._source)
        return self._kernels

    def _lower(self, source: str) -> list[LoweredKernel]:
        request = Request(
            self._filename,
            self._exercise.entry_name,
            parse_inputs(self._inputs),
            self.target,
            None,
            False,
            source=source,
            logs=(),
        )
        stages, links = [], []
        for event in self._judge.xray(request):
            if isinstance(event, Stage):
                stages.append(event)
            elif isinstance(event, Link):
                links.append(event)
        return [kernel for kernel in find_kernels(stages, links) if is_own(kernel, source)]


def is_own(kernel: LoweredKernel, source: str) -> bool:
    """Return True for a kernel whose Triton text is that of a function in the learner's file: others
    are Inductor's, or begin with helpers."""
    return kernel.code.strip() == code_of_kernel(source, kernel.name)[0].strip() != ""


def compute_questions(
    judge: Judge, record: Record, exercise: Exercise, source: str, filename: str, target: str
) -> tuple[ProgramQuestion, ...]:
    """Return the questions that are still to be asked about a right answer; none of an exercise without
    a kernel. `target` is the GPU that the ladder compiles for.

    Raises `UsageError` where nothing can be asked, `CannotHere` without torch and Triton.
    """
    slug = exercise.slug
    left = record.program_answers.open_count(slug)
    if exercise.kind != "kernel" or not left:
        return ()
    id_ = record.program_answers.id_of_pass(slug)
    seed = f"{id_} {digest_of(source)}"
    answered = record.program_answers.answered(slug)
    accesses = judge.record_program(slug, source, filename)
    drawn = draw_record_questions(id_, source, exercise.day, accesses, seed).questions
    compiled = Compiled(judge, exercise, source, filename, target)
    chosen = choose(drawn, compiled, id_, seed)
    return tuple(each for each in chosen if each.question.id not in answered)[:left]


def draw_all(
    judge: Judge, exercise: Exercise, source: str, filename: str, id_: str, seed: str, target: str
) -> Drawn:
    """Draw one question of each kind that applies. `id_` begins their ids."""
    accesses = judge.record_program(exercise.slug, source, filename)
    compiled = Compiled(judge, exercise, source, filename, target)
    return _join(
        [
            draw_record_questions(id_, source, exercise.day, accesses, seed),
            *(compiled.draw(kind, id_, seed) for kind in KINDS),
        ]
    )


def choose(
    questions: tuple[ProgramQuestion, ...], compiled: Compiled, id_: str, seed: str
) -> tuple[ProgramQuestion, ...]:
    """Choose the questions to ask, of different kinds. About every third pass is asked about the
    ladder, too."""
    draw = Random(seed)
    order = sorted(questions, key=lambda each: (each.kind in _PLAIN, draw.random()))
    order = [each for at, each in enumerate(order) if not _is_alike(each, order[:at])]
    telling = [each for each in order if each.kind not in _PLAIN]
    if draw.random() < _SHARE_OF_LADDER or len(telling) < ASKED:
        for kind in draw.sample(KINDS, len(KINDS)):
            found = compiled.draw(kind, id_, seed).questions
            if found:
                return (*order[: ASKED - 1], *found)
    return tuple(order[:ASKED])


def _is_alike(question: ProgramQuestion, before: Iterable[ProgramQuestion]) -> bool:
    family = next((kinds for kinds in _ALIKE if question.kind in kinds), {question.kind})
    return any(each.kind in family for each in before)


def _join(drawn: Iterable[Drawn]) -> Drawn:
    parts = list(drawn)
    questions = tuple(each for part in parts for each in part.questions)
    return Drawn(questions, sum(part.disagreed for part in parts))


def digest_of(source: str) -> str:
    """Return a digest of a learner's text."""
    return blake2b(source.encode("utf-8", "replace"), digest_size=8).hexdigest()
