"""Facts about the cases of a submission, as the rules of diagnosis read them. Contains no rule."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace

from tutor.base.number_text import tell_apart
from tutor.judge.comparison.patterns import Pattern
from tutor.judge.model.verdict import Diagnosis, KernelTraffic
from tutor.judge.processes.worker_messages.answers import HandledError
from tutor.judge.processes.worker_messages.kernel_report import AccessConflict, KernelReport
from tutor.judge.processes.worker_messages.ranks_report import RanksReport
from tutor.judge.processes.worker_messages.records import LearnerError
from tutor.judge.processes.worker_messages.rewrite_report import RewriteFault

_NAMES = re.compile(r"\"[^\"]*\"|`[^`]*`|\([^()]*\)|-?\d[\d,.]*")  # of a case, in a sentence on it
_LARGE_INPUT = 50.0  # exp overflows float32 above 88, and float16 above 11


@dataclass(frozen=True)
class CaseFacts:
    """The result of one case. `seen` is the interpreter's report."""

    name: str
    passed: bool
    numel: int = 0  # elements of the expected output
    constant: bool = False  # all elements of the expected output are equal
    contiguous: bool = True  # for all tensor inputs
    output_contiguous: bool = True
    largest: float = 0.0  # the largest finite |input|
    sizes: Mapping[str, int] = field(
        default_factory=dict
    )  # of the arguments, as "x.shape[1]": 1024
    # Arguments that are no tensors, as {"causal": "True"}.
    options: Mapping[str, str] = field(default_factory=dict)
    special: bool = False  # True if an input holds NaN or infinity
    raised: LearnerError | None = None
    returned: str = ""  # the type of the return value if it is not a plain tensor
    shape: tuple[tuple[int, ...], tuple[int, ...]] | None = None  # (got, want) if they differ
    dtype: tuple[str, str] | None = None
    device: tuple[str, str] | None = None
    pattern: Pattern | None = None
    mistake: str = ""  # the exercise's sentence on a wrong output that it knows
    misses: tuple[str, ...] | None = None  # near misses that it agrees with; None: not compared
    seen: KernelReport = field(default_factory=KernelReport)
    handled: tuple[HandledError, ...] = ()  # if asked for
    swallowed: HandledError | None = None  # a bug that a `try` of the starter took for an answer
    launches: int = 0
    host_operations: tuple[str, ...] = ()  # of PyTorch, outside of kernels, in the interpreter
    host_copies: tuple[str, ...] = ()  # the same of operations that only copy
    scattered: bool = False  # the right numbers in a tensor that is not contiguous, as it must be
    only_compiled: bool = False  # right under `torch.compile`, wrong without
    guard_broken: str = ""  # name of the argument next to which memory was written
    changed: str = ""  # name of the argument whose elements changed
    alias: str = ""  # name of the argument that was returned
    launched: bool = True  # a launch received the memory of the output, as far as was watched
    copied_right: bool = False  # right with contiguous copies of its inputs
    neutral: float | None = None  # with this value in all masked lanes the case passes
    order_counts: bool = False  # the output depends on the order in which programs run
    ranks: RanksReport | None = None  # of a function that is called once a rank
    rewrite: RewriteFault | None = None  # what is wrong with the program that a pass has made
    about: str = ""  # the author's sentence on that program
    traffic: KernelTraffic | None = None  # if the interpreter ran the case to its end

    @property
    def ordinary(self) -> bool:
        """Return True if the inputs are finite and so small that no intermediate value overflows."""
        return not self.special and self.largest < _LARGE_INPUT

    @property
    def extent(self) -> int:
        """Return the elements of all tensor arguments, roughly: the sum of their sizes."""
        return sum(self.sizes.values())


@dataclass(frozen=True)
class CaseEvidence:
    """A submission's source and the facts of its cases: all that a rule may look at.

    `near_miss` is the phrase of a known mistake that explains every wrong case (`judge/probes`),
    `entry_given` tells that the entry is the starter's, unchanged, `masks` that the solution masks its
    accesses.
    """

    kind: str  # one of EXERCISE_KINDS
    entry: str
    source: str
    cases: tuple[CaseFacts, ...]
    near_miss: str = ""
    entry_given: bool = False
    given: frozenset[int] = frozenset()  # lines of the starter's functions that stand unchanged
    masks: bool = True

    @property
    def failed(self) -> tuple[CaseFacts, ...]:
        return tuple(c for c in self.cases if not c.passed)

    def code_at(self, line: int | None) -> str:
        lines = self.source.splitlines()
        return lines[line - 1].strip()[:200] if line and 0 < line <= len(lines) else ""


Rule = Callable[[CaseEvidence], Diagnosis | None]
WrongCase = tuple[CaseFacts, Pattern]


def observed(finding: Diagnosis) -> Diagnosis:
    """Return a finding as one that was seen to happen, unless it is proven."""
    return replace(finding, proof=finding.proof or "observed")


def near_miss(e: CaseEvidence) -> Diagnosis | None:
    """Say which known mistake gives the same output."""
    shown = [(c, p) for c, p in wrong_patterns(e) if e.near_miss in (c.misses or ())]
    if not e.near_miss or not shown:
        return None
    place = place_text(*smallest(shown))
    message = f"The output is what comes out if {e.near_miss} ({place})."
    return Diagnosis("wrong-values", message, proof="proven")


def is_explained(e: CaseEvidence) -> bool:
    """Return True if a sentence on a known mistake explains every wrong case: a near miss that is
    proven, or one of the exercise's that fits each."""
    if near_miss(e):
        return True
    kinds = {_NAMES.sub("", case.mistake) for case in e.failed}
    return len(kinds) == 1 and "" not in kinds


def known_mistake(wrong: Sequence[WrongCase]) -> tuple[str, WrongCase] | None:
    """Return the sentence that the exercise's `explain_wrong` has, and a case of which it says it.

    Sentences that differ in names and numbers are one. One has to fit half of the cases, or a quarter
    where it is the only one: a few cases agree by chance. Where each case has a sentence, which tells
    what is wrong there, it is that of the smallest case.
    """
    named = Counter(_NAMES.sub("", case.mistake) for case, _ in wrong if case.mistake)
    if not named:
        return None
    kind, count = named.most_common(1)[0]
    enough = 2 * count >= len(wrong) or (len(named) == 1 and 4 * count >= len(wrong))
    if not enough and named.total() < len(wrong):
        return None
    fitting = [(c, p) for c, p in wrong if not enough or _NAMES.sub("", c.mistake) == kind]
    shown = smallest([(c, p) for c, p in fitting if c.mistake])
    return shown[0].mistake, shown


def smallest(wrong: Sequence[WrongCase]) -> WrongCase:
    """Return the case that is easiest to follow by hand: ordinary numbers, then few elements."""
    return min(wrong, key=lambda pair: (not pair[0].ordinary, pair[1].total, pair[0].extent))


def wrong_patterns(e: CaseEvidence) -> list[WrongCase]:
    """Return the failed cases whose output was compared, each with the pattern of its wrong
    elements."""
    return [(c, c.pattern) for c in e.failed if c.pattern]


def at_least_half_wrong(wrong: Sized, cases: Sequence[CaseFacts]) -> bool:
    """Return True if `wrong` has at least as many cases as passed with ordinary, non-trivial inputs."""
    right = [c for c in cases if c.passed and c.ordinary and c.largest > 0 and c.numel > 1]
    return len(wrong) >= len(right)


def meeting_text(seen: AccessConflict) -> str:
    """Name the two programs that access one element."""
    program, other = program_texts(seen.program, seen.other)
    return (
        f"Program {program} {seen.verb} `{seen.tensor}[{seen.element}]` "
        f"({line_text(seen.line, seen.place)}), which program {other} {seen.other_verb} "
        f"({line_text(seen.other_line, seen.other_place)})"
    )


def both_store_text(seen: AccessConflict) -> str:
    """Name the two programs that store one element in one line; "" for another meeting."""
    program, other = program_texts(seen.program, seen.other)
    if seen.verb != "stores" or (seen.verb, seen.line, seen.place) != (
        seen.other_verb,
        seen.other_line,
        seen.other_place,
    ):
        return ""
    return f"Programs {program} and {other} both store `{seen.tensor}[{seen.element}]`"


def line_text(line: int | None, place: str) -> str:
    """Name a line of the learner's file, or the one of a kernel in another file."""
    return place or f"line {line}"


def program_texts(*programs: Sequence[int]) -> list[str]:
    """Return `1` for the program (1, 0, 0): last axes that are 0 in all the programs are left out."""
    axes = max((axis for program in programs for axis, at in enumerate(program) if at), default=0)
    return [str(tuple(program[: axes + 1]) if axes else program[0]) for program in programs]


def elements_text(first: int, last: int) -> str:
    """Name a range of elements in words; both ends are included."""
    return f"element {first}" if first == last else f"elements {first} to {last}"


def place_text(case: CaseFacts, pattern: Pattern) -> str:
    """Return a text such as `case “one row”, first at element [0, 3]: got 4, want 2`."""
    at = list(pattern.index) if len(pattern.index) > 1 else pattern.first
    values = ""
    if pattern.index:
        got, want = tell_apart(pattern.got, pattern.want)
        values = f": got {got}, want {want}"
    return f"case “{case.name}”, first at element {at}{values}"
