"""Rules for what the wrong numbers look like, such as errors the size of half precision. Each returns
a `Diagnosis` that says what was seen, or None; `FITTED` has them in order."""

from tutor.base.number_text import tell_apart
from tutor.judge.comparison.patterns import MIN_CORRELATED
from tutor.judge.diagnosis.case_groups import describe_groups
from tutor.judge.diagnosis.evidence import (
    CaseEvidence,
    Rule,
    at_least_half_wrong,
    meeting_text,
    place_text,
    wrong_patterns,
)
from tutor.judge.diagnosis.source_rules import find_half_casts
from tutor.judge.diagnosis.unwritten_output import computed_nan, fixed_size, missing_stores
from tutor.judge.model.verdict import Diagnosis


def zero_signs(e: CaseEvidence) -> Diagnosis | None:
    """Find zeros with the wrong sign in a task that only moves numbers."""
    wrong = wrong_patterns(e)
    if not wrong or any(p.zero_signs < p.wrong for _, p in wrong):
        return None
    case, pattern = wrong[0]
    return Diagnosis(
        "wrong-values",
        f"The sign of zero is lost in {pattern.wrong} of {pattern.total} elements "
        f"({place_text(case, pattern)}). All else is right: look for arithmetic that seems to change "
        "nothing, as adding 0.0 to -0.0 does.",
    )


def nan_handling(e: CaseEvidence) -> Diagnosis | None:
    """Only cases with NaN or infinity among the inputs are wrong."""
    wrong = wrong_patterns(e)
    if wrong and all(c.special for c, _ in wrong) and any(c.passed for c in e.cases):
        case, _ = wrong[0]
        return Diagnosis(
            "nan-handling",
            f"Only cases with NaN or infinity among the inputs are wrong (“{case.name}”): what "
            "should the output hold there?",
        )
    return None


def overflow(e: CaseEvidence) -> Diagnosis | None:
    """Find NaN or infinity that occurs only for large inputs."""
    ordinary = [c for c in e.cases if c.ordinary]
    if not ordinary or not all(c.passed for c in ordinary):
        return None
    for case, pattern in wrong_patterns(e):
        if pattern.overflowed and not case.special and not case.ordinary:
            return Diagnosis(
                "unstable-numerics",
                f"Right for small numbers, NaN or infinite for large ones (case “{case.name}”, "
                f"|x| up to {case.largest:.3g}): something overflows on the way, or what is divided by "
                "is 0 by then. In float32 `exp` is infinite above 88, and 0 below -104.",
            )
    return None


def cancellation(e: CaseEvidence) -> Diagnosis | None:
    """Find finite outputs that are wrong only for large inputs: digits were lost."""
    ordinary = [c for c in e.cases if c.ordinary and c.numel]
    wrong = wrong_patterns(e)
    if not ordinary or not wrong or not all(c.passed for c in ordinary):
        return None
    case, pattern = wrong[0]
    if any(c.special or p.overflowed or p.affine for c, p in wrong):
        return None
    return Diagnosis(
        "unstable-numerics",
        f"Right for small numbers, off for large ones (case “{case.name}”, |x| up to "
        f"{case.largest:.3g}), first at element {pattern.first}. Which step loses digits there, as "
        "where large numbers nearly cancel?",
    )


def _trials_text(source: str, factor: float, summand: float) -> str:
    """Name the trials of an autotuner as the cause of a factor; "" if they cannot be."""
    adds = "atomic_add" in source and "autotune" in source
    if not adds or summand or round(factor) < 2 or abs(factor - round(factor)) > 1e-3 * factor:
        return ""
    return (
        f"Every element is {round(factor)} times what belongs there: the autotuner tried its "
        "configurations on your tensors, and what a trial added is still there. Let `reset_to_zero` "
        "set it to 0 before each of them"
    )


def linear_relation(e: CaseEvidence) -> Diagnosis | None:
    """Find a factor and a summand that turn the expected output into the returned one."""
    telling = [(c, p) for c, p in wrong_patterns(e) if p.comparable]
    # Large numbers and NaN may be wrong for other reasons as well.
    telling = [(c, p) for c, p in telling if c.ordinary] or telling
    if not telling or any(p.affine is None for _, p in telling):
        return None
    case, pattern = max(telling, key=lambda pair: pair[1].total)
    line = pattern.affine or (1.0, 0.0)
    if trials := _trials_text(e.source, *line):
        return Diagnosis("wrong-values", f"{trials} ({place_text(case, pattern)}).")
    others = [(c, p.affine) for c, p in telling if p.affine and not _close_lines(p.affine, line)]
    varies = ""
    if others:
        other, other_line = others[0]
        varies = (
            f" In “{other.name}” it is {_relation_text(*other_line)}: a size, or another number of the "
            "case, enters."
        )
    return Diagnosis(
        "wrong-values",
        f"What you return is {_relation_text(*line)}, in every element "
        f"({place_text(case, pattern)}).{varies} {describe_groups(e)}".rstrip(),
    )


def _close_lines(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return all(abs(a - b) <= 0.01 * max(abs(a), abs(b)) for a, b in zip(one, other, strict=True))


def _relation_text(factor: float, summand: float) -> str:
    """Describe `factor` times the expected value plus `summand`, without parts that change nothing."""
    (added,) = tell_apart(abs(summand), digits=6)
    if factor == 1:
        return f"{added} {'more' if summand > 0 else 'less'} than what belongs there"
    number, _ = tell_apart(factor, 1.0, digits=6)
    times = {"2": "twice", "0.5": "half", "-1": "minus"}.get(number, f"{number} times")
    product = f"{times} what belongs there"
    return product + (f" {'plus' if summand > 0 else 'minus'} {added}" if summand else "")


def constant_output(e: CaseEvidence) -> Diagnosis | None:
    """Find outputs that hold the same number in every element."""
    telling = [(c, p) for c, p in wrong_patterns(e) if p.comparable]
    telling = [(c, p) for c, p in telling if c.ordinary] or telling
    if not telling or any(p.constant is None for _, p in telling):
        return None
    case, pattern = telling[0]
    (value,) = tell_apart(pattern.constant or 0.0, digits=6)
    held = "nothing but zeros" if pattern.zeros else f"the same number everywhere, {value},"
    other = next((c for c, p in telling if p.constant != pattern.constant), None)
    every = f"; in “{other.name}” it is another one" if other else ", and in every other wrong case"
    return Diagnosis(
        "wrong-values",
        f"The output holds {held} in “{case.name}”{every if len(telling) > 1 else ''}: "
        f"no element differs from the next. {describe_groups(e)}".rstrip(),
    )


def low_precision(e: CaseEvidence) -> Diagnosis | None:
    """All wrong elements are as far off as rounding to half precision would put them.

    A few elements may be that near by chance, as a sum that counts some numbers twice: they tell
    something only of a program that names a type of 16 bits or multiplies tiles.
    """
    wrong = [(c, p) for c, p in wrong_patterns(e) if c.ordinary]
    # Rounding to half precision shows in every case that has something to round.
    if (
        wrong
        and at_least_half_wrong(wrong, e.cases)
        and all(p.half_like and not p.overflowed for _, p in wrong)
    ):
        case, seen = wrong[0]
        many = "Every element is close but none is"
        if seen.wrong < seen.total:
            many = f"{seen.wrong} of {seen.total} elements are close but not"
        # TF32 has the exponent of float32 and the fraction of float16.
        look = "Look for a cast to float16 or bfloat16, or for a formula that only approximates."
        dot = (
            "`tl.dot` of float32 rounds its operands to TF32 on a GPU unless it is told "
            '`input_precision="ieee"`.'
            if "tl.dot(" in e.source
            else ""
        )
        casts = find_half_casts(e.source)
        if not casts and not dot and all(p.total < MIN_CORRELATED for _, p in wrong):
            return None
        if casts:
            lines = "s " + ", ".join(map(str, casts[:3])) if len(casts) > 1 else f" {casts[0]}"
            look = f"Line{lines} name{'' if len(casts) > 1 else 's'} a type of 16 bits."
        return Diagnosis(
            "low-precision",
            f"{many} close enough (case “{case.name}”): the errors are "
            f"the size of half-precision rounding. {look if casts else dot or look}",
            line=casts[0] if casts else None,
        )
    return None


def atomic_and_plain(e: CaseEvidence) -> Diagnosis | None:
    """Find a plain access that meets an atomic one where the order of programs changed nothing.

    A counter may keep the two apart.
    """
    for case in e.failed:
        for seen in case.seen.clashes if case.pattern else ():
            return Diagnosis(
                "race",
                f"{meeting_text(seen)}. Programs run at the same time and in no order: unless something "
                "makes one of the two wait for the other, the result depends on luck.",
                line=seen.line,
                program_id=seen.program,
            )
    return None


FITTED: tuple[Rule, ...] = (
    zero_signs,
    nan_handling,
    overflow,
    cancellation,
    fixed_size,
    missing_stores,
    computed_nan,
    linear_relation,
    constant_output,
    low_precision,
    atomic_and_plain,
)
