"""What the ranks of a right answer did, held against what the exercise allows; and how it is shown."""

from collections.abc import Sequence

from tutor.base.number_text import amounts
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Reference
from tutor.judge.diagnosis import rank_stops
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.verdict import Chart, Diagnosis
from tutor.judge.processes.worker_messages.ranks_report import RanksReport

_TITLE = "who waited for whom"


def find_unmet_demand(
    reference: Reference, facts: Sequence[CaseFacts], cases: Cases
) -> Diagnosis | None:
    """Return the first demand that a case shows to be unmet: an operation or a receiver that is not
    allowed, more calls, bytes or rounds than `most_calls`, `most_sent` and `most_rounds` say,
    collectives of which `check_calls` says what is wrong."""
    for index, case in enumerate(facts):
        if case.ranks is None:
            continue
        args = cases.prepare_arguments(index)
        if found := (
            _forbidden(reference, case, case.ranks)
            or _receivers(reference, case, case.ranks)
            or _calls(reference, case, case.ranks, args)
            or _sent(reference, case, case.ranks, args)
            or _order(reference, case, case.ranks, args)
            or _rounds(reference, case, case.ranks, args)
        ):
            return found
    return None


def _forbidden(reference: Reference, case: CaseFacts, ranks: RanksReport) -> Diagnosis | None:
    if reference.allowed is None:
        return None
    found = rank_stops.find_forbidden(ranks, reference.allowed)
    if found is None:
        return None
    rank, name = found
    allowed = ", ".join(f"`{each}`" for each in sorted(reference.allowed)) or "none"
    return Diagnosis(
        "forbidden-collective",
        f"The numbers are right, but rank {rank} calls `{name}` (case “{case.name}”). The task allows "
        f"{allowed}.",
    )


def _receivers(reference: Reference, case: CaseFacts, ranks: RanksReport) -> Diagnosis | None:
    if reference.receivers is None:
        return None
    world = len(ranks.sends)
    for rank, sends in enumerate(ranks.sends):
        allowed = reference.receivers(rank, world)
        other = next((to for to, count in enumerate(sends) if count and to not in allowed), None)
        if other is not None:
            named = " or ".join(f"rank {each}" for each in sorted(allowed)) or "nobody"
            return Diagnosis(
                "forbidden-message",
                f"The numbers are right, but rank {rank} sends to rank {other} (case “{case.name}”). "
                f"The task lets it send to {named}.",
            )
    return None


def _calls(
    reference: Reference, case: CaseFacts, ranks: RanksReport, args: tuple[object, ...]
) -> Diagnosis | None:
    if reference.most_calls is None:
        return None
    calls, most = rank_stops.count_calls(ranks), reference.most_calls(*args)
    if calls <= most:
        return None
    return Diagnosis(
        "too-many-collectives",
        f"The numbers are right, but a rank makes {calls} calls to the others in the case "
        f"“{case.name}”; {most} {'is' if most == 1 else 'are'} allowed.",
    )


def _sent(
    reference: Reference, case: CaseFacts, ranks: RanksReport, args: tuple[object, ...]
) -> Diagnosis | None:
    if reference.most_sent is None:
        return None
    rank, sent = rank_stops.find_most_sent(ranks)
    most = reference.most_sent(*args)
    if sent <= most:
        return None
    seen, enough = amounts(sent, most)
    return Diagnosis(
        "too-much-sent",
        f"The numbers are right, but rank {rank} sends {seen} in the case “{case.name}”; {enough} are "
        "enough.",
    )


def _order(
    reference: Reference, case: CaseFacts, ranks: RanksReport, args: tuple[object, ...]
) -> Diagnosis | None:
    if reference.check_calls is None:
        return None
    calls = [
        [(each.operation, each.bytes, each.begun, each.steps) for each in row]
        for row in ranks.collectives
    ]
    found = reference.check_calls(calls, *args)
    if not found:
        return None
    sentence = f"{found[0].lower()}{found[1:]}".removesuffix(".")
    return Diagnosis(
        "wrong-collectives", f"The numbers are right, but {sentence} (case “{case.name}”)."
    )


def _rounds(
    reference: Reference, case: CaseFacts, ranks: RanksReport, args: tuple[object, ...]
) -> Diagnosis | None:
    if reference.most_rounds is None:
        return None
    most = reference.most_rounds(*args)
    if ranks.rounds <= most:
        return None
    return Diagnosis(
        "too-many-rounds",
        f"The numbers are right, but the messages take {ranks.rounds} rounds in the case “{case.name}”; "
        f"{most} {'is' if most == 1 else 'are'} enough, if each rank sends one message and receives one "
        "in a round.",
    )


def _most_telling(facts: Sequence[CaseFacts]) -> CaseFacts | None:
    """Return the case that was stopped, else that of the most ranks and bytes."""
    seen = [case for case in facts if case.ranks]
    stopped = next((case for case in seen if case.ranks and case.ranks.stop), None)
    return stopped or max(
        seen,
        key=lambda case: (len(case.ranks.sent), sum(case.ranks.sent)) if case.ranks else (0, 0),
        default=None,
    )


def draw_chart(facts: Sequence[CaseFacts]) -> Chart | None:
    """Return the time line of the ranks of one case; None where nobody waited."""
    case = _most_telling(facts)
    spans = rank_stops.draw_ranks(case.ranks) if case and case.ranks else ()
    return Chart(f"{_TITLE} (case “{case.name}”)", "ms", spans) if case and spans else None


def count_figures(facts: Sequence[CaseFacts]) -> dict[str, str]:
    """Return the bytes that each rank of one case sent, as text by name."""
    case = _most_telling(facts)
    if case is None or case.ranks is None or case.ranks.stop:
        return {}
    sent = ", ".join(f"{each:,}" for each in case.ranks.sent)
    return {f"bytes sent by rank 0, 1, … in the case “{case.name}”": sent}
