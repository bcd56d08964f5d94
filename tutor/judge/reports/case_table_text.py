"""The table of a learner's cases as lines: which mistakes they refuse, and where to look for the others.

Pure. Each line is prose that a caller may wrap.
"""

from collections.abc import Iterator

from tutor.judge.model.case_table import CaseTable, Mistake, PlayedCase

ADVICE = (
    "A case is a call: `{entry}`, with tensors such as f32[4, 100] (dtype and sizes; strides in second "
    "brackets: f32[4, 100][200, 2]), zeros(…), ones(…), large(…), negative(…), counting(…), "
    "full(…, -inf), one(…, nan), values(f32[2], 1, 2), and numbers."
)


def format_table(table: CaseTable) -> list[str]:
    """Return the lines of a table: a sum, each case, the mistakes that live, those that are refused."""
    return [
        summarize(table),
        *(
            line
            for number, case in enumerate(table.cases, 1)
            for line in case_lines(table, number, case)
        ),
        *own_lines(table),
        *living_lines(table),
        *killed_lines(table),
        *rest_lines(table),
    ]


def sentences(table: CaseTable) -> list[str]:
    """Return the same as whole sentences without marks, one for each case and mistake."""
    lines = [summarize(table)[2:]]
    for number, case in enumerate(table.cases, 1):
        for line in case_lines(table, number, case):
            lines.append(
                f"Case {line.strip()}" if line.lstrip().startswith(str(number)) else line.strip()
            )
    lines += own_lines(table)
    for mistake in table.living:
        where = f" Look at: “{_one_line(mistake.look)}”" if mistake.look else ""
        lines.append(f"Passes still: {mistake.says}{where}")
    lines += [f"Refused by {numbers_of(mistake)[1:-1]}: {mistake.says}" for mistake in table.killed]
    return [*lines, *rest_lines(table)]


def summarize(table: CaseTable) -> str:
    """Return how many mistakes the cases refuse, and how many cases count."""
    killed, killable = len(table.killed), len(table.killable)
    mark = "✓" if killed == killable and not table.refused else "✗"
    cases = _count(table.valid, "case")
    said = f"{mark} {cases} of yours {'refuse' if table.valid != 1 else 'refuses'} {killed} of "
    said += _count(killable, "mistake")
    if table.refused:
        said += f"; {_count(len(table.refused), 'case')} more {_do(len(table.refused))} not count"
    return f"{said}."


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _do(count: int) -> str:
    return "does" if count == 1 else "do"


def case_lines(table: CaseTable, number: int, case: PlayedCase) -> Iterator[str]:
    """Yield a case, and what became of it."""
    if case.refused:
        yield f"  {number}  {case.text}  does not count: {case.refused}."
        if case.promise:
            yield f"     The task: “{case.promise}”"
        return
    count = sum(number in mistake.killed_by for mistake in table.mistakes)
    yield f"  {number}  {case.text}  refuses {_count(count, 'mistake')}."


def living_lines(table: CaseTable) -> Iterator[str]:
    """Yield the mistakes that no case refuses, with the words of the task that they break."""
    if not table.living:
        return
    several = len(table.living) > 1
    yield f"{_count(len(table.living), 'mistake')} still {'pass' if several else 'passes'}:"
    for mistake in table.living:
        yield f"  ✗ {mistake.says}"
        if mistake.look:
            yield f"     Look at: “{_one_line(mistake.look)}”"


def killed_lines(table: CaseTable) -> Iterator[str]:
    """Yield the mistakes that a case refuses, with the cases' numbers."""
    if table.killed:
        yield "Refused, by the cases with these numbers:"
    for mistake in table.killed:
        yield f"  ✓ {mistake.says} {numbers_of(mistake)}"


def numbers_of(mistake: Mistake) -> str:
    """Return the numbers of the cases that refuse a mistake."""
    return f"({', '.join(map(str, mistake.killed_by))})"


def own_lines(table: CaseTable) -> Iterator[str]:
    """Yield what the cases say of the learner's own program."""
    if table.own is None:
        return
    if not table.own:
        yield "Your own program survives each case that counts."
        return
    numbers = ", ".join(map(str, table.own))
    yield f"Your own program does not survive case{'s' * (len(table.own) > 1)} {numbers}."


def rest_lines(table: CaseTable) -> Iterator[str]:
    """Yield what is left to say: mistakes that no case can show, and holes."""
    if unseen := len(table.mistakes) - len(table.killable):
        more = f"{unseen} more {'mistakes change' if unseen > 1 else 'mistake changes'}"
        yield f"{more} no result: the judge sees them without a case."
    for hole in table.holes:
        yield (
            f"“{hole.case}” refuses an answer that our own cases accept ({hole.answer}). It is kept; "
            "`tutor content check` lists it."
        )


def _one_line(text: str) -> str:
    return " ".join(text.replace("**", "").split())
