"""The verdict on a file of cases: how many mistakes of another exercise they refuse, and how many are to
be."""

import time
from collections.abc import Iterator

from tutor.base.errors import UsageError
from tutor.course.model import Exercise
from tutor.judge.breaking.case_text import CaseText, parse_case_file
from tutor.judge.model.case_table import CaseTable
from tutor.judge.model.verdict import CaseResult, Diagnosis, Latency, Verdict
from tutor.judge.processes.limits import WorkerStopped
from tutor.judge.server.case_play import CasePlay

_DEVICE = "cpu-interpreter"
_MOST_TOLD = 4  # mistakes that still pass


def judge_cases(exercise: Exercise, of: Exercise, source: str, play: CasePlay) -> Verdict:
    """Return the verdict on the cases in `source`, for the answers of the exercise `of`."""
    began = time.perf_counter()
    aim = exercise.aim
    assert aim is not None
    try:
        cases = parse_case_file(source, of.entry)
        if not cases:
            raise UsageError("there is no case yet: write a call in `cases`, one a line")
        table = play.run(cases, asks="living", counts=False)
    except UsageError as error:
        found = Diagnosis("outside-the-task", _as_sentence(str(error)), proof="observed")
        return Verdict(exercise.slug, False, _DEVICE, diagnosis=(found,))
    except WorkerStopped as stop:
        return Verdict(
            exercise.slug,
            False,
            _DEVICE,
            diagnosis=(Diagnosis(stop.code, _as_sentence(str(stop))),),
        )
    took = (time.perf_counter() - began) * 1e3
    diagnosis = tuple(_find_faults(table, cases, aim.refuse, aim.cases))
    return Verdict(
        exercise.slug,
        not diagnosis,
        _DEVICE,
        tuple(_describe_cases(table)),
        diagnosis,
        latency_ms=Latency(took, None if diagnosis else took, took),
        figures={"mistakes refused": f"{len(table.killed)} of {len(table.killable)}"},
    )


def _describe_cases(table: CaseTable) -> Iterator[CaseResult]:
    for number, case in enumerate(table.cases, 1):
        count = sum(number in mistake.killed_by for mistake in table.mistakes)
        said = case.refused or f"refuses {count} mistake{'s' * (count != 1)}"
        yield CaseResult(case.text, case.inputs, not case.refused, note=said)


def _find_faults(
    table: CaseTable, cases: tuple[CaseText, ...], refuse: int, most: int
) -> Iterator[Diagnosis]:
    """Yield why the aim is not reached: cases that do not count first."""
    for case, played in zip(cases, table.cases, strict=True):
        if played.refused:
            quoted = f" The task says “{played.promise}”." if played.promise else ""
            said = f"{_as_sentence(played.refused)}{quoted}"
            yield Diagnosis("outside-the-task", said, case.line, proof="observed")
    if table.refused:
        return
    if len(table.cases) > most:
        said = f"These are {len(table.cases)} cases; the aim is to do it with {most}."
        yield Diagnosis("too-many-cases", said, cases[most].line, proof="observed")
        return
    if len(table.killed) >= refuse:
        return
    killed = f"Your cases refuse {len(table.killed)} of {len(table.killable)} mistakes"
    yield Diagnosis("mistakes-pass", f"{killed}; the aim is {refuse}.", proof="observed")
    for mistake in table.living[:_MOST_TOLD]:
        look = (
            f" Look at “{' '.join(mistake.look.replace('**', '').split())}”."
            if mistake.look
            else ""
        )
        yield Diagnosis("mistakes-pass", f"{mistake.says}{look}", proof="observed")


def _as_sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "”")) else ".")
