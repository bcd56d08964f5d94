"""The finding that decides a verdict: an ordered table of checks, of which the first with a finding
counts."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import structs

from tutor.base.number_text import amounts
from tutor.course.model import Exercise
from tutor.judge.cases import graphs, schedules
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Reference
from tutor.judge.diagnosis import grid_bounds, rules, source_rules
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.diagnosis.evidence import CaseEvidence, CaseFacts, is_explained, observed
from tutor.judge.diagnosis.observed_rules import explain_error
from tutor.judge.model.verdict import CaseResult, Chart, Diagnosis, KernelTraffic
from tutor.judge.probes import cheat_detection, copied_views, near_miss_proof
from tutor.judge.processes.limits import tolerate_stop
from tutor.judge.processes.worker_messages.answers import Raised
from tutor.judge.processes.worker_messages.records import LearnerError, read_json_object
from tutor.judge.server import demand_checks, graph_checks, rank_checks

Findings = tuple[Diagnosis, ...]

# What tells the schedules that the learner's function made (tutor/judge/worker/tvm_schedule.py).
_SCHEDULES = "from tutor.judge.worker.tvm_schedule import probe\n"
_GRAPHS = "from tutor.judge.worker.onnx_graph import probe\n"  # the same of models
_LEVELS = (
    "from tutor.judge.worker.onnx_graph import probe_levels\n"
    "probe = lambda module, _: probe_levels(module, {!r})\n"
)
_DIFFERENCE = "from tutor.judge.worker.onnx_graph import difference"
_MOST_CODE = 120  # characters of a line of a probe


@dataclass
class JudgedCases:
    """The cases of one submission judged so far, with the facts about each."""

    exercise: Exercise
    reference: Reference
    source: str
    results: list[CaseResult] = field(default_factory=list)
    facts: list[CaseFacts] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)  # of the learner's module
    figures: dict[str, str] = field(default_factory=dict)  # of its objects, once they are right
    chart: Chart | None = None  # of what was measured of them, right or wrong
    near_miss: str = ""  # a phrase that explains every wrong case

    @property
    def right(self) -> bool:
        return all(case.passed for case in self.results)

    @property
    def evidence(self) -> CaseEvidence:
        return CaseEvidence(
            self.exercise.kind,
            self.exercise.entry_name,
            self.source,
            tuple(self.facts),
            self.near_miss,
            self.entry_given,
            self._given,
            self._masks,
        )

    @cached_property
    def _given(self) -> frozenset[int]:
        starter = self.exercise.starter.read_text(encoding="utf-8")
        return source_rules.find_given_lines(self.source, starter)

    @cached_property
    def _masks(self) -> bool:
        solution = self.exercise.solution.read_text(encoding="utf-8")
        return "mask=" in solution or "boundary_check=" in solution

    @cached_property
    def entry_given(self) -> bool:
        """Return True if the entry is a function of the starter, unchanged, that returns something."""
        starter = self.exercise.starter.read_text(encoding="utf-8")
        given = source_rules.read_function(starter, self.exercise.entry_name)
        return bool(given) and given == source_rules.read_function(
            self.source, self.exercise.entry_name
        )


def first_finding(judged: JudgedCases, cases: Cases) -> Findings:
    """Return the findings of the first check in `CHECKS` that has any.

    What a check finds was seen, but for `likely_causes` and what adds to it, where each finding says
    how it is known.
    """
    for check, when in CHECKS:
        findings = check(judged, cases) if when == ALWAYS or judged.right else ()
        if findings:
            known = check in (likely_causes, values_of_graph)
            return findings if known else tuple(map(observed, findings))
    return ()


def graph_of_function(judged: JudgedCases, cases: Cases) -> Findings:
    """The captured graph is not what the exercise asks for."""
    return _to_findings(graph_checks.check_graph(cases, judged.reference))


def output_kept(judged: JudgedCases, cases: Cases) -> Findings:
    """A wrong output is the right one of an earlier case."""
    return _to_findings(
        cheat_detection.find_repeated_output(cases) if not judged.exercise.is_plain else None
    )


def constants_of_module(judged: JudgedCases, cases: Cases) -> Findings:
    """The exercise rejects the module's constants."""
    if not judged.reference.check_module:
        return ()
    sentence = judged.reference.check_module(judged.constants)
    if not sentence:
        return ()
    return (Diagnosis("wrong-values", sentence, _line_of_constant(judged.source, sentence)),)


def _line_of_constant(source: str, sentence: str) -> int | None:
    """Return the line that sets the first constant named in the sentence; None if none is set."""
    rows = source.splitlines()
    for name in re.findall(r"[A-Z][A-Z0-9_]+", sentence):
        for number, row in enumerate(rows, 1):
            if re.match(rf"{name}\b[^=]*=(?!=)", row):
                return number
    return None


def objects_of_module(judged: JudgedCases, cases: Cases) -> Findings:
    """The exercise rejects what its probe.py finds in the learner's objects."""
    if not judged.reference.check_found:
        return ()
    path = judged.exercise.probe
    cases.worker.begin(cases.limits())
    reply = cases.probe(path.read_text(encoding="utf-8"), str(path))
    if isinstance(reply, Raised):
        return (_error_of_probe(judged.evidence, reply.error, path),)
    values = read_json_object(reply.found)
    fault = judged.reference.check_found(values)
    if judged.reference.chart and (drawn := judged.reference.chart(values)):
        title, label, spans = drawn
        judged.chart = Chart(title, label, tuple(spans))
    if fault is None and judged.reference.figures:
        judged.figures = judged.figures | judged.reference.figures(values)
    return (Diagnosis(*fault),) if fault else ()


def properties_of_schedule(judged: JudgedCases, cases: Cases) -> Findings:
    """A schedule lacks a property that the exercise asks for."""
    if judged.exercise.kind != "schedule":
        return ()
    found = _ask_subject(cases, _SCHEDULES)
    if isinstance(found, Diagnosis):
        return (found,)
    seen = schedules.read_schedules(found)
    broken = schedules.find_broken(judged.reference.properties, seen)
    return _tell_property("wrong-schedule", broken, len(seen), judged)


def places_of_graph(judged: JudgedCases, cases: Cases) -> Findings:
    """A model has other inputs or outputs than the exercise asks for."""
    return _check_graphs(judged, cases, graphs.find_other_places)


def properties_of_graph(judged: JudgedCases, cases: Cases) -> Findings:
    """A model lacks a property that the exercise asks for."""
    return _check_graphs(judged, cases, graphs.find_broken)


def _check_graphs(
    judged: JudgedCases, cases: Cases, find: Callable[..., tuple[int, str] | None]
) -> Findings:
    if judged.exercise.kind != "graph":
        return ()
    levels = graphs.list_levels(judged.reference.properties)
    found = _ask_subject(cases, _LEVELS.format(levels) if levels else _GRAPHS)
    if isinstance(found, Diagnosis):
        return (found,)
    seen = graphs.read_graphs(found)
    return _tell_property("wrong-model", find(judged.reference.properties, seen), len(seen), judged)


def values_of_graph(judged: JudgedCases, cases: Cases) -> Findings:
    """A model computes something else, from a value inside it on."""
    if judged.exercise.kind != "graph":
        return ()
    findings = likely_causes(judged)
    compared = (facts.raised is None and not facts.passed for facts in judged.facts)
    number = next((number for number, wrong in enumerate(compared) if wrong), None)
    if number is None or not findings or findings[0].code != "wrong-values":
        return ()
    found = _ask_subject(
        cases, f"{_DIFFERENCE}\nprobe = lambda module, _: difference(module, {number})\n"
    )
    if isinstance(found, Diagnosis) or not found:
        return ()
    first = findings[0]
    seen = f"In the case “{judged.facts[number].name}” {found['sentence']}."
    line = found["line"] if isinstance(found["line"], int) else first.line
    return (replace(first, message=f"{first.message} {seen}", line=line), *findings[1:])


def _ask_subject(cases: Cases, probe: str) -> dict[str, Any] | Diagnosis:
    """Return the facts of what the learner's function has made, or the error that the question met."""
    cases.worker.begin(cases.limits())
    reply = cases.probe(probe, "subject.py")
    return translate(reply.error) if isinstance(reply, Raised) else read_json_object(reply.found)


def _tell_property(
    code: str, broken: tuple[int, str] | None, count: int, judged: JudgedCases
) -> Findings:
    """Return the finding of a broken property; `count` models or schedules were told."""
    if broken is None:
        return ()
    number, sentence = broken
    # Without one for each case it is not known whose it is.
    told = 1 < count == len(judged.results)
    where = f" (case “{judged.reference.cases[number].name}”)" if told else ""
    return (Diagnosis(code, f"{sentence.removesuffix('.')}{where}."),)


def demands_on_ranks(judged: JudgedCases, cases: Cases) -> Findings:
    """Every output is right, but the ranks call or send more than the exercise allows."""
    return _to_findings(rank_checks.find_unmet_demand(judged.reference, judged.facts, cases))


def _error_of_probe(evidence: CaseEvidence, error: LearnerError, path: Path) -> Diagnosis:
    """Tell an error that the exercise's probe met: by the code of its line, as a learner does not have
    the file."""
    name, _, line = error.place.partition(", line ")
    if name != path.name or not line.isdecimal():
        return explain_error(evidence, error)
    rows = path.read_text(encoding="utf-8").splitlines()
    code = rows[int(line) - 1].strip()[:_MOST_CODE] if 0 < int(line) <= len(rows) else ""
    told = translate(structs.replace(error, place=""))
    said = f"{told.message} It happened where the judge runs `{code}`."
    if rest := told.message.partition("Your code raised ")[2]:
        said = f"The judge runs `{code}` with your code, which raised {rest}"
    return replace(told, message=said)


def traffic_of_kernels(judged: JudgedCases, cases: Cases) -> Findings:
    """The kernels move more bytes than the exercise allows."""
    allowed, traffic = judged.reference, most_telling(judged.facts)
    limited = allowed.most_traffic is not None or allowed.most_accesses is not None
    if not limited or traffic is None:
        return ()
    if made := next((f.name for f in judged.facts if not f.launched), None):
        return _to_findings(
            Diagnosis(
                "did-not-launch",
                f"What you return in the case “{made}” was made by PyTorch, from what your kernel "
                "stored. PyTorch's operators move bytes too: let the kernel store what you return.",
            )
        )
    if allowed.most_accesses is not None:
        return _to_findings(_too_many_accesses(traffic, allowed.most_accesses))
    moved = traffic.loaded_once + traffic.stored_once
    if moved <= (allowed.most_traffic or 0.0) * traffic.least:
        return ()
    seen, enough = amounts(moved, traffic.least)
    ask = "Is something loaded or stored that the result does not need?"
    launches = ""
    if traffic.launches > 1:
        ask = "What does one launch store only for the next one to load?"
        launches = f" in {traffic.launches} launches"
    return _to_findings(
        Diagnosis(
            "too-much-traffic",
            f"The numbers are right, but “{traffic.case}” moves {seen}{launches}, each "
            f"element counted once a launch; {enough} are enough. {ask}",
        )
    )


def fetches_of_waves(judged: JudgedCases, cases: Cases) -> Findings:
    """The programs that run together share less than the exercise asks for."""
    traffic, limit = most_telling(judged.facts), judged.reference.most_fetched
    if traffic is None or limit is None:
        return ()
    return _to_findings(_too_many_fetches(traffic, limit.programs, limit.most))


def fetches_of_further_waves(judged: JudgedCases, cases: Cases) -> Findings:
    """The same in the other cases for which the exercise limits it."""
    limit = judged.reference.most_fetched
    if limit is None:
        return ()
    counted = (case.traffic for case in judged.facts if case.name in limit.others)
    for traffic in filter(None, counted):
        if found := _too_many_fetches(traffic, limit.programs, limit.others[traffic.case]):
            return _to_findings(found)
    return ()


def _too_many_fetches(traffic: KernelTraffic, programs: int, most: float) -> Diagnosis | None:
    """Waves of `programs` fetch more than `most` times what the case has to move."""
    if traffic.fetched <= most * traffic.least:
        return None
    fetched, allowed = amounts(traffic.fetched, most * traffic.least)
    return Diagnosis(
        "too-much-traffic",
        f"The numbers are right, but “{traffic.case}” fetches {fetched} where "
        f"{programs} successive programs share what they load; at most {allowed} are "
        f"allowed. Which rows and columns of tiles do programs 0 to {programs - 1} need?",
    )


def programs_of_kernels(judged: JudgedCases, cases: Cases) -> Findings:
    """Fewer programs share the work than the exercise asks for. Those of different launches run one
    after another, so the launch with the most of them counts."""
    traffic, least = most_telling(judged.facts), judged.reference.least_programs
    if traffic is None:
        return ()
    loading = max(facts.seen.loading for facts in judged.facts if facts.traffic is traffic)
    few = min(traffic.programs, loading)
    if few >= least:
        return ()
    many = f"{few} program{'' if few == 1 else 's'}"
    if traffic.launches > 1:
        many = f"{many} at a time, in {traffic.launches} launches"
    elif few < traffic.programs:
        many = f"{many}; the others load nothing"
    return _to_findings(
        Diagnosis(
            "too-few-programs",
            f"The numbers are right, but “{traffic.case}” is computed by {many}. "
            f"Share the work among at least {least}. A GPU of a hundred multiprocessors is idle but "
            "for as many as there are programs.",
        )
    )


def demands_on_kernels(judged: JudgedCases, cases: Cases) -> Findings:
    """Every output is right, but a kernel does not work as the exercise asks."""
    return _to_findings(
        demand_checks.find_unmet_demand(judged.reference, judged.facts, judged.source)
    )


def _too_many_accesses(traffic: KernelTraffic, most: float) -> Diagnosis | None:
    """Programs load the same elements more often than the exercise allows."""
    moved = traffic.loaded + traffic.stored
    if moved <= most * traffic.least:
        return None
    seen, allowed = amounts(moved, most * traffic.least)
    ask = "Let a program use each number that it loads more often."
    if traffic.launches == 1 and traffic.loaded <= traffic.loaded_once:
        ask = "No element is loaded twice: the kernel moves more elements than the task needs."
    if traffic.stored > traffic.stored_once:
        ask = "Elements are stored more than once: which lanes have no element of their own?"
    return Diagnosis(
        "too-much-traffic",
        f"The numbers are right, but “{traffic.case}” moves {seen} in {traffic.programs} "
        f"program{'s' * (traffic.programs != 1)}, each load of each lane counted; at most {allowed} "
        f"are allowed. {ask}",
    )


def most_telling(facts: list[CaseFacts]) -> KernelTraffic | None:
    """Return the traffic of the case that has to move the most bytes."""
    counted = [case.traffic for case in facts if case.traffic]
    return max(counted, key=lambda traffic: traffic.least, default=None)


def likely_causes(judged: JudgedCases, cases: Cases | None = None) -> Findings:
    """The rules of `diagnosis` explain a wrong case, or a kernel that was not launched."""
    evidence = judged.evidence
    launched = judged.exercise.kind != "kernel" or any(f.launches for f in judged.facts)
    return rules.diagnose(evidence) if evidence.failed or not launched else ()


def work_of_pytorch(judged: JudgedCases, cases: Cases) -> Findings:
    """Every output is right, but PyTorch did a part of the work that is the kernel's."""
    if judged.exercise.kind != "kernel":
        return ()
    allowed = judged.reference.host_operations
    for facts in judged.facts:
        if others := [name for name in facts.host_operations if name not in allowed]:
            names = ", ".join(f"`{_full(name)}`" for name in others[:3])
            return _to_findings(
                Diagnosis(
                    "did-not-launch",
                    f"{names} did a part of the work, outside of the kernel (case “{facts.name}”). "
                    "The kernel must do that.",
                )
            )
    if idle := next((facts.name for facts in judged.facts if not facts.launches), None):
        return _to_findings(
            Diagnosis(
                "did-not-launch",
                f"The numbers are right, but in the case “{idle}” no kernel was launched: what came "
                "back was made by PyTorch.",
            )
        )
    return ()


def _full(operation: str) -> str:
    return f"torch.{operation.removesuffix('_')}"


def configurations_of_autotuner(judged: JudgedCases, cases: Cases) -> Findings:
    """A case is right, but another configuration of an autotuner would make it wrong, or the autotuner
    does not see which sizes differ. On a GPU a wrong configuration is in use for some sizes only."""
    for facts in judged.facts:
        if facts.passed and (name := facts.seen.configuration):
            ask = " Does the grid use this configuration's block size (`lambda meta: …`)?"
            return _to_findings(
                Diagnosis(
                    "wrong-values",
                    f"Right with one configuration of `@triton.autotune`, wrong with another ({name}; "
                    f"case “{facts.name}”). On a GPU the fastest is used."
                    f"{ask if source_rules.has_fixed_grid(judged.source) else ''}",
                )
            )
        if key := facts.seen.unknown_key:
            return _to_findings(
                Diagnosis(
                    "wrong-values",
                    f"`key` of `@triton.autotune` names `{key}`, which is no argument of the kernel. "
                    "Triton leaves it out, and the choice for the first size is used for all others.",
                )
            )
    return ()


def grid_of_large_sizes(judged: JudgedCases, cases: Cases) -> Findings:
    """Every output is right, but the grid is bounded by a number that a larger size would pass."""
    capped = (
        grid_bounds.find_capped_grid(judged.source) if judged.exercise.kind == "kernel" else None
    )
    if not capped:
        return ()
    line, most = capped
    return _to_findings(
        Diagnosis(
            "hard-coded-size",
            f"The grid has at most {most} programs (line {line}), and no kernel has a loop: a tensor "
            "that needs more is left unfinished. Take `triton.cdiv` of its size alone, or let each "
            "program walk on in a loop.",
            line=line,
        )
    )


def output_not_computed(judged: JudgedCases, cases: Cases) -> Findings:
    """Every output is right, but the kernel did not compute it, or not in this call."""
    return _to_findings(cheat_detection.check_kernel(cases, judged.facts))


Check = Callable[[JudgedCases, Cases], Findings]

ALWAYS, ONCE_RIGHT = "always", "once every case is right"
CHECKS: tuple[tuple[Check, str], ...] = (
    (graph_of_function, ONCE_RIGHT),
    (output_kept, ALWAYS),
    (places_of_graph, ALWAYS),
    (configurations_of_autotuner, ALWAYS),
    (constants_of_module, ONCE_RIGHT),
    (objects_of_module, ONCE_RIGHT),
    (properties_of_schedule, ONCE_RIGHT),
    (properties_of_graph, ONCE_RIGHT),
    (values_of_graph, ALWAYS),
    (likely_causes, ALWAYS),
    (work_of_pytorch, ONCE_RIGHT),
    (grid_of_large_sizes, ONCE_RIGHT),
    (output_not_computed, ONCE_RIGHT),
    (traffic_of_kernels, ONCE_RIGHT),
    (fetches_of_waves, ONCE_RIGHT),
    (programs_of_kernels, ONCE_RIGHT),
    (fetches_of_further_waves, ONCE_RIGHT),
    (demands_on_kernels, ONCE_RIGHT),
    (demands_on_ranks, ONCE_RIGHT),
)


def output_remembered(judged: JudgedCases, cases: Cases) -> Findings:
    """The same call made twice gives two outputs. This check makes extra calls, so it runs before
    any probe leaves its numbers in the state of the learner's code."""
    if judged.exercise.kind != "kernel" or rules.is_observed(judged.evidence):
        return ()
    with tolerate_stop():
        kept = cheat_detection.find_kept_state(cases, judged.facts)
        return (observed(kept),) if kept else ()
    return ()


def note_ranks(judged: JudgedCases) -> None:
    """Note what the ranks of the most telling case did and sent."""
    if judged.exercise.kind == "ranks":
        judged.chart = rank_checks.draw_chart(judged.facts)
        judged.figures = rank_checks.count_figures(judged.facts)


def find_near_miss(judged: JudgedCases, cases: Cases) -> None:
    """Note the near miss that explains every wrong case."""
    if not judged.right and judged.reference.near_misses:
        judged.near_miss = near_miss_proof.find_near_miss(cases, judged.facts)


def try_copied_views(judged: JudgedCases, cases: Cases) -> None:
    """Note whether a wrong case is right with contiguous copies, where only views come out wrong."""
    if not judged.right:
        copied_views.probe_copied_views(cases, judged.facts)


def tells_repair(judged: JudgedCases, lines: Sequence[int]) -> bool:
    """Return True if a repair of these lines is told.

    One line is, before all else: it is the place. Of several, each may only go along with the fault.
    They are not told where a sentence on a known mistake explains every wrong case.
    """
    return len(lines) == 1 or not is_explained(judged.evidence)


def _to_findings(finding: Diagnosis | None) -> Findings:
    return (finding,) if finding else ()
