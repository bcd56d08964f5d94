"""The records of a search: a passage of the index, a hit, and all hits for a query."""

from typing import NamedTuple

# In the text of a passage: between prose and code, and between lines of code.
PART, LINE = "\u2029", "\u2028"

KIND_NAMES = {  # of a passage, for the learner
    "lesson": "lesson",
    "term": "glossary",
    "idea": "idea",
    "exercise": "exercise",
    "question": "question",
    "explanation": "explanation",
    "note": "your note",
    "card note": "your note to a card",
    "reflection": "you wrote",
}


class Passage(NamedTuple):
    """`kind` and `place` name its place:

    "lesson" "22/section-slug", "term" an id of the glossary, "idea" "2/an-id" of a phase's map,
    "exercise" a slug, "question" and "explanation" a question's id (without a title: a prompt is
    text). `day` is 0 if no day teaches it. `text` is prose in one line, and code in lines apart (`PART`,
    `LINE`).
    """

    kind: str
    place: str
    day: int
    title: str
    text: str


class Hit(NamedTuple):
    """A passage that has the words. `excerpt`: pieces of its text, and whether each is a match;
    `score`: bm25, the more negative the better."""

    kind: str
    place: str
    day: int
    title: str
    excerpt: tuple[tuple[str, bool], ...]
    score: float


class SearchResults(NamedTuple):
    """`every`: True if the hits have all the words; else each has some of them."""

    hits: tuple[Hit, ...]
    every: bool
