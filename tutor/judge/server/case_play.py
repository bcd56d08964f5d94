"""Play a learner's cases on an exercise's answers: which case refuses which wrong one, and whether every
right one survives.

One worker loads all answers, one after the other, each within a limit of its own. Where one of them
hangs or ends the worker, another worker goes on with the next case.
"""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tutor.base.errors import UsageError
from tutor.course.model import Exercise, WrongAnswer
from tutor.course.reading.python_source import names_compiler
from tutor.course.reading.wrong_answers import is_outdated, read_until, read_wrong_answers
from tutor.judge.breaking.case_text import CaseText, parameters_of
from tutor.judge.breaking.habits import Forms, find_strangeness
from tutor.judge.cases.arguments import copy_argument
from tutor.judge.cases.case_result import JudgedCase
from tutor.judge.cases.case_runner import Cases, PreparedCase
from tutor.judge.cases.learner_inputs import form_of, make_arguments
from tutor.judge.cases.reference import (
    Args,
    Reference,
    describe_arguments,
    make_inputs,
    quote_promise,
)
from tutor.judge.model.case_table import CaseTable, Hole, Mistake, PlayedCase
from tutor.judge.model.events import Progress
from tutor.judge.model.launch_options import BACKWARDS, POISONS
from tutor.judge.processes import process_control
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import ModuleRejected
from tutor.judge.spec import Case

RIGHT_SECONDS, WRONG_SECONDS = 4.0, 2.0  # at most, of all cases of one answer
LEAST_SECONDS, LONGER = (
    0.4,
    4.0,
)  # of a wrong one: at least, and times what the slowest right one took
MOST_STOPS = 2  # of one answer, after which its other cases are left out
MOST_BYTES, MOST_FLOPS = 1 << 24, 1 << 28  # of a case
_OWN_SEED = 1
_MOST_GIVEN = 300  # characters of the task's paragraph that says what is given

Asks = Literal["all", "living", "none"]
Bench = dict[int, PreparedCase]  # by the number of the case


@dataclass(frozen=True)
class _Answer:
    name: str
    code: str


class CasePlay:
    """The answers of an exercise, in workers that `take` returns.

    `shown` says of wrong answers whether the exercise's own cases refuse them; what is found is added.
    """

    def __init__(
        self,
        exercise: Exercise,
        reference: Reference,
        take: Callable[[], WorkerHandle],
        caller: Channel,
        shown: dict[str, bool],
    ) -> None:
        if not exercise.takes_cases:
            raise UsageError(
                f"{exercise.slug} takes no cases: only kernels do whose arguments a short call can say"
            )
        # An answer is right or wrong; nobody asks how.
        self._reference = replace(reference, explain_wrong=None, near_misses=())
        self._exercise, self._take, self._caller = exercise, take, caller
        self._names = parameters_of(exercise.entry)
        self._shown = shown
        self._worker: WorkerHandle | None = None
        self._slowest = 0.0  # seconds of a right answer
        self._spent = 0.0  # processor seconds of workers that have ended
        self._played, self._all = 0, 0  # answers
        self._counts = True  # them for the caller

    def run(
        self, cases: Sequence[CaseText], own: str = "", asks: Asks = "all", counts: bool = True
    ) -> CaseTable:
        """Return the table. Sends `Progress` on the way.

        `asks` says of which mistakes it is asked whether the exercise's own cases show them. With
        `counts`, each answer is told. Raises `WorkerStopped` with the code "cancelled" if the caller
        cancels."""
        began = time.process_time()
        right, wrong = self._read_right(), self._read_wrong()
        self._counts = counts
        if not counts:
            many = f"{len(right)} right and {len(wrong)} wrong answers"
            self._caller.send(Progress(f"playing your cases on {many}"))
        self._all = len(right) + len(wrong) + bool(own)
        bench: Bench = {}
        try:
            played = self._look_at_all(cases, bench)
            holes = self._admit(right, played, bench)
            killed = {answer.name: self._play_wrong(answer, bench) for answer in wrong}
            own_killed = self._play_own(own, bench) if own else None
            if asks != "none":
                living = [a for a in wrong if asks == "all" or not killed[a.name]]
                self._ask_own_cases(living)
        finally:
            self._end_worker()
            _close(bench)
        mistakes = self._describe(wrong, killed)
        for mistake in mistakes:
            if mistake.shown is False and mistake.killed_by:
                text = cases[mistake.killed_by[0] - 1].text
                holes.append(Hole(text, f"wrong/{mistake.name}", mistake.says))
        return CaseTable(
            self._exercise.slug,
            tuple(played[number] for number in sorted(played)),
            mistakes,
            len(right),
            own_killed,
            tuple(holes),
            round(time.process_time() - began + self._spent, 3),
        )

    # --- the answers ------------------------------------------------------------------------------

    def _read_right(self) -> list[_Answer]:
        """Return the solution and the other right answers that run with what is installed."""
        answers = []
        for path in (self._exercise.solution, *self._exercise.right):
            code = path.read_text(encoding="utf-8")
            if not is_outdated(read_until(code)) and not names_compiler(code):
                answers.append(_Answer(path.stem, code))
        return answers

    def _read_wrong(self) -> list[WrongAnswer]:
        return [
            answer
            for answer in read_wrong_answers(self._exercise.folder)
            if not is_outdated(answer.until) and not names_compiler(answer.code)
        ]

    def _describe(
        self, wrong: Sequence[WrongAnswer], killed: Mapping[str, tuple[int, ...]]
    ) -> tuple[Mistake, ...]:
        looks = {name: p.text for p in self._exercise.promises for name in p.broken_by}
        return tuple(
            Mistake(
                answer.name,
                answer.says or _in_words(answer.name),
                looks.get(answer.name, ""),
                killed[answer.name],
                self._shown.get(answer.name),
            )
            for answer in wrong
        )

    # --- which cases count ------------------------------------------------------------------------

    def _look_at_all(self, cases: Sequence[CaseText], bench: Bench) -> dict[int, PlayedCase]:
        """Return the cases, refused where the task does not promise their arguments; `bench` gets the
        others."""
        own = [form_of(make_inputs(case, _OWN_SEED)) for case in self._reference.cases]
        played: dict[int, PlayedCase] = {}
        allowed: dict[int, Args] = {}
        for number, case in enumerate(cases, 1):
            args = make_arguments(case.args, _seed_of(case.text))
            played[number] = self._look_at(case.text, args, own)
            if not played[number].refused:
                allowed[number] = args
        made = [Case(cases[n - 1].text, _returning(args)) for n, args in allowed.items()]
        runner = self._open(replace(self._reference, cases=tuple(made)))
        for index, number in enumerate(allowed):
            bench[number] = runner.prepare(index)
        return played

    def _look_at(self, text: str, args: Args, own: Sequence[Forms]) -> PlayedCase:
        """Return what is said of a case before anything is played."""
        told = PlayedCase(text, describe_arguments(args))
        if promise := quote_promise(self._reference.promised, args):
            return replace(told, refused="the task promises other arguments", promise=promise)
        if strange := find_strangeness(form_of(args), own, self._names):
            return replace(told, refused=strange, promise=self._given)
        return replace(told, refused=self._find_trouble(args))

    def _find_trouble(self, args: Args) -> str:
        """Say that a case is too large to be played, or that PyTorch refuses it; "" for neither."""
        try:
            work = self._reference.work(*args)
            if work.bytes > MOST_BYTES or work.flops > MOST_FLOPS:
                return "it is too large to be played on every answer; a smaller one shows the same"
            self._reference.eager(*map(copy_argument, args))
        except Exception as error:  # a reference may raise anything where arguments do not fit
            first = (str(error).strip().splitlines() or [type(error).__name__])[0]
            return f"PyTorch refuses it: {first[:160]}"
        return ""

    @property
    def _given(self) -> str:
        """The paragraph of the task that says what is given."""
        paragraphs = self._exercise.task.split("\n\n")
        given = next((text for text in paragraphs if "**Given.**" in text), "")
        words = " ".join(given.replace("**Given.**", "").replace("**", "").split())
        return words if len(words) <= _MOST_GIVEN else f"{words[: _MOST_GIVEN - 1]}…"

    def _admit(
        self, right: Sequence[_Answer], played: dict[int, PlayedCase], bench: Bench
    ) -> list[Hole]:
        """Refuse the cases that a right answer does not survive, and take them from the bench.

        Where the exercise says itself what it promises, such a case may be a hole: they are returned.
        """
        holes: list[Hole] = []
        explicit = bool(self._reference.promised)
        for answer in right:
            self._count()
            began = time.monotonic()
            found = self._play(answer, bench, RIGHT_SECONDS)
            self._slowest = max(self._slowest, time.monotonic() - began)
            for number, how in found.items():
                told = f"a right answer does not survive it: {how}"
                promise = "" if explicit else self._given
                played[number] = replace(played[number], refused=told, promise=promise)
                if explicit:
                    holes.append(Hole(played[number].text, f"right/{answer.name}", how))
                bench.pop(number).given.close()
        return holes

    # --- playing ----------------------------------------------------------------------------------

    def _play_wrong(self, answer: WrongAnswer, bench: Bench) -> tuple[int, ...]:
        self._count()
        seconds = min(WRONG_SECONDS, max(LEAST_SECONDS, LONGER * self._slowest))
        return tuple(self._play(_Answer(answer.name, answer.code), bench, seconds))

    def _play_own(self, source: str, bench: Bench) -> tuple[int, ...]:
        self._count()
        if names_compiler(source):
            return ()
        return tuple(self._play(_Answer("own", source), bench, RIGHT_SECONDS))

    def _ask_own_cases(self, wrong: Sequence[WrongAnswer]) -> None:
        """See which wrong answers the exercise's own cases refuse; a small case first."""
        unknown = [answer for answer in wrong if answer.name not in self._shown]
        if not unknown:
            return
        self._caller.send(Progress("playing the exercise's own cases"))
        runner = self._open(self._reference)
        own: Bench = {}
        try:
            made = [(runner.prepare(i), i) for i in range(len(self._reference.cases))]
            own = {number: prepared for number, (prepared, _) in enumerate(_by_size(made), 1)}
            for answer in unknown:
                told = _Answer(answer.name, answer.code)
                seconds = self._exercise.seconds
                self._shown[answer.name] = bool(self._play(told, own, seconds, most=1))
        finally:
            _close(own)

    def _play(
        self, answer: _Answer, bench: Bench, seconds: float, most: int = 1 << 20
    ) -> dict[int, str]:
        """Return the cases that refuse an answer, at most `most` of them, and how each one does."""
        killed: dict[int, str] = {}
        left, stops = sorted(bench), 0
        while left and len(killed) < most:
            try:
                self._play_until(answer, bench, left, seconds, killed, most)
                break
            except WorkerStopped as stop:
                self._end_worker()
                if stop.code == "cancelled":
                    raise
                killed[left.pop(0)] = str(stop)
                stops += 1
                if stops == MOST_STOPS:
                    break
        return killed

    def _play_until(
        self,
        answer: _Answer,
        bench: Bench,
        left: list[int],
        seconds: float,
        killed: dict[int, str],
        most: int,
    ) -> None:
        """Play the cases of `left` and take them from it as they are done. Raises `WorkerStopped` with
        the running one first in it."""
        cases = tuple(Case(str(number), _no_inputs) for number in range(_largest(bench) + 1))
        runner = self._open(replace(self._reference, cases=cases))
        memory = int(self._exercise.memory_gib * 2**30)
        runner.worker.begin(WorkerLimits(seconds, memory))
        loaded = runner.load(answer.code, f"{answer.name}.py")
        if isinstance(loaded, ModuleRejected):
            killed.update(dict.fromkeys(left[:most], "it cannot be loaded"))
            return
        while left and len(killed) < most:
            judged = runner.run_prepared(bench[left[0]], order=BACKWARDS, poison=POISONS[0])
            number = left.pop(0)
            if not judged[0].passed:
                killed[number] = _say_how(judged)

    def _open(self, reference: Reference) -> Cases:
        """Return cases in the worker, which is taken when it is first needed."""
        self._worker = self._worker or self._take()
        return Cases(
            self._exercise,
            reference,
            self._worker,
            mode="interpret",
            seed=_OWN_SEED,
            caller=self._caller,
            explains=False,
        )

    def _count(self) -> None:
        self._played += 1
        if self._counts:
            self._caller.send(Progress(f"answer {self._played} of {self._all}"))

    def _end_worker(self) -> None:
        if self._worker:
            self._spent += process_control.read_processor_seconds([self._worker.pid])
            self._worker.kill()
        self._worker = None


def _in_words(name: str) -> str:
    """Return the author's name of a mistake as a sentence."""
    return f"{name.replace('_', ' ').capitalize()}."


def _close(bench: Bench) -> None:
    for prepared in bench.values():
        prepared.given.close()


def _by_size(made: list[tuple[PreparedCase, int]]) -> list[tuple[PreparedCase, int]]:
    return sorted(made, key=lambda pair: (pair[0].given.buffer.numel(), pair[1]))


def _largest(bench: Bench) -> int:
    return max((prepared.given.index for prepared in bench.values()), default=0)


def _returning(args: Args) -> Callable[[object], Args]:
    return lambda _: args


def _no_inputs(_: object) -> Args:
    return ()


def _seed_of(text: str) -> int:
    """Return a seed by which a case has the same numbers each time."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


def _say_how(judged: JudgedCase) -> str:
    """Return in a few words what was wrong with an answer on a case."""
    result, facts = judged
    if facts.raised:
        return "it raises an error"
    if result.note:
        return result.note
    if result.mismatch:
        wrong = result.mismatch
        return f"{wrong.count} of {wrong.total} elements are wrong"
    return "its output is wrong"
