"""A full-text index (SQLite's FTS5) over the course, kept in the cache folder.

It is a file that is written whole and then renamed into its place, and never changed: two programs
may build it at once, and one that reads it keeps the file it opened.
"""

import json
import os
import re
import sqlite3
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING

from tutor.base.errors import CannotHere
from tutor.course.catalog.overview import cache_file, stamp_of
from tutor.course.reading.locations import (
    exercise_folders,
    glossary_file,
    lesson_files,
    map_files,
    outline_file,
    quiz_files,
    reader_files,
)
from tutor.search.results import LINE, PART, Hit, Passage, SearchResults

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course

LONGEST_QUERY = 200  # characters; the rest is ignored
MOST_WORDS = 12
EXCERPT_WORDS = 22
# Around a match in an excerpt. No text in the index holds them.
_OPEN, _CLOSE = "\x02", "\x03"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]+")
_TABLE = (
    "CREATE VIRTUAL TABLE passages USING fts5 (title, text, kind UNINDEXED, place UNINDEXED, "
    "day UNINDEXED, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"
)


def open_index(course: "Course") -> sqlite3.Connection:
    """Return the index of a course: from the cache if that is fresh and complete, else built now.

    It may be used from any thread, one at a time. Where the cache cannot be written the index is
    kept in memory. Raises `CannotHere` where this Python's SQLite has no FTS5.
    """
    stamp = _stamp(course.root)  # before reading: a file that changes meanwhile makes it stale
    file = cache_file(course.root, "search", "sqlite3")
    return _fresh(file, stamp) or _build(course, file, stamp)


def _stamp(root: Path) -> str:
    """Return the state of the course's files and of their readers, on which the index depends."""
    files = (
        outline_file(root),
        *lesson_files(root).values(),
        *quiz_files(root).values(),
        *(folder / "exercise.toml" for folder in exercise_folders(root)),
        glossary_file(root),
        *map_files(root).values(),
        *reader_files(),
        *sorted(Path(__file__).parent.glob("*.py")),
    )
    return json.dumps(stamp_of(files))


def _fresh(file: Path, stamp: str) -> sqlite3.Connection | None:
    """Return the cached index; None if it is missing, stale or damaged."""
    if not file.is_file():
        return None
    uri = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
    db = sqlite3.connect(uri, uri=True, check_same_thread=False)
    try:
        if db.execute("SELECT stamp FROM made").fetchone() == (stamp,):
            [whole] = db.execute("PRAGMA quick_check(1)").fetchone()
            if whole == "ok":
                return db
    except (sqlite3.DatabaseError, UnicodeError):
        pass
    db.close()
    return None


def _build(course: "Course", file: Path, stamp: str) -> sqlite3.Connection:
    from tutor.search.passages import passages  # imports Markdown and TOML

    texts = list(passages(course))
    beside = file.with_name(f".{file.name}.{os.getpid()}.{get_ident()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside.unlink(missing_ok=True)
        db = sqlite3.connect(beside)
        try:
            create_index(db)
            fill_index(db, texts)
            db.execute("CREATE TABLE made (stamp TEXT NOT NULL)")
            db.execute("INSERT INTO made VALUES (?)", (stamp,))
            db.commit()
        finally:
            db.close()
        beside.replace(file)
    except (OSError, sqlite3.DatabaseError):
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    else:
        if (kept := _fresh(file, stamp)) is not None:
            return kept
    db = sqlite3.connect(":memory:", check_same_thread=False)
    create_index(db)
    fill_index(db, texts)
    return db


def forget_index(course: "Course") -> None:
    """Delete the kept index, which was found to be damaged."""
    with suppress(OSError):
        cache_file(course.root, "search", "sqlite3").unlink(missing_ok=True)


def create_index(db: sqlite3.Connection) -> None:
    """Create the empty table. Raises `CannotHere` where SQLite was built without FTS5."""
    try:
        db.execute(_TABLE)
    except sqlite3.OperationalError as error:
        if "fts5" not in str(error):
            raise
        raise CannotHere(
            "search needs SQLite with FTS5, which this Python's lacks; use another build of Python"
        ) from None
    # a word in a title counts as much as four words in the text
    db.execute("INSERT INTO passages (passages, rank) VALUES ('rank', 'bm25(4.0, 1.0)')")


def fill_index(db: sqlite3.Connection, passages: Iterable[Passage]) -> None:
    """Add passages to an index that has its tables."""
    db.executemany(
        "INSERT INTO passages (kind, place, day, title, text) VALUES (?, ?, ?, ?, ?)",
        ((p.kind, p.place, p.day, _storable(p.title), _storable(p.text)) for p in passages),
    )


def find_passages(
    db: sqlite3.Connection, typed: str, limit: int, may_explain: Container[str] = ()
) -> SearchResults:
    """Return the best `limit` passages for a typed text, best first. Every text is valid.

    The passages have all the words; if there are none, those with some of the words. Explanations are
    only of the questions in `may_explain`.
    """
    words = _words(typed)
    for joint in (" AND ", " OR "):
        if hits := _hits(db, joint.join(words), limit, may_explain):
            return SearchResults(hits, joint == " AND ")
        if len(words) < 2:
            break
    return SearchResults((), True)


def _hits(
    db: sqlite3.Connection, query: str, limit: int, may_explain: Container[str]
) -> tuple[Hit, ...]:
    if not query:
        return ()
    rows = db.execute(
        f"SELECT kind, place, day, title, rank, snippet(passages, 1, '{_OPEN}', '{_CLOSE}', '…', "
        f"{EXCERPT_WORDS}) FROM passages WHERE passages MATCH ? ORDER BY rank",
        (query,),
    )
    hits: list[Hit] = []
    for kind, place, day, title, score, excerpt in rows:
        if kind != "explanation" or place in may_explain:
            hits.append(Hit(kind, place, day, title, _pieces(_cut(excerpt)), score))
            if len(hits) == limit:
                break
    return tuple(hits)


def _words(typed: str) -> list[str]:
    """Turn typed text into terms of an FTS5 query, each quoted: nothing in it is an operator.

    A term finds the words that begin with it, and a plural its singular; a single letter is a word of
    its own. `tl.load` is two words that stand together.
    """
    terms = []
    for word in _storable(typed[:LONGEST_QUERY]).split()[:MOST_WORDS]:
        if not any(character.isalnum() for character in word):
            continue
        quoted = word.replace('"', '""')
        if len(word) > 3 and word[-1] in "sS":
            terms.append(f'("{quoted}"* OR "{quoted[:-1]}")')
        else:
            terms.append(f'"{quoted}"' + ("*" if len(word) > 1 else ""))
    return terms


def _storable(text: str) -> str:
    """Replace control codes and lone surrogates, which SQLite cannot store."""
    return _CONTROL.sub(" ", text.encode("utf-8", "replace").decode("utf-8"))


def _cut(excerpt: str) -> str:
    """Leave prose or code alone, whichever has the first match, and mark the lines of code."""
    parts = excerpt.split(PART)
    at = next((i for i, part in enumerate(parts) if _OPEN in part), 0)
    before = "… " if at and not parts[at].startswith("…") else ""
    after = " …" if at + 1 < len(parts) and not parts[at].endswith("…") else ""
    return f"{before}{parts[at]}{after}".replace(LINE, " ⏎ ")


def _pieces(excerpt: str) -> tuple[tuple[str, bool], ...]:
    pieces = []
    for number, part in enumerate(excerpt.split(_OPEN)):
        marked, _, rest = part.partition(_CLOSE) if number else ("", "", part)
        pieces += [(marked, True), (rest, False)]
    return tuple(piece for piece in pieces if piece[0])
