"""The access map of a learner's kernel: the server's side. It runs cases in the interpreter, keeps
every load and store, and returns the map of the most informative case."""

import os
from collections.abc import Callable

import torch

from tutor.base.errors import UsageError
from tutor.course.model import Exercise
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Reference, describe_arguments, make_inputs
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.model.access_map import AccessMap, AccessTrace, trace_of
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import WorkerStopped
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import ModuleRejected
from tutor.judge.processes.worker_messages.records import LearnerError

_MANY = 64  # programs: nobody steps through more
_ENOUGH = 4096  # bytes: a smaller case hardly shows a pattern
SEED = 1  # the accessed elements hardly ever depend on the values


def trace_access(
    exercise: Exercise,
    reference: Reference,
    source: str,
    filename: str,
    case: str,
    take: Callable[[str], WorkerHandle],
    caller: Channel,
) -> AccessMap:
    """Return the map of one case. `case`: a case's name, or "" for the most informative one.

    Raises `UsageError` for an exercise without a kernel, an unknown case, a text that does not load
    and one that launches nothing.
    """
    if exercise.kind != "kernel":
        raise UsageError(f"{exercise.slug} has no kernel of yours, so there is no access map of it")
    names = [listed.name for listed in reference.cases]
    if case and case not in names:
        raise UsageError(f"{exercise.slug} has no case “{case}”; there are: {', '.join(names)}")
    worker = take("interpret")
    maps: list[AccessMap] = []
    why = "no kernel of yours was launched"
    try:
        cases = Cases(exercise, reference, worker, mode="interpret", seed=SEED, caller=caller)
        worker.begin(cases.limits())
        loaded = cases.load(source, filename)
        if isinstance(loaded, ModuleRejected):
            raise UsageError(f"there is no access map: {_sentence(loaded.error)}")
        for index in [names.index(case)] if case else range(len(names)):
            maps.append(_trace_case(cases, index))
    except WorkerStopped as stop:
        why = str(stop)
    finally:
        worker.kill()
    launched = [access for access in maps if access.launches]
    if not launched:
        why = next((access.stopped for access in maps if access.stopped), why)
        raise UsageError(f"there is no access map: {why}")
    return max(launched, key=_rank)


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


def _trace_case(cases: Cases, index: int) -> AccessMap:
    case = cases.reference.cases[index]
    args = make_inputs(case, SEED + index)
    buffer, _ = shared_tensors.fill_buffer([a for a in args if isinstance(a, torch.Tensor)])
    fd = shared_tensors.memory_file("inputs", buffer)
    fds: list[int] = []
    try:
        answer, fds = cases.ask(index, args, fd, trace=True)
    finally:
        for descriptor in (fd, *fds):
            os.close(descriptor)
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
        return f"line {error.line}: stopped before a {error.message}"
    return _sentence(error)


def _sentence(error: LearnerError) -> str:
    finding = translate(error)
    line = f"line {finding.line}: " if finding.line else ""
    return f"{line}{finding.message}"
