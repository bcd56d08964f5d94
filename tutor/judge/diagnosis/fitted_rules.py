"""Rules for what the wrong numbers look like, such as errors the size of half precision. Each returns
a `Diagnosis` or None; `FITTED` has them in order."""

from tutor.base.number_text import tell_apart
from tutor.judge.diagnosis.evidence import (
    CaseEvidence,
    CaseFacts,
    Rule,
    at_least_half_wrong,
    known_mistake,
    meeting_text,
    near_miss,
    place_text,
    plain_cases,
    wrong_patterns,
)
from tutor.judge.diagnosis.source_rules import reset_in_loop
from tutor.judge.diagnosis.unwritten_output import computed_nan, fixed_size, missing_stores
from tutor.judge.model.verdict import Diagnosis

# Of the lanes that programs take at a time, the largest first.
_BLOCKS = (4096, 2048, 1024, 512, 256, 128, 64, 32, 16)
_MIN_SIZES = 3  # a pattern in fewer sizes may be chance


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
        f"{case.largest:.3g}), first at element {pattern.first}: digits are lost. Large numbers that "
        "nearly cancel leave rounding errors, as in E[x²] - E[x]².",
    )


def option(e: CaseEvidence) -> Diagnosis | None:
    """Find a Boolean argument whose value tells wrong cases from right ones."""
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


def transformed_padding(e: CaseEvidence) -> Diagnosis | None:
    """Find outputs that are wrong only where lanes are masked off, and no neutral value fixes."""
    wrong = [c for c in e.failed if c.pattern and c.ordinary]
    padded = [c for c in wrong if c.seen.padded and c.pattern and not c.pattern.unwritten]
    # A wrong formula is often right for inputs that are all zero.
    right = [c for c in e.cases if c.passed and c.numel > 1 and c.largest > 0]
    full = [c for c in right if not c.seen.padded]
    if not full or padded != wrong or not any(c.padding_counts for c in padded):
        return None
    if len(right) - len(full) > len(padded):  # most cases with masked lanes are right
        return None
    if all(c.pattern.half_like for c in padded if c.pattern):  # this is rounding
        return None
    if e.sources:  # a probe has found the cause
        return None
    line = padded[0].seen.padded[0].line
    return Diagnosis(
        "missing-mask",
        f"Right where every lane has an element (“{full[0].name}”), wrong where some are masked off "
        f"(“{padded[0].name}”): those that line {line} fills with `other=` count. Does a later step "
        "change them, as 0 - mean does?",
        line=line,
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
    split = _size_limit_text([c for c in e.cases if c.passed], [c for c, _ in telling])
    if trials := _trials_text(e.source, *line):
        return Diagnosis("wrong-values", f"{trials} ({place_text(case, pattern)}).")
    others = [(c, p.affine) for c, p in telling if p.affine and not _close_lines(p.affine, line)]
    varies = ""
    if others:
        other, other_line = others[0]
        varies = (
            f" In “{other.name}” it is {_relation_text(*other_line)}: look for a size, or another "
            "number of the case, that enters or is left out."
        )
    return Diagnosis(
        "wrong-values",
        f"What you return is {_relation_text(*line)}, in every element ({place_text(case, pattern)}): a "
        f"factor or a summand is missing, or one too many.{varies} {split}".rstrip(),
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
    look = (
        "Look at what is stored: is it what was computed from the loads, and do their offsets differ "
        "from lane to lane and from program to program?"
        if e.kind == "kernel"
        else "Look at what is returned: is it what was computed from the inputs?"
    )
    return Diagnosis(
        "wrong-values",
        f"The output holds {held} in “{case.name}”{every if len(telling) > 1 else ''}: "
        f"no element differs from the next. {look} {e.sources}".rstrip(),
    )


def low_precision(e: CaseEvidence) -> Diagnosis | None:
    """All wrong elements are as far off as rounding to half precision would put them."""
    wrong = [(c, p) for c, p in wrong_patterns(e) if c.ordinary]
    # Rounding to half precision shows in every case that has something to round.
    if (
        wrong
        and at_least_half_wrong(wrong, e.cases)
        and all(p.half_like and not p.overflowed for _, p in wrong)
    ):
        case = wrong[0][0]
        # TF32 has the exponent of float32 and the fraction of float16.
        look = "Look for a cast to float16 or bfloat16, or for a formula that only approximates."
        dot = (
            "`tl.dot` of float32 rounds its operands to TF32 on a GPU unless it is told "
            '`input_precision="ieee"`.'
            if "tl.dot(" in e.source
            else ""
        )
        return Diagnosis(
            "low-precision",
            f"Every element is close but none close enough (case “{case.name}”): the errors are "
            f"the size of half-precision rounding. {dot or look}",
        )
    return None


def permutation(e: CaseEvidence) -> Diagnosis | None:
    """The output holds the wanted numbers in other places."""
    for case, pattern in wrong_patterns(e):
        if pattern.permuted and pattern.total > 2:
            guess = "Rows and columns, or their strides, are exchanged somewhere."
            return Diagnosis(
                "wrong-stride",
                f"The right numbers stand in the wrong places (case “{case.name}”). "
                f"{e.sources or guess}",
            )
    return None


def periodic_stretches(e: CaseEvidence) -> Diagnosis | None:
    """Find wrong stretches of one length at one distance, such as every other block."""
    number = "program or of the lane" if e.kind == "kernel" else "element"
    for case, pattern in wrong_patterns(e):
        if pattern.repeats and not case.special and pattern.unwritten < pattern.wrong:
            return Diagnosis(
                "wrong-values",
                f"{pattern.wrong} of {pattern.total} elements are wrong: {pattern.where} "
                f"({place_text(case, pattern)}). Look for what your code does by the "
                f"number of the {number}, as `%` does, and at the step from one block to the next.",
            )
    return None


def same_elements(e: CaseEvidence) -> Diagnosis | None:
    """Find a column, row or element that is wrong in cases of all sizes."""
    wrong = [(c, p) for c, p in wrong_patterns(e) if c.ordinary and p.total > 1]
    places = {p.where if p.wrong > 1 else f"element {p.first}" for _, p in wrong}
    sizes = {p.total for _, p in wrong}
    some = all(p.wrong < p.total and p.unwritten < p.wrong for _, p in wrong)
    if len(sizes) < _MIN_SIZES or len(places) != 1 or places == {""} or not some:
        return None
    case, pattern = wrong[0]
    return Diagnosis(
        "wrong-values",
        f"The same is wrong in {len(wrong)} cases of different sizes: {places.pop()} "
        f"({place_text(case, pattern)}). What does your code do for this index alone? Does a mask or "
        f"an offset leave it out? {e.sources}".rstrip(),
    )


def size_dependence(e: CaseEvidence) -> Diagnosis | None:
    """Find outputs that are right for some sizes and wrong for larger ones, with ordinary inputs."""
    # A tensor operation has no blocks. A fault that is the same at all sizes does not depend on size.
    if e.kind != "kernel" or periodic_stretches(e) or same_elements(e):
        return None
    plain = plain_cases(e)
    wrong = [c for c in plain if c.pattern]
    right = [c for c in plain if c.passed]
    # Where each wrong size also comes out right, something else decides: a text, a keyword.
    if len(_sizes(plain)) < 2 or _sizes(wrong) <= _sizes(right):
        return None
    # A wrong formula can be right by chance: for one column, or for inputs that are all zero.
    enough = right and 2 * len(right) >= len(wrong) > 1
    if not enough or any(c.pattern.affine for c in wrong if c.pattern):
        return None
    split = _size_limit_text(right, wrong)
    known = known_mistake(wrong)
    return (
        _make_size_diagnosis(e, split, known)
        if split
        else _find_scattered_sizes(e, right, wrong, known)
    )


def _find_scattered_sizes(
    e: CaseEvidence, right: list[CaseFacts], wrong: list[CaseFacts], known: str
) -> Diagnosis | None:
    """Find sizes that come out right and others that do not, where no limit separates them."""
    # A mistake or a near miss that the exercise knows, or outputs that are nearly right, say more.
    if known or _are_mostly_near(wrong) or near_miss(e):
        return None
    if partial := _partial_block(right, wrong):
        return partial
    # A number in the code is too small for large sizes; the values decide where small ones fail.
    if min(map(_extent, wrong)) < min(map(_extent, right)):
        return None
    seen = (
        f"Some sizes come out right (“{right[-1].name}”), others do not (“{wrong[0].name}”)."
        f"{_wrong_part_text(e, wrong)}"
    )
    return _make_size_diagnosis(e, seen)


def _make_size_diagnosis(e: CaseEvidence, seen: str, known: str = "") -> Diagnosis:
    cause = known or (
        "Three usual causes: a size is written as a number where the argument belongs; one block is "
        "taken for the whole; the step from one block to the next is missing."
    )
    return Diagnosis("hard-coded-size", f"{seen} {cause} {e.sources}".rstrip())


def _extent(case: CaseFacts) -> int:
    return max(case.sizes.values(), default=case.numel)


def _partial_block(right: list[CaseFacts], wrong: list[CaseFacts]) -> Diagnosis | None:
    """Find a size of an argument that is right in whole blocks only. Values may hide the fault in a
    few cases."""
    for name in right[0].sizes:
        for block in _BLOCKS:
            whole = [c for c in right if c.sizes.get(name, 1) % block == 0]
            beyond = any(c.sizes.get(name, block) % block == 0 for c in wrong)
            if len(whole) < 2 or beyond or 2 * (len(right) - len(whole)) > len(wrong):
                continue
            return Diagnosis(
                "missing-mask",
                f"Right where `{name}` is a multiple of {block} (“{whole[0].name}”), wrong elsewhere "
                f"(“{wrong[0].name}”): the last block is only partly filled. What do its other lanes "
                "hold, and does it count?",
            )
    return None


def _sizes(cases: list[CaseFacts]) -> set[tuple[object, ...]]:
    return {(c.numel, *c.sizes.items()) for c in cases if c.pattern or not c.constant}


def _are_mostly_near(wrong: list[CaseFacts]) -> bool:
    return 2 * sum(c.pattern.near for c in wrong if c.pattern) > len(wrong)


def _wrong_part_text(e: CaseEvidence, wrong: list[CaseFacts]) -> str:
    """Name the elements of the first partly wrong case; "" if there is no such case."""
    for case, pattern in wrong_patterns(e):
        if case in wrong and pattern.where and pattern.wrong < pattern.total:
            return f" In “{case.name}” wrong: {pattern.where}."
    return ""


def _size_limit_text(right: list[CaseFacts], wrong: list[CaseFacts]) -> str:
    """Name the size of an argument that separates right from wrong without exception; else return "".

    `wrong` is not empty. Size 1 and outputs of one number do not count: a wrong formula is often right
    there.
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
    reset_in_loop,
    near_miss,
    zero_signs,
    nan_handling,
    overflow,
    cancellation,
    option,
    fixed_size,
    missing_stores,
    computed_nan,
    transformed_padding,
    linear_relation,
    constant_output,
    low_precision,
    permutation,
    periodic_stretches,
    same_elements,
    size_dependence,
    atomic_and_plain,
)
