"""Prove that the judge's repairs can be believed: `tutor content check --deep`.

Three experiments whose truth nobody had to write down:

    renamed   A right answer, rewritten in the names of another one, is still right.
    repaired  A wrong answer is repaired on a line in which it differs from the solution, or is one of
              `other_repairs.toml`: another change makes it right too.
    slip      A slip made in a right answer is refused, and repaired on the line of the slip. One that
              is accepted is a hole of the cases, or changes nothing: then `slips.toml` lists it.
    listed    A slip of that list is accepted, and a wrong answer of the other is repaired elsewhere.
"""

import contextlib
import difflib
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from tutor.authoring.proof import CourseProof
from tutor.course.model import AcceptedSlip, Exercise, WrongAnswer
from tutor.course.reading.accepted_slips import read_accepted_slips
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.other_repairs import read_other_repairs
from tutor.course.reading.wrong_answers import is_outdated, read_until, read_wrong_answers
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Verdict
from tutor.judge.repair.differences import all_edits
from tutor.judge.repair.edits import Program
from tutor.judge.repair.likeness import Likeness
from tutor.judge.repair.right_answers import compare_answers, read_answers
from tutor.judge.repair.slips import find_slips
from tutor.judge.repair.trees import Unreadable, read_program

LEAST_REPAIRED = 0.7  # of the wrong answers for whose cause a change is sought at all
SLIPS_EACH = 1  # of a right answer
_LIKELY = 2.0  # cost of a slip that is made
_NEAR = 1  # lines between a change and the place that was changed

# What became of a program, the `fault` of its proof.
FOUND, ELSEWHERE, NOT_FOUND, NOT_SOUGHT = "", "elsewhere", "not found", "not sought"
OTHER_WAY = "another way"
ACCEPTED = "accepted"
REFUSED, UNKNOWN = "refused, and slips.toml lists it", "no slip gives this line of slips.toml"
MENDED, NO_ANSWER = (
    "other_repairs.toml lists it, and it is repaired where it differs",
    "no such answer",
)


def prove_deeply(
    judge: Judge, exercise: Exercise, seed: int | None = None
) -> Iterator[CourseProof]:
    """Yield a proof of each renamed answer, each wrong answer and each slip."""
    answers = [
        (name, text)
        for name, text in read_answers((exercise.solution, *exercise.right))
        if not is_outdated(read_until(text))
    ]
    for one, other in permutations(answers, 2):
        yield _prove_renamed(judge, exercise, one, other, seed)
    with contextlib.suppress(CourseFault):
        wrong = read_wrong_answers(exercise.folder)
        others = {other.answer for other in read_other_repairs(exercise.folder)}
        for answer in wrong:
            if not is_outdated(answer.until):
                proof = _prove_repaired(judge, exercise, answer, answers[0][1], seed)
                yield hold_to_list(proof, answer.name in others)
        for name in sorted(others - {answer.name for answer in wrong}):
            yield CourseProof("listed", f"{exercise.slug} {name}", NO_ANSWER)
    listed: tuple[AcceptedSlip, ...] = ()
    with contextlib.suppress(CourseFault):
        listed = read_accepted_slips(exercise.folder)
    for name, text in answers:
        own = {slip.line for slip in listed if slip.answer == name}
        yield from _prove_slips(judge, exercise, name, text, own, seed)
    names = {name for name, _ in answers}
    for slip in listed:
        if slip.answer not in names:
            yield CourseProof("listed", _name_slip(exercise, slip.answer, slip.line), UNKNOWN)


def _prove_renamed(
    judge: Judge,
    exercise: Exercise,
    mine: tuple[str, str],
    theirs: tuple[str, str],
    seed: int | None,
) -> CourseProof:
    name = f"{exercise.slug} {theirs[0]} in the names of {mine[0]}"
    try:
        program = Program(read_program(mine[1]))
    except Unreadable as error:
        return CourseProof("renamed", name, f"cannot be read: {error}")
    (answer,) = compare_answers(program.tree, [theirs], Likeness())
    verdict = _judge(judge, exercise, program.after(all_edits(answer.hunks)), seed, repair=False)
    if verdict.passed:
        return CourseProof("renamed", name)
    cause = verdict.diagnosis[0] if verdict.diagnosis else None
    return CourseProof(
        "renamed", name, f"rejected: {cause.message.splitlines()[0] if cause else 'no cause given'}"
    )


def _prove_repaired(
    judge: Judge, exercise: Exercise, answer: WrongAnswer, solution: str, seed: int | None
) -> CourseProof:
    verdict = _judge(judge, exercise, answer.code, seed, repair=True)
    outcome = _outcome(verdict, find_changed_lines(solution, answer.code))
    code = verdict.diagnosis[0].code if verdict.diagnosis else ""
    kind = f" ({code})" if outcome in (NOT_FOUND, NOT_SOUGHT) else ""
    return CourseProof("repaired", f"{exercise.slug} {answer.name}{kind}", outcome)


def hold_to_list(proof: CourseProof, listed: bool) -> CourseProof:
    """Return the proof of a wrong answer that `other_repairs.toml` lists as what it says of the list."""
    if listed and proof.fault == ELSEWHERE:
        return replace(proof, fault=OTHER_WAY)
    if listed and proof.fault == FOUND:
        return replace(proof, kind="listed", fault=MENDED)
    return proof


def _prove_slips(
    judge: Judge, exercise: Exercise, name: str, text: str, listed: set[str], seed: int | None
) -> Iterator[CourseProof]:
    """Make some slips, always the same ones, in a right answer, and those of its list."""
    try:
        program = Program(read_program(text))
    except Unreadable:
        return
    before = program.after(())
    slips = [slip for slip in find_slips(program) if slip.cost <= _LIKELY]
    chosen = random.Random(f"{exercise.slug} {name}").sample(slips, min(SLIPS_EACH, len(slips)))
    for slip in chosen:
        with contextlib.suppress(ValueError):  # a part of an f-string has no text of its own
            wrong = program.after(slip.edits)
            line, place = _find_changed(before, wrong)
            if line in listed:
                continue
            verdict = _judge(judge, exercise, wrong, seed, repair=True)
            outcome = ACCEPTED if verdict.passed else _outcome(verdict, place)
            yield CourseProof("slip", _name_slip(exercise, name, line), outcome)
    made = _make_slips(program, before) if listed else {}
    for line in sorted(listed):
        fault = UNKNOWN
        if line in made:
            verdict = _judge(judge, exercise, made[line], seed, repair=False)
            fault = "" if verdict.passed else REFUSED
        yield CourseProof("listed", _name_slip(exercise, name, line), fault)


def _make_slips(program: Program, before: str) -> dict[str, str]:
    """Return every slip that can be made in a program, by its changed line."""
    made: dict[str, str] = {}
    for slip in find_slips(program):
        with contextlib.suppress(ValueError):
            wrong = program.after(slip.edits)
            made.setdefault(_find_changed(before, wrong)[0], wrong)
    return made


def _find_changed(before: str, wrong: str) -> tuple[str, set[int]]:
    """Return the first line that a slip changes, as it is then, and all of them."""
    place = find_changed_lines(before, wrong)
    return wrong.split("\n")[min(place, default=1) - 1].strip(), place


def _name_slip(exercise: Exercise, answer: str, line: str) -> str:
    return f"{exercise.slug} {answer}: {line}"


def _outcome(verdict: Verdict, lines: set[int]) -> str:
    """Return how the search ended: on one of these lines, elsewhere, without a finding, or not begun."""
    if verdict.passed:
        return ACCEPTED
    if verdict.repair is None:
        return NOT_FOUND if verdict.sought_repair else NOT_SOUGHT
    near = {line + step for line in lines for step in range(-_NEAR, _NEAR + 1)}
    return FOUND if near & set(verdict.repair.lines) else ELSEWHERE


def find_changed_lines(before: str, after: str) -> set[int]:
    """Return the lines of `after` that differ from `before`, and those beside lines that are gone."""
    old, new = ([row.strip() for row in text.split("\n")] for text in (before, after))
    changed: set[int] = set()
    for tag, _, _, start, end in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            changed |= set(range(start + 1, max(end, start + 1) + 1))
    return changed


def _judge(
    judge: Judge, exercise: Exercise, text: str, seed: int | None, *, repair: bool
) -> Verdict:
    submission = Submission(
        exercise.slug, text, f"{exercise.slug}.py", timing=False, seed=seed, explain=repair
    )
    return next(event for event in judge.submit(submission) if isinstance(event, Verdict))
