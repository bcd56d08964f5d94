"""Demands of an exercise on how its kernels work, held against what the interpreter saw of them.

Every output is right by then. Each sentence says what was seen, and in which line.
"""

from collections.abc import Sequence
from functools import partial

from tutor.base.list_text import join_with_and
from tutor.base.number_text import amounts
from tutor.course.reading.formula import group_digits
from tutor.judge.cases.reference import Reference
from tutor.judge.diagnosis.evidence import CaseFacts, line_text, program_texts
from tutor.judge.diagnosis.source_rules import find_block_widths
from tutor.judge.model.verdict import Diagnosis

Facts = Sequence[CaseFacts]


def find_unmet_demand(reference: Reference, facts: Facts, source: str) -> Diagnosis | None:
    """Return the first demand that a case shows to be unmet."""
    width = partial(_width, source=source)
    checks = (
        _copies,
        _launches,
        _atomics,
        _last_launch,
        width,
        _repeated_loads,
        _masked_loads,
        _sectors,
        _factors,
    )
    for check in checks:
        if finding := check(reference, facts):
            return finding
    return None


def _copies(reference: Reference, facts: Facts) -> Diagnosis | None:
    """PyTorch copies what the kernel gets."""
    case = next((f for f in facts if f.host_copies), None)
    if reference.copies or case is None:
        return None
    names = ", ".join(f"`torch.{name}`" for name in case.host_copies[:3])
    view = "" if case.contiguous else " `contiguous` and `reshape` copy a view without a word."
    return Diagnosis(
        "too-much-traffic",
        f"The numbers are right, but PyTorch copied elements outside of the kernel ({names}, in the "
        f"case “{case.name}”).{view} The task asks for none of that.",
    )


def _launches(reference: Reference, facts: Facts) -> Diagnosis | None:
    """The work is shared out among more launches than the task allows."""
    most = reference.most_launches
    case = max(facts, key=lambda f: f.seen.launches, default=None)
    if most is None or case is None or case.seen.launches <= most:
        return None
    return Diagnosis(
        "wrong-values",
        f"The numbers are right, but the case “{case.name}” takes {case.seen.launches} launches of "
        f"kernels; {_allowed(most)} allowed.",
    )


def _last_launch(reference: Reference, facts: Facts) -> Diagnosis | None:
    """The last launch has more programs than the task allows, whether they store something or not."""
    most = reference.last_programs
    if most is None:
        return None
    for case in facts:
        if case.seen.launches != len(case.seen.sketches):  # more than are kept
            continue
        last = case.seen.sketches[-1]
        if last.programs > most:
            return Diagnosis(
                "wrong-values",
                f"The numbers are right, but the last launch, of `{last.kernel}`, starts "
                f"{last.programs} programs (case “{case.name}”); {_allowed(most)} allowed.",
                line=last.line,
            )
    return None


def _allowed(most: int) -> str:
    return "one is" if most == 1 else f"{most} are"


def _atomics(reference: Reference, facts: Facts) -> Diagnosis | None:
    """A kernel uses an atomic operation, and the task asks for another way."""
    seen = next((a for f in facts for a in f.seen.atomics), None)
    if reference.atomics or seen is None:
        return None
    return Diagnosis(
        "wrong-values",
        f"The numbers are right, but `{seen.kernel}` changes `{seen.tensor}` by an atomic operation "
        f"({line_text(seen.line, seen.place)}). The task asks for a way without them.",
        line=seen.line,
    )


def _width(reference: Reference, facts: Facts, source: str) -> Diagnosis | None:
    """A program loads more at once than the task allows. The line that sets the width stands first; of
    several widths that are set in several lines nothing says which it is."""
    if reference.widest_block is None:
        return None
    found = [(load, f.name, _widest_in(reference, f.name)) for f in facts for load in f.seen.widest]
    found = [(load, case, limit) for load, case, limit in found if load.lanes > limit]
    if not found:
        return None
    load, case, limit = max(found, key=lambda row: row[0].lanes)
    lanes, most = group_digits(load.lanes), group_digits(limit)
    widths = None if load.place else find_block_widths(source, load.line, load.kernel)
    names, line = widths or ([], load.line)
    told = join_with_and([f"`{name}`" for name in names])
    by = f"by line {line} ({told}) " if names and line else f"by {told} " if names else ""
    return Diagnosis(
        "too-wide-block",
        f"The numbers are right, but {by}each program of `{load.kernel}` loads a block of {lanes} "
        f"lanes at once ({line_text(load.line, load.place)}, case “{case}”); at most {most} are "
        "allowed.",
        line=line,
    )


def _widest_in(reference: Reference, case: str) -> int:
    """Lanes that a load of a case may have."""
    return reference.widest_in.get(case, reference.widest_block or 0)


def _repeated_loads(reference: Reference, facts: Facts) -> Diagnosis | None:
    """A program loads an element again."""
    seen = next(((r, f.name) for f in facts for r in f.seen.repeated), None)
    if not reference.loaded_once or seen is None:
        return None
    load, case = seen
    (program,) = program_texts(load.program)
    here = line_text(load.line, load.place)
    first = line_text(load.first_line, load.first_place)
    where = f"{here} again" if here == first else f"{here}, and has loaded it in {first}"
    return Diagnosis(
        "too-much-traffic",
        f"The numbers are right, but program {program} loads `{load.tensor}[{load.element}]` in "
        f"{where} (case “{case}”). Once is enough.",
        line=load.line,
    )


def _masked_loads(reference: Reference, facts: Facts) -> Diagnosis | None:
    """Most of what is loaded is loaded through masks."""
    for case in facts:
        most = reference.most_masked.get(case.name)
        if most is None or not case.seen.loaded:
            continue
        part = case.seen.masked / case.seen.loaded
        if part > most:
            return Diagnosis(
                "wrong-values",
                f"The numbers are right, but {part:.0%} of the bytes that “{case.name}” loads are "
                f"loaded through a mask; at most {most:.0%} are allowed. Which blocks hold nothing that "
                "a mask would leave out?",
            )
    return None


def _sectors(reference: Reference, facts: Facts) -> Diagnosis | None:
    """Loads and stores touch whole sectors for the sake of a few bytes."""
    counted = [f.traffic for f in facts if f.traffic]
    most_work = max(counted, key=lambda traffic: traffic.least, default=None)
    case = next((f for f in facts if f.traffic is most_work), None)
    if reference.most_sectors is None or most_work is None or case is None:
        return None
    if case.seen.sectors <= reference.most_sectors * most_work.least:
        return None
    seen, least = amounts(case.seen.sectors, most_work.least)
    return Diagnosis(
        "too-much-traffic",
        f"The numbers are right, but the loads and stores of “{case.name}” touch sectors of {seen}, "
        f"where the elements are {least}; at most {reference.most_sectors:g} times that are allowed. "
        "Which lanes do not ask for neighbours?",
    )


def _factors(reference: Reference, facts: Facts) -> Diagnosis | None:
    """A product multiplies other numbers than tensor cores must, and others do not. The compiled code
    tells that only of the launches that are compiled, and there where all multiply other numbers."""
    units = reference.matrix_units
    found = [(product, f.name) for f in facts for product in f.seen.products]
    others = [(product, case) for product, case in found if product.factors != units]
    if not units or not others or len(others) == len(found):
        return None
    product, case = others[0]
    return Diagnosis(
        "no-tensor-cores",
        f"The numbers are right, but a `tl.dot` of `{product.kernel}` multiplies {product.factors} "
        f"({line_text(product.line, product.place)}) in the case “{case}”. The task asks for {units} in "
        "each. Which dtype do its factors have, and which `input_precision` is set?",
        line=product.line,
    )
