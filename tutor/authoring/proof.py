"""Prove a course by running it: every cell, every computed question, every solution and wrong answer.

Functions yield one `CourseProof` for each thing run, so that a caller can show progress and stop.
"""

import contextlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tutor.authoring.answer_check import number_said, slip_troubles
from tutor.base.errors import CannotHere, UsageError
from tutor.course.catalog.course import Course
from tutor.course.model import (
    AskedQuestion,
    Cell,
    Exercise,
    Lesson,
    Predict,
    Question,
    WrongAnswer,
)
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.variants import draw_variant
from tutor.course.reading.wrong_answers import is_outdated, read_until, read_wrong_answers
from tutor.course.recordings import find_recorded_runs
from tutor.judge import live_cells
from tutor.judge.client import CellDone, CellFigure, CellOutput, Judge, Submission
from tutor.judge.computed_answers import compute
from tutor.judge.model.verdict import Verdict
from tutor.judge.twists.asked import hold_to_twist
from tutor.quiz import grade
from tutor.quiz.grading import add_answer

CELL_SECONDS = 10.0
SLOW_SECONDS = 60.0


@dataclass(frozen=True)
class CourseProof:
    """`kind`: "cell", "question", "drill", "reference", "solution", "starter", "wrong", "promise",
    "right", "twist" (an answer to one) or "twist promise", and those of `deep_proof`. `fault`: "" if
    it holds."""

    kind: str
    name: str
    fault: str = ""
    named: bool = True  # wrong answers: rejected for the expected reason


def prove_day(judge: Judge, course: Course, day: int, gpu: bool) -> Iterator[CourseProof]:
    """A day's lesson, then its quiz. A file that cannot be read has faults elsewhere, none here."""
    with contextlib.suppress(CourseFault):
        lesson = course.lesson(day)
        if lesson:
            if any(cell.xray for cell in lesson.cells):
                judge.wait_warm(mode="lower")  # the first cells need not each import it
            yield from prove_cells(judge, lesson, gpu)
            yield from prove_programs(judge, course, lesson.questions, lesson.path)
    with contextlib.suppress(CourseFault):
        yield from prove_questions(judge, course, day)


@dataclass
class _Session:
    """The cells of one mode, which share their variables: what ran, and the first that stopped."""

    before: list[Cell] = field(default_factory=list)
    defined: set[int] = field(default_factory=set)  # numbers of cells whose variables are there
    failed: CourseProof | None = None
    hidden: int = 0  # later cells that stopped too
    stuck: bool = False  # an earlier cell stopped when it ran again, too: the rest is not tried

    def note_stop(self, proof: CourseProof) -> None:
        self.hidden += self.failed is not None
        self.failed = self.failed or proof


def prove_cells(judge: Judge, lesson: Lesson, gpu: bool) -> Iterator[CourseProof]:
    """Run a lesson's cells in order, as a learner would; check `expect:` and the predictions.

    Of the cells that share their variables the first that stops is named, with the number of those
    that did after it. Where a cell's process is lost, earlier cells run again before the next one.
    """
    name = f"prove-{lesson.day}"
    waiting: list[Question] = []
    sessions: defaultdict[str, _Session] = defaultdict(_Session)  # by mode
    for section in lesson.sections:
        for block in section.blocks:
            if isinstance(block, Predict):
                waiting.append(block.question)
            elif isinstance(block, Cell) and (gpu or not block.needs_gpu):
                session = sessions[block.mode]
                yield from _prove_cell(judge, name, lesson, block, waiting, session)
                waiting = []
                session.before.append(block)
            elif isinstance(block, Cell):
                yield from _prove_recording(lesson, block)
    judge.end_session(name)
    for session in sessions.values():
        if session.failed:
            later = f"{session.hidden} later cell{'s' * (session.hidden != 1)} stopped after it"
            fault = session.failed.fault + (f" ({later})" if session.hidden else "")
            yield replace(session.failed, fault=fault)


def _prove_recording(lesson: Lesson, cell: Cell) -> Iterator[CourseProof]:
    """Check the recorded run of a GPU cell, if there is one, where the cell cannot run."""
    if known := find_recorded_runs(lesson).get(cell.index):
        missed = [e for e in cell.expect if not has_expected(e, known.printed)]
        fault = f"expected {missed[0]!r} in its recorded output" if missed else ""
        fault = fault or (known.plot if isinstance(known.plot, str) else "")
        yield CourseProof("cell", f"{lesson.path.name}:{cell.line} recorded", fault)


def _prove_cell(
    judge: Judge,
    session: str,
    lesson: Lesson,
    cell: Cell,
    waiting: list[Question],
    shared: _Session,
) -> Iterator[CourseProof]:
    asked = tuple(q.answer_from for q in waiting if q.answer_from)
    name = f"{lesson.path.name}:{cell.line}"
    missing = [] if shared.stuck else shared.before
    for earlier in [c for c in missing if c.index not in shared.defined]:
        _, done, _ = _run_shared(judge, session, earlier, shared, ())
        shared.stuck = shared.stuck or done.lost
        if shared.stuck:
            break
    if shared.stuck:
        shared.note_stop(CourseProof("cell", name, "an earlier cell does not run again"))
        return
    printed, done, no_figure = _run_shared(judge, session, cell, shared, asked)
    if not done.ok:
        said = done.error.strip().splitlines()[-1] if done.error else "failed"
        shared.note_stop(CourseProof("cell", name, said))
        return
    missed = [e for e in cell.expect if not has_expected(e, printed)]
    fault = f"expected {missed[0]!r} in its output, got {printed[-300:]!r}" if missed else no_figure
    yield CourseProof("cell", name, fault)
    for question in waiting:
        if question.answer_from:
            yield _prove_gradable(
                draw_variant(question), done.values.get(question.answer_from), lesson.path
            )


def _run_shared(
    judge: Judge, session: str, cell: Cell, shared: _Session, evaluate: tuple[str, ...]
) -> tuple[str, CellDone, str]:
    """Run a cell as `run_cell` does, and note whether its variables are there, or none any more."""
    before = [earlier.code for earlier in shared.before if earlier.index < cell.index]
    printed, done, no_figure = run_cell(judge, session, cell, before, evaluate)
    if done.lost:
        shared.defined.clear()
    else:
        shared.defined.add(cell.index)  # what raised may have defined something, too
    return printed, done, no_figure


def run_cell(
    judge: Judge, session: str, cell: Cell, before: list[str], evaluate: tuple[str, ...]
) -> tuple[str, CellDone, str]:
    """Run a cell after `before`. Return what it printed, how it ended, and why it has no figure ("")."""
    printed, no_figure = "", ""
    done = CellDone(ok=False, error="no answer")
    seconds = SLOW_SECONDS if cell.slow else CELL_SECONDS
    for event in live_cells.run_live_cell(
        judge, session, cell, before, evaluate=evaluate, seconds=seconds
    ):
        if isinstance(event, CellOutput):
            printed += event.text
        elif isinstance(event, CellFigure) and isinstance(event.figure, str):
            no_figure = event.figure
        elif isinstance(event, CellDone):
            done = event
    return printed, done, no_figure


def _prove_gradable(question: AskedQuestion, value: object, path: Path) -> CourseProof:
    """Check that the machine's own answer is graded as right."""
    verdict = grade(question, value, computed=value)
    fault = f"this machine finds {value!r}, which is not graded as right"
    fault = _describe_contradiction(question, value) if verdict.right else fault
    return CourseProof("question", f"{path.name}:{question.line} {question.id}", fault)


def has_expected(expected: str, printed: str) -> bool:
    """`expect:` as in the course format: `/…/` is a regular expression, anything else is contained."""
    if len(expected) > 2 and expected.startswith("/") and expected.endswith("/"):
        return re.search(expected[1:-1], printed, re.MULTILINE) is not None
    return expected in printed


def prove_questions(judge: Judge, course: Course, day: int) -> Iterator[CourseProof]:
    """Compute every `predict` question of a day's quiz on this machine."""
    quiz = course.quiz(day)
    if quiz is None:
        return
    yield from prove_programs(judge, course, quiz.questions, Path(f"day-{day:02d}.toml"))
    if any(question.xray for question in quiz.questions):
        judge.wait_warm(mode="lower")  # as for the cells
    for question in map(draw_variant, quiz.questions):
        if question.kind != "predict":
            continue
        name = f"day-{day:02d}.toml:{question.line} {question.id}"
        try:
            value = compute(judge, question)
        except CannotHere as error:
            yield CourseProof("question", name, str(error))
            continue
        if value is None:
            yield CourseProof("question", name, "its code gave no answer")
        else:
            verdict = grade(question, value, computed=value)
            fault = f"{value!r} is not graded right"
            fault = _describe_contradiction(question, value) if verdict.right else fault
            yield CourseProof("question", name, fault)


def prove_programs(
    judge: Judge, course: Course, asked: Iterable[Question], path: Path
) -> Iterator[CourseProof]:
    """Each `code` question begins with a text that the judge rejects, and its answer passes."""
    for question in asked:
        if question.kind != "code":
            continue
        name = f"{path.name}:{question.line} {question.id}"
        try:
            begun, right = (
                _judge_text(judge, question.exercise, text, f"{question.id}.py", None)
                for text in (question.code, question.answer)
            )
        except (CannotHere, UsageError) as error:
            yield CourseProof("drill", name, str(error))
            continue
        if begun.passed:
            yield CourseProof("drill", name, "what it begins with is right")
        elif not right.passed:
            cause = right.diagnosis[0].message if right.diagnosis else "no cause given"
            yield CourseProof("drill", name, f"its answer is rejected: {cause}")
        else:
            yield CourseProof("drill", name)


def _describe_contradiction(question: AskedQuestion, value: object) -> str:
    """Say which slip is the right answer on this machine, or which number the explanation has in its
    place; "" where neither is so."""
    right = [slip for slip, _ in slip_troubles(add_answer(question, value))]
    if right:
        return f"the slip {right[0]!r} is the answer on this machine"
    said = number_said(question.explanation)
    if said is None or not isinstance(value, int | float) or value == said:
        return ""
    return f"its explanation says {said}, and this machine finds {value!r}"


def prove_exercise(
    judge: Judge, exercise: Exercise, seed: int | None = None
) -> Iterator[CourseProof]:
    """The reference measures, the solution passes, the starter does not, each wrong answer is rejected
    for its reason, right answers and those to twists are accepted, and the solution breaks the promises
    of each twist that the answers to it keep.

    `seed` of the inputs, as in `Submission`.
    """
    if exercise.kind != "cases":  # these are judged by the answers of another exercise
        yield _prove_reference(judge, exercise)
    solution = _judge_file(judge, exercise, exercise.solution, seed)
    cause = solution.diagnosis[0].message if solution.diagnosis else ""
    if not solution.passed:
        yield CourseProof("solution", exercise.slug, f"rejected: {cause or 'no cause given'}")
    else:
        yield CourseProof(
            "solution", exercise.slug, f"passes, yet it is told: {cause}" if cause else ""
        )
    starter = _judge_file(judge, exercise, exercise.starter, seed)
    yield CourseProof("starter", exercise.slug, "passes as it stands" if starter.passed else "")
    rejected: set[str] = set()
    with contextlib.suppress(CourseFault):  # reported as mistakes of their files
        for answer in read_wrong_answers(exercise.folder):
            if is_outdated(answer.until):
                yield _prove_outdated(judge, exercise, answer, seed)
                rejected.add(answer.name)  # where it is a mistake
                continue
            proved = _prove_wrong(judge, exercise, answer, seed)
            rejected |= set() if proved.fault else {answer.name}
            yield proved
    yield from prove_promises(exercise, rejected)
    yield from _prove_twist_promises(exercise, solution)
    for path in exercise.right:
        if is_outdated(read_until(path.read_text(encoding="utf-8"))):
            continue
        verdict = _judge_file(judge, exercise, path, seed)
        yield CourseProof("right", _describe_place(exercise, path), _describe_rejection(verdict))
    for path in exercise.twist_answers:
        verdict = _judge_file(judge, exercise, path, seed)
        fault = "" if verdict.passed else _describe_rejection(verdict)
        number = int(re.match(r"\d*", path.stem)[0] or 0)  # type: ignore[index]  # fits any text
        broken = hold_to_twist(verdict, number)
        if verdict.passed and not broken.passed:
            fault = f"an answer to the twist is told: {broken.diagnosis[0].message}"
        yield CourseProof("twist", _describe_place(exercise, path), fault)


def _prove_twist_promises(exercise: Exercise, solution: Verdict) -> Iterator[CourseProof]:
    """Each judged twist asks for something that the solution does not do."""
    place = _describe_place(exercise, exercise.folder / "exercise.toml")
    for finding in solution.twists:
        lines = [p.line for p in exercise.twist_promises if p.twist == finding.number]
        fault = "the solution keeps it too" if finding.kept else ""
        yield CourseProof("twist promise", f"{place}:{lines[0]} twist {finding.number}", fault)


def prove_promises(exercise: Exercise, rejected: Collection[str]) -> Iterator[CourseProof]:
    """Each judged promise has a wrong answer, and all that it names are `rejected` for their reason."""
    for promise in exercise.promises:
        if promise.judged:
            passed = [name for name in promise.broken_by if name not in rejected]
            fault = f"not rejected for its reason: {', '.join(passed)}" if passed else ""
            place = _describe_place(exercise, exercise.folder / "exercise.toml")
            fault = fault if promise.broken_by else "no wrong answer breaks it"
            yield CourseProof("promise", f"{place}:{promise.line} {promise.id}", fault)


def _prove_reference(judge: Judge, exercise: Exercise) -> CourseProof:
    """Run `reference_check` in a process of the judge, where the learner's code runs too."""
    session = f"prove-{exercise.slug}"
    code = (
        "from pathlib import Path\n"
        "from tutor.judge.cases.reference_check import reference_fault\n"
        f"fault = reference_fault(Path({str(exercise.reference)!r}))\n"
    )
    fault = "no answer from its check"
    for event in judge.run_cell(session, code, evaluate=("fault",), seconds=SLOW_SECONDS):
        if isinstance(event, CellDone):
            fault = str(event.values.get("fault")) if event.ok else event.error.strip()
    judge.end_session(session)
    return CourseProof(
        "reference", f"{_describe_place(exercise, exercise.reference)}:1", fault.split("\n")[-1]
    )


def _prove_wrong(
    judge: Judge, exercise: Exercise, answer: WrongAnswer, seed: int | None
) -> CourseProof:
    name = f"{_describe_place(exercise, answer.path)}:{answer.line} {answer.name}"
    verdict = _judge_text(judge, exercise.slug, answer.code, f"{answer.name}.py", seed)
    if verdict.passed:
        return CourseProof("wrong", name, "passes", named=False)
    first = verdict.diagnosis[0] if verdict.diagnosis else None
    codes = (answer.expect, *answer.or_else)
    if first is None or first.code not in codes:
        got = first.code if first else "no cause"
        return CourseProof("wrong", name, f"expected {' or '.join(codes)}, got {got}", named=False)
    ended = first.message.rstrip().endswith((".", "?"))
    return CourseProof("wrong", name, "" if ended else f"no whole sentence: {first.message!r}")


def _prove_outdated(
    judge: Judge, exercise: Exercise, answer: WrongAnswer, seed: int | None
) -> CourseProof:
    """With this release it is no mistake: the judge must accept it as it does a right answer."""
    name = f"{_describe_place(exercise, answer.path)}:{answer.line} {answer.name}"
    verdict = _judge_text(judge, exercise.slug, answer.code, f"{answer.name}.py", seed)
    return CourseProof("right", name, _describe_rejection(verdict))


def _describe_place(exercise: Exercise, path: Path) -> str:
    """A file of an exercise as a reader of the course finds it: `kernels/SLUG/…`."""
    return str(path.relative_to(exercise.folder.parent.parent))


def _describe_rejection(verdict: Verdict) -> str:
    """Why a right answer is rejected, or told of a fault; "" where it is neither."""
    if verdict.diagnosis:
        return f"a right answer is told: {verdict.diagnosis[0].message}"
    return "" if verdict.passed else "rejected, and no cause is given"


def _judge_file(judge: Judge, exercise: Exercise, path: Path, seed: int | None) -> Verdict:
    return _judge_text(judge, exercise.slug, path.read_text(encoding="utf-8"), str(path), seed)


def _judge_text(judge: Judge, slug: str, text: str, name: str, seed: int | None) -> Verdict:
    submission = Submission(slug, text, name, timing=False, seed=seed)
    for event in judge.submit(submission):
        if isinstance(event, Verdict):
            return event
    raise CannotHere(f"no verdict on {name}")
