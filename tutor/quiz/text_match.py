"""When two short texts say the same: case, spaces and backticks do not count, nor do a few slips.

A slip is forgiven in words only. A name of code is exact: `tl.range` is not `tl.arange`.
"""

import unicodedata
from dataclasses import dataclass

_LONGEST = 80  # characters that are compared letter by letter


@dataclass(frozen=True)
class Match:
    """The form that a text was taken for; `slips` is how many letters it is away from it."""

    form: str
    slips: int


def normalize(text: str) -> str:
    """Return the part of a text that is compared. Spaces and backticks alone stay as they are."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("`", "")
    return "".join(folded.split()) or text


def match_text(text: str, forms: tuple[str, ...], *, exact: bool = False) -> Match | None:
    """The first of `forms` that `text` is; else, unless `exact`, the nearest it slipped from."""
    folded = normalize(text)
    for form in forms:
        if normalize(form) == folded:
            return Match(form, 0)
    if exact:
        return None
    slipped = [Match(form, slips) for form in forms if (slips := _slips(folded, normalize(form)))]
    return min(slipped, key=lambda match: match.slips, default=None)


def count_allowed_slips(form: str) -> int:
    """Slips that a form bears: none below 6 letters, one below 12, then two; none in code."""
    if len(form) > _LONGEST or not all(c.isalpha() or c == "-" for c in form):
        return 0
    return 0 if len(form) < 6 else 1 if len(form) < 12 else 2


def _slips(text: str, form: str) -> int:
    """How many slips lead from `form` to `text`; 0 where they are too many, or the first letter is
    another one (it decides between forward and backward, float and bfloat)."""
    most = count_allowed_slips(form)
    if not most or not text or text[0] != form[0] or abs(len(text) - len(form)) > most:
        return 0
    slips = measure_distance(text, form)
    return slips if slips <= most else 0


def measure_distance(a: str, b: str) -> int:
    """Letters inserted, left out, exchanged for another or swapped with their neighbour: optimal
    string alignment (Damerau 1964, Wagner and Fischer 1974)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, above, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
    return row[-1]
