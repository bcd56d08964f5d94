"""The tables. Rows of the log are appended and never changed; `cards` follows from them, `items` from
the course.

`at` is the instant in UTC (ISO 8601). `study_day` is the learner's day at that moment; it is stored
because the time zone may have changed when the rows are read again. `uid` is a digest of the row
(row_ids.py): it proves the row, and a merge finds known rows by it.
"""

import functools
import sqlite3
from contextlib import closing

from tutor.base.errors import UsageError

VERSION = 2  # in `user_version`; version 1 was never released
_ANSWERS_OF_PLACEMENTS = (
    "CREATE INDEX IF NOT EXISTS answers_of_placements "
    "ON answers (day, question) WHERE origin = 'placement'"
)
# In an order in which no row points to a table that comes later
LOG_TABLES = (
    "answers",
    "attempts",
    "edits",
    "hints",
    "sections",
    "positions",
    "cells",
    "card_events",
    "settings",
    "checkpoints",
    "ticks",
    "misconceptions",
    "reflections",
)

_TABLES = (
    """CREATE TABLE answers (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        question TEXT NOT NULL,
        day INTEGER NOT NULL,
        value TEXT NOT NULL,                 -- JSON
        correct INTEGER CHECK (correct IN (0, 1)),
        credit REAL NOT NULL CHECK (credit BETWEEN 0 AND 1),
        confidence INTEGER CHECK (confidence BETWEEN 1 AND 5),
        seconds REAL NOT NULL,
        origin TEXT NOT NULL,
        params TEXT,                         -- JSON: the values of a generated variant
        uid INTEGER UNIQUE
    ) STRICT""",
    "CREATE INDEX answers_by_question ON answers (question)",
    # a learner's file is often saved and then submitted unchanged: its text is stored once
    """CREATE TABLE texts (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        body TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        exercise TEXT NOT NULL,
        passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
        device TEXT NOT NULL,
        source INTEGER NOT NULL REFERENCES texts (id),
        verdict TEXT NOT NULL,               -- JSON
        uid INTEGER UNIQUE
    ) STRICT""",
    "CREATE INDEX attempts_by_exercise ON attempts (exercise)",
    """CREATE TABLE edits (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        exercise TEXT NOT NULL,
        path TEXT NOT NULL,
        text INTEGER NOT NULL REFERENCES texts (id),
        uid INTEGER UNIQUE
    ) STRICT""",
    "CREATE INDEX edits_by_exercise ON edits (exercise)",
    """CREATE TABLE hints (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        exercise TEXT NOT NULL,
        level INTEGER NOT NULL,
        after_pass INTEGER REFERENCES attempts (id), -- the newest passing attempt then
        uid INTEGER UNIQUE
    ) STRICT""",
    "CREATE INDEX hints_by_exercise ON hints (exercise)",
    """CREATE TABLE sections (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        section INTEGER NOT NULL,
        uid INTEGER UNIQUE
    ) STRICT""",
    """CREATE TABLE positions (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        section INTEGER NOT NULL,
        uid INTEGER UNIQUE
    ) STRICT""",
    """CREATE TABLE cells (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        cell INTEGER NOT NULL,
        ok INTEGER NOT NULL CHECK (ok IN (0, 1)),
        uid INTEGER UNIQUE
    ) STRICT""",
    "CREATE INDEX answers_by_day ON answers (study_day)",
    "CREATE INDEX answers_of_quizzes ON answers (question) WHERE origin = 'quiz'",
    _ANSWERS_OF_PLACEMENTS,
    # The subjects of cards. The id stays for ever; the course sets the rest.
    """CREATE TABLE items (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('question', 'exercise', 'term')),
        key TEXT NOT NULL,
        title TEXT NOT NULL DEFAULT '',
        day INTEGER NOT NULL DEFAULT 0,
        phase INTEGER NOT NULL DEFAULT 0,
        section TEXT NOT NULL DEFAULT '',    -- the lesson's section to go back to
        minutes INTEGER NOT NULL DEFAULT 0,  -- what an exercise is meant to take
        digest TEXT NOT NULL DEFAULT '',
        rev INTEGER NOT NULL DEFAULT 1,
        present INTEGER NOT NULL DEFAULT 1,
        UNIQUE (kind, key)
    ) STRICT""",
    """CREATE TABLE topics (
        topic TEXT NOT NULL,
        item INTEGER NOT NULL REFERENCES items (id),
        PRIMARY KEY (topic, item)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX topics_by_item ON topics (item)",
    # data that can be computed again: when the course was last read
    "CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    """CREATE TABLE card_events (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        card INTEGER NOT NULL REFERENCES items (id),
        action TEXT NOT NULL,                -- card_updates.ACTIONS
        rating INTEGER CHECK (rating BETWEEN 1 AND 4),
        confidence INTEGER CHECK (confidence BETWEEN 1 AND 5),
        seconds REAL,
        origin TEXT,                         -- quiz, predict, review, cram, attempt
        answer INTEGER REFERENCES answers (id),
        attempt INTEGER REFERENCES attempts (id),
        value TEXT,                          -- a note, a flag, the uid of what is undone
        uid INTEGER UNIQUE
    ) STRICT""",
    "CREATE INDEX card_events_by_card ON card_events (card, at, id)",
    "CREATE INDEX card_events_by_day ON card_events (study_day, action)",
    "CREATE INDEX card_events_by_time ON card_events (at)",
    "CREATE INDEX card_events_undone ON card_events (value) WHERE action = 'undo'",
    "CREATE INDEX card_events_by_answer ON card_events (answer) WHERE answer IS NOT NULL",
    """CREATE TABLE settings (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,                 -- JSON
        uid INTEGER UNIQUE
    ) STRICT""",
    """CREATE TABLE checkpoints (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        score REAL NOT NULL,
        out_of REAL NOT NULL,
        band TEXT NOT NULL,
        uid INTEGER UNIQUE
    ) STRICT""",
    """CREATE TABLE ticks (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        item TEXT NOT NULL,
        ticked INTEGER NOT NULL CHECK (ticked IN (0, 1)),
        uid INTEGER UNIQUE
    ) STRICT""",
    """CREATE TABLE misconceptions (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        item TEXT NOT NULL,
        said TEXT NOT NULL,
        reason TEXT NOT NULL,
        correct INTEGER NOT NULL CHECK (correct IN (0, 1)),
        uid INTEGER UNIQUE
    ) STRICT""",
    """CREATE TABLE reflections (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        prompt TEXT NOT NULL,
        text TEXT NOT NULL,
        seconds REAL NOT NULL,
        uid INTEGER UNIQUE
    ) STRICT""",
    """CREATE TABLE cards (
        id INTEGER PRIMARY KEY REFERENCES items (id),
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        stability REAL,                      -- days; NULL while the card was never reviewed
        difficulty REAL,                     -- 1 to 10
        due TEXT NOT NULL,                   -- a study day, as is last_review
        last_review TEXT,
        reviews INTEGER NOT NULL,
        lapses INTEGER NOT NULL,
        suspended INTEGER NOT NULL,
        orphan INTEGER NOT NULL,             -- the course no longer has it
        changed INTEGER NOT NULL,            -- its meaning did, since the last review
        sure INTEGER NOT NULL,               -- last answered wrong by someone who was sure
        flag INTEGER NOT NULL,
        note TEXT NOT NULL,
        algorithm TEXT NOT NULL
    ) STRICT""",
    # new cards, known cards and confident mistakes are each read in order, up to a limit
    "CREATE INDEX cards_known ON cards (due, stability, kind) "
    "WHERE NOT suspended AND NOT orphan AND stability IS NOT NULL",
    "CREATE INDEX cards_new ON cards (due, id, kind) "
    "WHERE NOT suspended AND NOT orphan AND stability IS NULL",
    "CREATE INDEX cards_sure ON cards (due) WHERE sure AND NOT suspended AND NOT orphan",
)


def read_version(connection: sqlite3.Connection) -> int:
    """Return the version of the tables, 0 in an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def tables_of(connection: sqlite3.Connection) -> set[str]:
    """Return the names of the tables that are there."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    return {name for (name,) in rows}


def columns_of(connection: sqlite3.Connection) -> set[tuple[bytes, bytes]]:
    """Return each table's columns as (table, column). Bytes: a damaged name need not be UTF-8."""
    rows = connection.execute(
        "SELECT CAST(t.name AS BLOB), CAST(c.name AS BLOB) "
        "FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'"
    )
    return set(rows)


@functools.cache
def known_columns() -> frozenset[tuple[bytes, bytes]]:
    """Return what `columns_of` says of a new record."""
    with closing(sqlite3.connect(":memory:")) as db:
        create_tables(db)
        return frozenset(columns_of(db))


def refusal_of(connection: sqlite3.Connection) -> str:
    """Say why this program cannot use a record of that version; "" if it can."""
    version = read_version(connection)
    if version > VERSION:
        return (
            f"is of version {version}, this tutor knows up to {VERSION}; install the newest tutor"
        )
    if 0 < version < VERSION:
        return f"is of version {version}, which no released tutor wrote"
    return ""


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables of a new record, all or none.

    Raises `UsageError` for a record of another version. A migration to the next version goes here.
    """
    if refusal := refusal_of(connection):
        raise UsageError(f"the record {refusal}, or set TUTOR_HOME to another folder")
    if read_version(connection) == VERSION:
        _add_later_index(connection)
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if read_version(connection) == 0:  # else another process was quicker
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _add_later_index(connection: sqlite3.Connection) -> None:
    """Give a record that was made before this index was thought of the index, once."""
    known = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'answers_of_placements'")
    if known.fetchone():
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_ANSWERS_OF_PLACEMENTS)


def row_count(connection: sqlite3.Connection) -> int:
    """Count the rows of the learner's log. Rows are never deleted, so the number only grows."""
    counts = (f"(SELECT coalesce(max(id), 0) FROM {table})" for table in LOG_TABLES)
    return int(connection.execute(f"SELECT {' + '.join(counts)}").fetchone()[0])
