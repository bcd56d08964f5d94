"""The access map of a learner's kernel: the server's side. It runs cases in the interpreter, keeps
every load and store, and returns the map of the most informative case; with a second record of that
case, made in another way, if questions are to be asked about it."""

import os
from collections.abc import Callable
from dataclasses import replace

import torch

from tutor.base.errors import UsageError
from tutor.course.model import Exercise
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Args, Reference, describe_arguments, make_inputs
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.model.access_map import EXAMPLE, AccessMap, AccessTrace, trace_of
from tutor.judge.model.verdict import WrongExample
from tutor.judge.model.witness import ProgramRecord, Witness, witness_of
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import WorkerStopped
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import CaseAnswer, ModuleRejected
from tutor.judge.processes.worker_messages.records import LearnerError
from tutor.judge.shrinking.shown_values import restore_inputs
from tutor.judge.shrinking.smaller_blocks import shrink_blocks

_MANY = 64  # programs: nobody steps through more
_ENOUGH = 4096  # bytes: a smaller case hardly shows a pattern
_TRIES = 3  # cases that are seen in memory, until one of them is small enough
SEED = 1  # the accessed elements hardly ever depend on the values


def trace_access(
    exercise: Exercise,
    reference: Reference,
    source: str,
    filename: str,
    case: str,
    example: WrongExample | None,
    take: Callable[[str], WorkerHandle],
    caller: Channel,
) -> AccessMap:
    """Return the map of one case: `case` is its name, or `EXAMPLE` for the example of a verdict.

    "" stands for the example, or without one for the most informative case. Raises `UsageError` for an
    exercise without a kernel, an unknown case, a text that does not load and one that launches nothing.
    """
    if exercise.kind != "kernel":
        raise UsageError(f"{exercise.slug} has no kernel of yours, so there is no access map of it")
    names = [listed.name for listed in reference.cases]
    inputs = _restore(example) if example else None
    known = [EXAMPLE, *names] if inputs else names
    if case and case not in known:
        raise UsageError(f"{exercise.slug} has no case “{case}”; there are: {', '.join(known)}")
    shown = example if inputs and case in ("", EXAMPLE) else None
    worker = take("interpret")
    maps: list[AccessMap] = []
    why = "no kernel of yours was launched"
    try:
        cases = Cases(exercise, reference, worker, mode="interpret", seed=SEED, caller=caller)
        worker.begin(cases.limits())
        small = shrink_blocks(source)[0] if shown and shown.block else ""
        loaded = cases.load(small or source, filename)
        if isinstance(loaded, ModuleRejected):
            raise UsageError(f"there is no access map: {_sentence(loaded.error)}")
        if shown and inputs:
            index = names.index(shown.case) if shown.case in names else 0
            maps.append(replace(_trace_call(cases, index, inputs), case=EXAMPLE))
        else:
            for index in [names.index(case)] if case else range(len(names)):
                maps.append(
                    _trace_call(cases, index, make_inputs(reference.cases[index], SEED + index))
                )
    except WorkerStopped as stop:
        why = str(stop)
    finally:
        worker.kill()
    launched = [access for access in maps if access.launches]
    if not launched:
        why = next((access.stopped for access in maps if access.stopped), why)
        raise UsageError(f"there is no access map: {why}")
    return replace(max(launched, key=_rank), cases=tuple(known))


def record_program(
    exercise: Exercise,
    reference: Reference,
    source: str,
    filename: str,
    take: Callable[[str], WorkerHandle],
    caller: Channel,
) -> ProgramRecord:
    """Return the map of the most informative case whose accesses were also all seen in memory, and what
    was seen there. Raises `UsageError` as `trace_access` does, and where nothing was seen."""
    if exercise.kind != "kernel":
        raise UsageError(f"{exercise.slug} has no kernel of yours to ask about")
    worker = take("interpret")
    try:
        cases = Cases(exercise, reference, worker, mode="interpret", seed=SEED, caller=caller)
        worker.begin(cases.limits())
        loaded = cases.load(source, filename)
        if isinstance(loaded, ModuleRejected):
            raise UsageError(f"there is nothing to ask about: {_sentence(loaded.error)}")
        maps = []
        for index, case in enumerate(reference.cases):
            access = _trace_call(cases, index, make_inputs(case, SEED + index))
            if access.launches and not access.stopped:
                maps.append((_rank(access), -index, access))
        for _, index, access in sorted(maps, reverse=True, key=lambda ranked: ranked[:2])[:_TRIES]:
            args = make_inputs(reference.cases[-index], SEED - index)
            witness = _watch_call(cases, -index, args)
            if any(launch.complete for launch in witness.launches):
                return ProgramRecord(access, witness)
    except WorkerStopped as stop:
        raise UsageError(f"there is nothing to ask about: {stop}") from None
    finally:
        worker.kill()
    raise UsageError("there is nothing to ask about: no kernel of yours was launched")


def _restore(example: WrongExample) -> Args | None:
    try:
        return restore_inputs(example)
    except (ValueError, SyntaxError, RuntimeError):  # a damaged record has no map of its example
        return None


def _rank(access: AccessMap) -> tuple[bool, int, bool, bool, int]:
    """Return the cases, the most informative first: few programs along as many axes as possible, and
    a ragged edge; of two such cases the smaller one."""
    launch = max(access.launches, key=lambda launch: len(launch.programs))
    steps = [step for program in launch.programs for step in program.steps]
    return (
        1 < len(launch.programs) <= _MANY,
        sum(n > 1 for n in launch.grid),
        any(0 < step.on < step.lanes for step in steps),
        access.least >= _ENOUGH,
        -access.least,
    )


def _call(cases: Cases, index: int, args: Args, **options: bool) -> CaseAnswer:
    """Call the learner's function with these arguments; what it computes does not count."""
    buffer, _ = shared_tensors.fill_buffer([a for a in args if isinstance(a, torch.Tensor)])
    fd = shared_tensors.memory_file("inputs", buffer)
    fds: list[int] = []
    try:
        answer, fds = cases.ask(index, args, fd, **options)
    finally:
        for descriptor in (fd, *fds):
            os.close(descriptor)
    return answer


def _watch_call(cases: Cases, index: int, args: Args) -> Witness:
    answer = _call(cases, index, args, witness=True)
    seen = answer.witness and answer.raised is None
    return witness_of(answer.witness) if seen else Witness((), 0)


def _trace_call(cases: Cases, index: int, args: Args) -> AccessMap:
    case = cases.reference.cases[index]
    answer = _call(cases, index, args, trace=True)
    trace = trace_of(answer.trace) if answer.trace else AccessTrace((), 0)
    return AccessMap(
        case=case.name,
        inputs=describe_arguments(args),
        cases=tuple(listed.name for listed in cases.reference.cases),
        least=cases.reference.work(*args).bytes,
        launches=trace.launches,
        left_out=trace.left_out,
        stopped=_describe_stop(answer.raised) if answer.raised else "",
    )


def _describe_stop(error: LearnerError) -> str:
    if error.type == "OutOfBounds":  # raised by the judge's checks, before memory was touched
        return f"{error.place or f'line {error.line}'}: stopped before a {error.message}"
    return _sentence(error)


def _sentence(error: LearnerError) -> str:
    finding = translate(error)
    named = f"line {finding.line}" in finding.message
    line = f"line {finding.line}: " if finding.line and not error.place and not named else ""
    return f"{line}{finding.message}"
