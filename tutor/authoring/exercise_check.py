"""Checks that the files of an exercise agree. Nothing of them runs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tutor.base.python_trees import parse_python
from tutor.course.model import Exercise
from tutor.course.reading.exercise import module_faults
from tutor.course.reading.faults import Fault, format_value, read_course_file
from tutor.course.reading.python_source import syntax_error
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge.reports.cause_texts import CODES

FEWEST_WRONG = 5  # wrong answers of an exercise
LEFT_OUT = "…"  # in the text of a promise: words of the task that it does not quote
NOT_JUDGED = "not judged"  # how a task marks what it demands and nobody checks
STARTER_COLUMNS = 55  # of a comment: half of a screen of 120 columns
_TWIST = re.compile(r"([1-9]\d*)(_[a-z0-9_]+)?")
_EMPHASIS = re.compile(r"\*[a-z][a-z ]*\*")


def exercise_faults(exercise: Exercise) -> Iterator[Fault]:
    """Find programs of an exercise that do not fit its task or each other.

    Raises `CourseFault` where a file cannot be read, which `folder_faults` reports.
    """
    entry = exercise.entry_name
    starter = parse_python(read_course_file(exercise.starter))
    solution = parse_python(read_course_file(exercise.solution))
    if ast.dump(starter) == ast.dump(solution):
        yield Fault(exercise.starter, 1, "python", "less than the solution", "the same program")
    signature = _parameters(parse_python(f"def {exercise.entry}: pass"), entry)
    for path, tree in ((exercise.starter, starter), (exercise.solution, solution)):
        if fault := _other_parameters(path, 1, tree, entry, signature):
            yield fault
    yield from _wrong_faults(exercise, solution)
    yield from _promise_faults(exercise)
    for path in exercise.right:
        yield from module_faults(path, (entry,))
    for path in exercise.twist_answers:
        yield from module_faults(path, (entry,))
        match = _TWIST.fullmatch(path.stem)
        if not match or int(match[1]) > len(exercise.twists):
            expected = "N.py or N_NAME.py with N the number of a twist of exercise.toml"
            yield Fault(path, 1, "file name", expected, format_value(path.name))
    answered = {path.stem.split("_")[0] for path in exercise.twist_answers}
    for promise in exercise.twist_promises:
        if str(promise.twist) not in answered:
            place = exercise.folder / "exercise.toml"
            expected = f"a right answer to it, twists/{promise.twist}.py"
            yield Fault(place, promise.line, f"promise of twist {promise.twist}", expected, "none")


def exercise_warnings(exercise: Exercise) -> Iterator[Fault]:
    """Find what reads badly or teaches less. Raises `CourseFault` as `exercise_faults` does."""
    for row, line in enumerate(read_course_file(exercise.starter).split("\n"), 1):
        if line.lstrip().startswith("#") and len(line) > STARTER_COLUMNS:
            expected = f"at most {STARTER_COLUMNS} columns, half of a wide screen"
            yield Fault(exercise.starter, row, "comment", expected, str(len(line)))
    if not re.search(r"^\s*# ", read_course_file(exercise.solution), re.MULTILINE):
        yield Fault(exercise.solution, 1, "comment", "why it is written so", "no comment")
    answers = read_wrong_answers(exercise.folder)
    if len(answers) < FEWEST_WRONG:
        place = exercise.folder / "wrong.toml"
        expected = f"{FEWEST_WRONG} or more wrong answers"
        yield Fault(place, 1, "wrong", expected, str(len(answers) or "none"))
    for answer in answers:
        if named := [each for each in (answer.expect, *answer.or_else) if each in answer.code]:
            expected = f"a program that does not name {named[0]}, as a learner's does not"
            yield Fault(answer.path, answer.line, "wrong", expected, answer.name)
    if not exercise.promises:
        place = exercise.folder / "exercise.toml"
        yield Fault(place, 1, "promise", "a [[promise]] for each demand of the task", "none")
    if exercise.kind == "cases":
        return
    for node in ast.walk(parse_python(read_course_file(exercise.reference))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for match in _EMPHASIS.findall(node.value):
                expected = "words without asterisks, which a verdict prints as they stand"
                yield Fault(
                    exercise.reference, node.lineno, "sentence", expected, format_value(match)
                )


def _wrong_faults(exercise: Exercise, solution: ast.Module) -> Iterator[Fault]:
    """Each wrong answer is a program of its own with the solution's signature; its code is known."""
    entry = exercise.entry_name
    signature = _parameters(solution, entry)
    programs = {ast.dump(solution): "the solution"}
    for answer in read_wrong_answers(exercise.folder):
        name = f"wrong {answer.name}"
        for code in (answer.expect, *answer.or_else):
            if code not in CODES:
                expected = "a code of docs/contract.md, such as missing-mask"
                yield Fault(answer.path, answer.line, "expect", expected, format_value(code))
        if error := syntax_error(answer.code):
            yield Fault(answer.path, answer.line, name, "Python", f"{error[1]} (line {error[0]})")
            continue
        tree = parse_python(answer.code)
        program = ast.dump(tree)  # without comments and layout
        if other := programs.get(program):
            expected = "another program than each other answer"
            yield Fault(answer.path, answer.line, name, expected, f"that of {other}")
        programs.setdefault(program, answer.name)
        same = _parameters(tree, entry) if answer.expect == "wrong-signature" else signature
        if fault := _other_parameters(answer.path, answer.line, tree, entry, same):
            yield fault


def _promise_faults(exercise: Exercise) -> Iterator[Fault]:
    """Find promises that the task does not make, and those that no wrong answer breaks."""
    path = exercise.folder / "exercise.toml"
    names = [answer.name for answer in read_wrong_answers(exercise.folder)]
    task = _plain(exercise.task)
    for promise in exercise.promises:
        place = f"promise {promise.id}: "
        at = 0
        for part in promise.text.split(LEFT_OUT):
            words = _plain(part)
            if (at := task.find(words, at)) < 0:
                expected = f"words of the task, in its order, {LEFT_OUT} for what is left out"
                yield Fault(path, promise.line, f"{place}text", expected, format_value(words))
                break
            at += len(words)
        if promise.judged and not promise.broken_by:
            expected = "the names of wrong answers that break it, or `judged = false`"
            yield Fault(path, promise.line, f"{place}broken_by", expected, "none")
        for name in promise.broken_by:
            if name not in names:
                expected = "a wrong answer of wrong.toml or wrong/"
                yield Fault(path, promise.line, f"{place}broken_by", expected, format_value(name))
    open_ones = [promise for promise in exercise.promises if not promise.judged]
    if open_ones and NOT_JUDGED not in task:
        expected = f"the words {NOT_JUDGED!r} at the sentence of each promise that is not"
        yield Fault(path, open_ones[0].line, f"promise {open_ones[0].id}: task", expected, "none")
    if exercise.promises and not open_ones and NOT_JUDGED in task:
        expected = f"a promise with `judged = false`, as it says {NOT_JUDGED!r}"
        yield Fault(path, exercise.promises[0].line, "promise", expected, "none")


def _plain(text: str) -> str:
    """Without bold type and line ends."""
    return " ".join(text.replace("**", "").split())


def _other_parameters(
    path: Path, line: int, tree: ast.Module, entry: str, expected: list[str] | None
) -> Fault | None:
    """Return a fault where the entry function is missing, or has other parameters than expected."""
    parameters = _parameters(tree, entry)
    if parameters is None:
        return Fault(path, line, entry, "a function", "none")
    if parameters != expected:
        wanted = f"({', '.join(expected or ())})"
        return Fault(path, line, entry, wanted, f"({', '.join(parameters)})")
    return None


def _parameters(tree: ast.Module, name: str) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return [argument.arg for argument in node.args.args]
    return None
