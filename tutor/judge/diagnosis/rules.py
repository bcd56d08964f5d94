"""From what was seen to the likeliest cause. Pure: evidence in, sentences out.

Each rule looks for one mistake and answers with a `Diagnosis` or None. `SEEN` holds what proves itself
(a store that was stopped), `FITTING` what numbers look like (off by about half precision); both are
ordered. The first finding is the verdict's cause, the others stand below it.
"""

import re
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

from tutor.judge.comparison.patterns import Pattern
from tutor.judge.model.verdict import Diagnosis, Traffic

MAX_FINDINGS = 4
_SEVERAL = 3  # sizes that make a rule of what is seen in each
_MOST = 0.9  # of the elements: the others may be right by chance
_MANY = 16  # elements: fewer say little of where a pattern lies
_LARGE = 50.0  # exp overflows float32 above 88, and float16 above 11


@dataclass(frozen=True)
class CaseFacts:
    """One case as the server saw it. `seen` is the interpreter's report (`memory_checks.Report`)."""

    name: str
    passed: bool
    numel: int = 0  # of the output wanted
    constant: bool = False  # it is one number throughout
    contiguous: bool = True  # all tensor inputs
    largest: float = 0.0  # largest finite |input|
    sizes: Mapping[str, int] = field(default_factory=dict)  # of the arguments: "x.shape[1]": 1024
    options: tuple[str, ...] = ()  # the truths among the arguments: "causal=True"
    special: bool = False  # NaN or infinity among the inputs
    raised: dict[str, Any] | None = None
    returned: str = ""  # the type, where it is no plain tensor
    shape: tuple[tuple[int, ...], tuple[int, ...]] | None = None  # got, wanted; where they differ
    dtype: tuple[str, str] | None = None
    device: tuple[str, str] | None = None
    pattern: Pattern | None = None
    seen: dict[str, Any] = field(default_factory=dict)
    launches: int = 0
    guard_broken: str = ""  # the argument next to which something was written
    changed: str = ""  # the argument whose elements were changed
    alias: str = ""  # the argument that was returned
    neutral: float | None = None  # with this value in all masked lanes the case is right
    padding_counts: bool = False  # the output depends on what masked lanes hold
    order_counts: bool = False  # the output depends on the order in which programs run
    traffic: Traffic | None = None  # where the interpreter ran it to its end
    sources: str = ""  # what a probe says of where outputs come from (`indexmap`, `dependence`)

    @property
    def ordinary(self) -> bool:
        """Finite inputs of everyday size: nothing on the way can overflow."""
        return not self.special and self.largest < _LARGE


@dataclass(frozen=True)
class Evidence:
    kind: str  # "kernel" | "compiled" | "function"
    entry: str
    source: str
    cases: tuple[CaseFacts, ...]

    @property
    def failed(self) -> tuple[CaseFacts, ...]:
        return tuple(c for c in self.cases if not c.passed)

    @property
    def sources(self) -> str:
        """What a probe says of where the elements of a wrong output come from."""
        return next((c.sources for c in self.failed if c.sources), "")

    def code(self, line: int | None) -> str:
        lines = self.source.splitlines()
        return lines[line - 1].strip()[:200] if line and 0 < line <= len(lines) else ""


Rule = Callable[[Evidence], Diagnosis | None]


def diagnose(evidence: Evidence) -> tuple[Diagnosis, ...]:
    """Likely causes, likeliest first; never empty for evidence with a failed case."""
    # What numbers look like speaks of kernels: sizes, strides, precision. A function's are counts.
    fitting = () if evidence.kind == "function" else FITTING
    found = _findings(SEEN, evidence) or _findings(fitting, evidence)
    if not found and evidence.failed:
        found = [_wrong_values(evidence)]
    return tuple(found[:MAX_FINDINGS])


def proven(evidence: Evidence) -> bool:
    """Whether something was seen to happen that is wrong whatever the numbers look like."""
    return bool(_findings(SEEN, evidence))


def _findings(rules: tuple[Rule, ...], evidence: Evidence) -> list[Diagnosis]:
    found: list[Diagnosis] = []
    for rule in rules:
        finding = rule(evidence)
        if finding and all(finding.code != f.code for f in found):
            found.append(finding)
    return found


# --- what stopped the run ---------------------------------------------------------------------------


def same_place(e: Evidence) -> Diagnosis | None:
    """Every program of a launch stores to one and the same place, and the rest stays unwritten.

    (Where the rest is written too, or there is no rest, programs merely share an output: a race.)
    """
    for case in e.failed:
        for seen in case.seen.get("same_stores", []):
            if seen["programs"] > 1 and case.pattern and case.pattern.unwritten:
                return Diagnosis(
                    "wrong-program-id",
                    f"All {seen['programs']} programs store to the same place in `{seen['tensor']}`, "
                    f"{_span(seen['first'], seen['last'])} (line {seen['line']}), and nothing writes "
                    "the rest. The offsets must depend on `tl.program_id`, along the axis of the grid.",
                    line=seen["line"],
                )
    return None


def _span(first: int, last: int) -> str:
    return f"element {first}" if first == last else f"elements {first} to {last}"


def out_of_bounds(e: Evidence) -> Diagnosis | None:
    for case in e.failed:
        for seen in case.seen.get("out_of_bounds", []):
            program = tuple(seen["program"])
            where = f"program {program}{_lane(seen)}"
            if "tensor" not in seen:
                what = f"`{e.code(seen['line'])}` {seen['kind']}s through a pointer into no tensor"
            else:
                what = (
                    f"Line {seen['line']} {seen['kind']}s element {seen['first']} of "
                    f"`{seen['tensor']}`, which has {seen['elements']}"
                )
            if not seen["masked"] and seen["of"] > 1:
                return Diagnosis(
                    "missing-mask",
                    f"{what} ({where}). Nothing masks the lanes past the end: give the "
                    f"{seen['kind']} a `mask=` that says which lanes exist.",
                    line=seen["line"], program_id=program,
                )  # fmt: skip
            code = "out-of-bounds-load" if seen["kind"] == "load" else "out-of-bounds-store"
            hint = (
                "There is a mask, but it lets those lanes through: compare it with the offsets."
                if seen["masked"]
                else "The pointer itself is off: look at how the offset is computed."
            )
            return Diagnosis(
                code, f"{what} ({where}). {hint}", line=seen["line"], program_id=program
            )
    return None


def _lane(seen: dict[str, Any]) -> str:
    """Which lane of its tile was the first outside, and how many of those that are on were."""
    if seen["of"] < 2:
        return ""
    lane, tile = seen["lane"], seen["tile"]
    which = f"{lane[0]} of {tile[0]}" if len(tile) == 1 else f"{lane} of {tile}"
    alone = seen["lanes"] == 1
    return f", lane {which}" + ("" if alone else f", the first of {seen['lanes']} lanes outside")


def also_out_of_bounds(e: Evidence) -> Diagnosis | None:
    """Beside a missing mask, what it led to."""
    first = out_of_bounds(e)
    if first is None or first.code != "missing-mask":
        return None
    kind = next(s["kind"] for c in e.failed for s in c.seen.get("out_of_bounds", []))
    code = "out-of-bounds-load" if kind == "load" else "out-of-bounds-store"
    return Diagnosis(
        code,
        f"The {kind} was stopped before it touched other memory; on a GPU it would have gone "
        "through or killed the context.",
        line=first.line,
        program_id=first.program_id,
    )


def guard_band(e: Evidence) -> Diagnosis | None:
    for case in e.failed:
        if case.guard_broken:
            return Diagnosis(
                "out-of-bounds-store",
                f"Something was written just outside `{case.guard_broken}` in the case "
                f"“{case.name}”: a store went past the end of a tensor.",
            )
    return None


def raised(e: Evidence) -> Diagnosis | None:
    from tutor.judge.diagnosis.error_messages import translate

    for case in e.failed:
        if case.raised and not case.seen.get("out_of_bounds"):
            return translate(case.raised, case.name)
    return None


# --- what came back ---------------------------------------------------------------------------------


def wrong_type(e: Evidence) -> Diagnosis | None:
    for case in e.failed:
        if case.returned == "NoneType":
            return Diagnosis(
                "wrong-signature",
                f"`{e.entry}` returned None. Does it end with `return` and the output tensor?",
            )
        if case.returned:
            return Diagnosis(
                "wrong-signature", f"`{e.entry}` returned {case.returned}; it must be a tensor."
            )
    return None


def wrong_shape(e: Evidence) -> Diagnosis | None:
    for case in e.failed:
        if case.shape:
            got, want = case.shape
            return Diagnosis(
                "wrong-shape",
                f"The output has shape {list(got)}; {list(want)} is asked for "
                f"(case “{case.name}”).",
            )
    return None


def wrong_dtype(e: Evidence) -> Diagnosis | None:
    for case in e.failed:
        if case.dtype:
            got, want = case.dtype
            return Diagnosis("wrong-dtype", f"The output is {got}; it must be {want}.")
    return None


def wrong_device(e: Evidence) -> Diagnosis | None:
    for case in e.failed:
        if case.device:
            got, want = case.device
            return Diagnosis("wrong-device", f"The output lies on {got}; the inputs are on {want}.")
    return None


def did_not_launch(e: Evidence) -> Diagnosis | None:
    if e.kind == "kernel" and e.cases and all(c.launches == 0 and not c.raised for c in e.cases):
        return Diagnosis(
            "did-not-launch",
            "No kernel was launched: what came back was made by PyTorch alone. "
            "Launch yours over a grid, `kernel[grid](...)`, and return what it wrote.",
        )
    return None


def input_modified(e: Evidence) -> Diagnosis | None:
    for case in e.failed:
        if case.changed:
            back = " and returned" if case.alias == case.changed else ""
            return Diagnosis(
                "input-modified",
                f"`{case.changed}` was changed{back}: the caller's tensor no longer holds what it "
                "held. Write to a tensor of your own.",
            )
    return None


# --- what the wrong elements look like --------------------------------------------------------------


def _patterns(e: Evidence) -> list[tuple[CaseFacts, Pattern]]:
    return [(c, c.pattern) for c in e.failed if c.pattern]


def padding_enters(e: Evidence) -> Diagnosis | None:
    """Masked lanes take part: with a neutral value in them the case is right (that was tried)."""
    for case in e.failed:
        if case.neutral is None:
            continue
        undefined = case.seen.get("undefined", [])
        seen = (undefined or case.seen.get("padded", []) or [{"line": None, "lanes": 0}])[0]
        neutral = {float("inf"): "inf", float("-inf"): "-inf"}.get(
            case.neutral, f"{case.neutral:g}"
        )
        why = (
            "Without `other=` a masked lane holds anything"
            if undefined
            else "What `other=` puts into the masked lanes is not neutral here"
        )
        return Diagnosis(
            "missing-mask",
            f"Lanes outside the tensor take part in your result: the load in line {seen['line']} "
            f"masks {seen['lanes']} lanes off, and they are counted all the same. {why}; with "
            f"{neutral} in them the answer is right.",
            line=seen["line"],
        )
    return None


def race(e: Evidence) -> Diagnosis | None:
    for case in e.failed:
        for seen in case.seen.get("races", []):
            return Diagnosis(
                "race",
                f"{_met(seen)}. Programs run at the same time and in no order: the result depends on "
                "luck.",
                line=seen["line"], program_id=tuple(seen["program"]),
            )  # fmt: skip
    return None


def _met(seen: dict[str, Any]) -> str:
    """Two programs at one element."""
    return (
        f"Program {tuple(seen['program'])} {seen['verb']} `{seen['tensor']}[{seen['element']}]` "
        f"(line {seen['line']}), which program {tuple(seen['other'])} {seen['other_verb']} "
        f"(line {seen['other_line']})"
    )


def order_counts(e: Evidence) -> Diagnosis | None:
    """A plain access meets an atomic one, and another order of the programs gives another output."""
    for case in e.failed:
        for seen in case.seen.get("clashes", []) if case.order_counts else ():
            return Diagnosis(
                "race",
                f"{_met(seen)}. Programs run at the same time and in no order, and yours give another "
                f"result in another order (case “{case.name}”). Atomic operations keep only each other "
                "apart: what must come first belongs before the launch, what must come last after it.",
                line=seen["line"], program_id=tuple(seen["program"]),
            )  # fmt: skip
    return None


def atomic_and_plain(e: Evidence) -> Diagnosis | None:
    """The same where the order was not seen to count: a counter may keep the two apart."""
    for case in e.failed:
        for seen in case.seen.get("clashes", []) if case.pattern else ():
            return Diagnosis(
                "race",
                f"{_met(seen)}. Programs run at the same time and in no order: unless something makes "
                "one of the two wait for the other, the result depends on luck.",
                line=seen["line"], program_id=tuple(seen["program"]),
            )  # fmt: skip
    return None


def padding_transformed(e: Evidence) -> Diagnosis | None:
    """Wrong only where lanes are masked off, and what they hold shows, though no value is neutral."""
    wrong = [c for c in e.failed if c.pattern and c.ordinary]
    padded = [c for c in wrong if c.seen.get("padded") and c.pattern and not c.pattern.unwritten]
    # Sums and products of zeros come out right by many a wrong formula.
    right = [c for c in e.cases if c.passed and c.numel > 1 and c.largest > 0]
    full = [c for c in right if not c.seen.get("padded")]
    if not full or padded != wrong or not any(c.padding_counts for c in padded):
        return None
    if len(right) - len(full) > len(padded):  # most with such lanes come out right
        return None
    if all(c.pattern.half_like for c in padded if c.pattern):  # rounding, wherever it is noticed
        return None
    if e.sources:  # what is left out is known
        return None
    line = padded[0].seen["padded"][0]["line"]
    return Diagnosis(
        "missing-mask",
        f"Right where every lane has an element (“{full[0].name}”), wrong where some are masked off "
        f"(“{padded[0].name}”): the lanes that line {line} fills with `other=` reach the result. "
        "Either a later step turns their value into another (0 - mean is not 0), or a block's size "
        "stands where the number of elements belongs.",
        line=line,
    )


def overflow(e: Evidence) -> Diagnosis | None:
    """NaN or infinity where a number belongs, and only for large inputs."""
    ordinary = [c for c in e.cases if c.ordinary]
    if not ordinary or not all(c.passed for c in ordinary):
        return None
    for case, pattern in _patterns(e):
        if pattern.overflowed and not case.special and not case.ordinary:
            return Diagnosis(
                "unstable-numerics",
                f"Right for small numbers, NaN or infinite for large ones (case “{case.name}”, "
                f"|x| up to {case.largest:.3g}): something overflows on the way, or what is divided by "
                "is 0 by then. In float32 `exp` is infinite above 88, and 0 below -104.",
            )
    return None


def cancellation(e: Evidence) -> Diagnosis | None:
    """Finite, and wrong for large inputs only: digits were lost that small ones do not need."""
    ordinary = [c for c in e.cases if c.ordinary and c.numel]
    wrong = _patterns(e)
    if not ordinary or not wrong or not all(c.passed for c in ordinary):
        return None
    case, pattern = wrong[0]
    if any(c.special or p.overflowed or p.affine for c, p in wrong):
        return None
    return Diagnosis(
        "unstable-numerics",
        f"Right for small numbers, off for large ones (case “{case.name}”, |x| up to "
        f"{case.largest:.3g}), first at element {pattern.first}: digits are lost on the way. Two "
        "large numbers that nearly cancel leave their rounding errors behind, as in the mean of the "
        "squares minus the square of the mean.",
    )


def zero_signs(e: Evidence) -> Diagnosis | None:
    """Equal as numbers, not as bits, in a task that only moves them."""
    wrong = _patterns(e)
    if not wrong or any(p.zero_signs < p.wrong for _, p in wrong):
        return None
    case, pattern = wrong[0]
    return Diagnosis(
        "wrong-values",
        f"The sign of zero is lost in {pattern.wrong} of {pattern.total} elements "
        f"({_place(case, pattern)}). The task is exact, bit for bit, and all else is right: look for "
        "arithmetic on the way that seems to change nothing, as adding 0.0 to -0.0 does.",
    )


def nan_handling(e: Evidence) -> Diagnosis | None:
    wrong = _patterns(e)
    if wrong and all(c.special for c, _ in wrong) and any(c.passed for c in e.cases):
        case, _ = wrong[0]
        return Diagnosis(
            "nan-handling",
            f"Only cases with NaN or infinity among the inputs are wrong (“{case.name}”): what "
            "should the output hold there?",
        )
    return None


def strides(e: Evidence) -> Diagnosis | None:
    wrong = [c for c in e.failed if c.pattern or c.seen.get("out_of_bounds")]
    contiguous_right = any(c.passed and c.contiguous and c.numel > 1 for c in e.cases)
    if wrong and contiguous_right and all(not c.contiguous for c in wrong):
        return Diagnosis(
            "wrong-stride",
            f"Contiguous inputs come out right, views do not (case “{wrong[0].name}”): the offsets "
            "assume that neighbours lie next to each other. Use the tensor's strides, or "
            "`.contiguous()` before the launch.",
        )
    return None


def option(e: Evidence) -> Diagnosis | None:
    """Wrong wherever one truth among the arguments has one value, right wherever it has the other."""
    wrong = [c for c in e.failed if c.pattern]
    right = {o for c in e.cases if c.passed for o in c.options}
    always = set(wrong[0].options).intersection(*(c.options for c in wrong)) if wrong else set()
    for name in sorted(always - right):
        if right:
            return Diagnosis(
                "wrong-values",
                f"Right in every case without `{name}`, wrong in every case with it (first in "
                f"“{wrong[0].name}”, element {wrong[0].pattern.first if wrong[0].pattern else 0}): "
                f"look at what your code does for that value. {e.sources}".rstrip(),
            )
    return None


def hard_coded(e: Evidence) -> Diagnosis | None:
    """The written part ends at the same element whatever the size."""
    tails = [(c, p) for c, p in _patterns(e) if p.tail_from and p.unwritten == p.wrong]
    starts = {p.tail_from for _, p in tails}
    if len({c.numel for c, _ in tails}) > 1 and len(starts) == 1:
        start = starts.pop()
        holes = any(p.unwritten and not p.tail_from for _, p in _patterns(e))
        further = any(c.passed and c.numel > (start or 0) for c in e.cases)
        if holes or further:  # something is written beyond
            return None
        return Diagnosis(
            "hard-coded-size",
            f"The output is written up to element {start} and no further, whatever its size "
            f"({tails[-1][0].numel} in “{tails[-1][0].name}”): the grid or a bound is a fixed number.",
        )
    return None


def unwritten(e: Evidence) -> Diagnosis | None:
    # The case that shows best what is left out comes first.
    for case, pattern in sorted(_patterns(e), key=lambda each: not each[1].repeats):
        if case.special and any(not c.special for c in e.failed):
            continue  # the NaN may be the input's
        if pattern.unwritten and pattern.unwritten == pattern.wrong:
            part = (
                f"Elements {pattern.tail_from} to {pattern.total - 1} of the output were"
                if pattern.tail_from
                else "The output was"
                if pattern.unwritten == pattern.total
                else f"{pattern.unwritten} of {pattern.total} elements of the output"
                f"{f', {pattern.where},' if pattern.where else ''} were"
            )
            nothing = pattern.unwritten == pattern.total and _where_stores_went(e, case.traffic)
            look = nothing or (
                "Compare how far the offsets go from one program to the next with how many elements a "
                "program stores, and look for a mask that leaves some out."
                if pattern.repeats
                else "Does the grid cover the last, partial block (`triton.cdiv`), are its axes those "
                "that the kernel asks for by `tl.program_id`, and does the mask let every lane through "
                "that exists?"
            )
            return Diagnosis(
                "output-not-written",
                f"{part} never stored (case “{case.name}”): the NaN that the "
                f"judge put there is still in place. {look}",
            )
    return None


def _where_stores_went(e: Evidence, traffic: Traffic | None) -> str:
    """Of a case in which no element of the output was stored; "" where nothing was counted."""
    if traffic is None:
        return ""
    if not traffic.programs:
        return "The grid is empty: no program ran."
    if traffic.stored:
        return (
            "What your kernels stored went into another tensor than the one that you return: look at "
            "the pointer that `tl.store` is given."
        )
    if not re.search(r"\b(store|atomic_\w+)\b", e.source):
        return (
            "The kernel has no `tl.store`: what it computes is gone when it ends, and what it returns "
            "goes nowhere."
        )
    return (
        "Your kernels stored nothing at all: is `tl.store` reached, and its mask true for any lane?"
    )


def scaled(e: Evidence) -> Diagnosis | None:
    """One factor and one summand turn what is wanted into what was returned, in all wrong cases."""
    telling = [(c, p) for c, p in _patterns(e) if p.comparable]
    # Large numbers and NaN may suffer from more than that.
    telling = [(c, p) for c, p in telling if c.ordinary] or telling
    if not telling or any(p.affine is None for _, p in telling):
        return None
    case, pattern = max(telling, key=lambda each: each[1].total)
    line = pattern.affine or (1.0, 0.0)
    split = _split([c for c in e.cases if c.passed], [c for c, _ in telling])
    others = [(c, p.affine) for c, p in telling if p.affine and not _alike(p.affine, line)]
    varies = ""
    if others:
        other, other_line = others[0]
        varies = (
            f" In “{other.name}” it is {_relation(*other_line)}: look for a size, or another number of "
            "the case, that enters or is left out."
        )
    return Diagnosis(
        "wrong-values",
        f"What you return is {_relation(*line)}, in every element ({_place(case, pattern)}): a factor "
        f"or a summand is missing, or one too many.{varies} {split}".rstrip(),
    )


def _alike(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return all(abs(a - b) <= 0.01 * max(abs(a), abs(b)) for a, b in zip(one, other, strict=True))


def _relation(factor: float, summand: float) -> str:
    """`factor` times what is wanted, plus `summand`, in words; parts that change nothing left out."""
    if factor == 1:
        return f"{abs(summand):.6g} {'more' if summand > 0 else 'less'} than what belongs there"
    times = {"2": "twice", "0.5": "half", "-1": "minus"}.get(f"{factor:.6g}", f"{factor:.6g} times")
    said = f"{times} what belongs there"
    return said + (f" {'plus' if summand > 0 else 'minus'} {abs(summand):.6g}" if summand else "")


def constant(e: Evidence) -> Diagnosis | None:
    """The same number in every element, where others are wanted."""
    telling = [(c, p) for c, p in _patterns(e) if p.comparable]
    telling = [(c, p) for c, p in telling if c.ordinary] or telling
    if not telling or any(p.constant is None for _, p in telling):
        return None
    case, pattern = telling[0]
    value = f"{pattern.constant:.6g}"
    held = "nothing but zeros" if pattern.zeros else f"the same number everywhere, {value},"
    other = next((c for c, p in telling if p.constant != pattern.constant), None)
    every = f"; in “{other.name}” it is another one" if other else ", and in every other wrong case"
    return Diagnosis(
        "wrong-values",
        f"The output holds {held} in “{case.name}”{every if len(telling) > 1 else ''}: "
        "no element differs from the next. Look at what is stored: is it what was computed from the "
        "loads, and do their offsets differ from lane to lane and from program to "
        f"program? {e.sources}".rstrip(),
    )


def everywhere(wrong: Sized, cases: Sequence[CaseFacts]) -> bool:
    """Whether the wrong ones are no fewer than those that are right, and not for want of numbers."""
    right = [c for c in cases if c.passed and c.ordinary and c.largest > 0 and c.numel > 1]
    return len(wrong) >= len(right)


def low_precision(e: Evidence) -> Diagnosis | None:
    wrong = [(c, p) for c, p in _patterns(e) if c.ordinary]
    # What is rounded too soon is so in every case in which there is something to round.
    if (
        wrong
        and everywhere(wrong, e.cases)
        and all(p.half_like and not p.overflowed for _, p in wrong)
    ):
        case = wrong[0][0]
        # TF32 has the exponent of float32 and the fraction of float16.
        dot = (
            " `tl.dot` of float32 rounds its operands to TF32 on a GPU unless it is told "
            '`input_precision="ieee"`.'
            if "tl.dot(" in e.source
            else ""
        )
        return Diagnosis(
            "low-precision",
            f"Every element is close but none close enough (case “{case.name}”): the errors are "
            "the size of half-precision rounding. Look for a cast to float16 or bfloat16, for a sum "
            f"kept in one, or for a formula that only approximates the one asked for.{dot}",
        )
    return None


def permuted(e: Evidence) -> Diagnosis | None:
    for case, pattern in _patterns(e):
        if pattern.permuted and pattern.total > 2:
            guess = "Rows and columns, or their strides, are exchanged somewhere."
            return Diagnosis(
                "wrong-stride",
                f"The right numbers stand in the wrong places (case “{case.name}”). "
                f"{e.sources or guess}",
            )
    return None


def periodic(e: Evidence) -> Diagnosis | None:
    """Wrong stretches of one length at one distance: every other block, every 7th element."""
    for case, pattern in _patterns(e):
        if pattern.repeats and not case.special and pattern.unwritten < pattern.wrong:
            return Diagnosis(
                "wrong-values",
                f"{pattern.wrong} of {pattern.total} elements are wrong: {pattern.where} "
                f"({_place(case, pattern)}). What lies between them is right: look for "
                "what your code does by the number of the program or of the lane, as `%` does, and for "
                "a step from one block to the next that fits only some of them.",
            )
    return None


def same_elements(e: Evidence) -> Diagnosis | None:
    """One column, one row, one element is wrong, and it is the same one whatever the size."""
    wrong = [(c, p) for c, p in _patterns(e) if c.ordinary and p.total > 1]
    places = {p.where if p.wrong > 1 else f"element {p.first}" for _, p in wrong}
    sizes = {p.total for _, p in wrong}
    some = all(p.wrong < p.total and p.unwritten < p.wrong for _, p in wrong)
    if len(sizes) < _SEVERAL or len(places) != 1 or places == {""} or not some:
        return None
    case, pattern = wrong[0]
    return Diagnosis(
        "wrong-values",
        f"The same is wrong in {len(wrong)} cases of different sizes: {places.pop()} "
        f"({_place(case, pattern)}). The rest is right: look for what your code does for this index "
        f"alone, or for a mask or an offset that leaves it out. {e.sources}".rstrip(),
    )


def size_dependent(e: Evidence) -> Diagnosis | None:
    """Right for some sizes, wrong for larger ones, with ordinary inputs on both sides."""
    # A tensor operation knows no blocks. What is wrong in the same way at all sizes, no size made so.
    if e.kind != "kernel" or periodic(e) or same_elements(e):
        return None
    plain = [c for c in e.cases if c.contiguous and not c.special and not c.raised and c.numel]
    wrong = [c for c in plain if c.pattern and c.ordinary]
    right = [c for c in plain if c.passed and c.ordinary]
    # A wrong formula is right here and there as well: for one column, for nothing but zeros.
    enough = right and 2 * len(right) >= len(wrong) > 1
    if not enough or any(p.affine for _, p in _patterns(e)):
        return None
    split = _split(right, wrong)
    # Where most that is wrong is all but right, it hangs on the values, unless a size tells the two
    # apart without exception.
    near = 2 * sum(c.pattern.near for c in wrong if c.pattern) > len(wrong)
    if near and not split:
        return None
    some_of = [(c, p) for c, p in _patterns(e) if c in wrong and p.where and p.wrong < p.total]
    where = f" In “{some_of[0][0].name}” wrong: {some_of[0][1].where}." if some_of else ""
    some = (
        f"Some sizes come out right (“{right[-1].name}”), others do not (“{wrong[0].name}”).{where}"
    )
    return Diagnosis(
        "hard-coded-size",
        f"{split or some} A size stands as a number where the argument belongs, one block is taken "
        f"for the whole, or what leads from one block to the next is missing. {e.sources}".rstrip(),
    )


def _split(right: list[CaseFacts], wrong: list[CaseFacts]) -> str:
    """Which size of an argument tells right from wrong without exception, in a sentence, or nothing.

    `wrong` is not empty. Neither size 1 nor an output of one number is a witness: many a wrong formula
    is right there.
    """
    witnesses = [case for case in right if not case.constant]
    for name in witnesses[0].sizes if witnesses else ():
        most = max(case.sizes.get(name, 0) for case in witnesses)
        first = min(wrong, key=lambda case: case.sizes.get(name, 0))
        least = first.sizes.get(name, 0)
        if 1 < most < least:
            return (
                f"Right while `{name}` is at most {most}, wrong from {least} on (“{first.name}”)."
            )
    return ""


def _wrong_values(e: Evidence) -> Diagnosis:
    """Where no rule knows the cause: what is wrong, where, and what to look at."""
    wrong = _patterns(e)
    if not wrong:
        return Diagnosis("wrong-values", "The output is not what the task asks for.")
    ordinary = [(c, p) for c, p in wrong if c.ordinary] or wrong
    # A few elements, or all the same, show little more than that they are wrong.
    telling = [(c, p) for c, p in ordinary if p.comparable and p.total >= _MANY] or ordinary
    asked = next(((c, p) for c, p in wrong if c.sources), None)
    case, pattern = asked or next(((c, p) for c, p in telling if p.where), telling[0])
    if all(p.zeros for _, p in telling):
        said = f"The output holds nothing but zeros ({_place(case, pattern)}). {e.sources}".rstrip()
        return Diagnosis("wrong-values", said)
    if all(p.near for _, p in ordinary) and everywhere(ordinary, e.cases) and not e.sources:
        return Diagnosis(
            "wrong-values",
            f"Nearly right, but further off than rounding leaves it ({_place(case, pattern)}): a small "
            "term, an eps or a correction, is missing or stands in another place than the task has it.",
        )
    some = pattern.wrong < pattern.total
    share = f"{pattern.wrong} of {pattern.total}" if some else "All"
    which = f": {pattern.where}" if some and pattern.where else ""
    said = f"{share} elements are wrong{which} ({_place(case, pattern)})."
    return Diagnosis("wrong-values", f"{said} {e.sources or _look_at(pattern)}")


def _look_at(pattern: Pattern) -> str:
    if pattern.wrong >= _MOST * pattern.total:
        return "Work out by hand what your code computes there: the formula, and the elements it reads."
    if pattern.tail_from and 2 * pattern.wrong <= pattern.total:
        return "These are the last ones: look at the last block, at its mask and at what its lanes hold."
    if pattern.wrong == 1:
        return "It is the only one: what has it, or its inputs, that no other has?"
    if pattern.where:
        return "Which programs, and which lanes of theirs, compute these and not the others?"
    return (
        "Where they stand follows no rule: compare the inputs of a wrong element with those of a right "
        "one, their signs and their sizes."
    )


def _place(case: CaseFacts, pattern: Pattern) -> str:
    """`case “one row”, first at element [0, 3]: got 4, want 2`."""
    at = list(pattern.index) if len(pattern.index) > 1 else pattern.first
    values = ""
    if pattern.index:
        values = f": got {_number(pattern.got)}, want {_number(pattern.want)}"
    return f"case “{case.name}”, first at element {at}{values}"


def _number(value: float | int | bool | str) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


# What was seen to happen, and what the numbers merely look like. The second is noise beside the first.
SEEN: tuple[Rule, ...] = (
    raised, wrong_type, did_not_launch, wrong_device, wrong_dtype, wrong_shape,
    strides, out_of_bounds, also_out_of_bounds, guard_band, same_place, input_modified,
    padding_enters, race, order_counts,
)  # fmt: skip
FITTING: tuple[Rule, ...] = (
    zero_signs, nan_handling, overflow, cancellation, option, hard_coded, unwritten,
    padding_transformed, scaled, constant, low_precision, permuted, periodic, same_elements,
    size_dependent, atomic_and_plain,
)  # fmt: skip
