"""The tables. Rows are appended and never changed, except in `cards`, which follows from the rest.

`at` is the instant in UTC (ISO 8601), `study_day` the learner's own day at that moment: stored,
because the time zone may be another one when the rows are read again.
"""

import sqlite3

from tutor.errors import UsageError

# One tuple of statements a version; `user_version` counts how many have run.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
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
            origin TEXT NOT NULL
        ) STRICT""",
        "CREATE INDEX answers_by_question ON answers (question)",
        # a learner's file is saved, then submitted unchanged: its text is stored once
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
            verdict TEXT NOT NULL                -- JSON
        ) STRICT""",
        "CREATE INDEX attempts_by_exercise ON attempts (exercise)",
        """CREATE TABLE edits (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            exercise TEXT NOT NULL,
            path TEXT NOT NULL,
            text INTEGER NOT NULL REFERENCES texts (id)
        ) STRICT""",
        "CREATE INDEX edits_by_exercise ON edits (exercise)",
        """CREATE TABLE hints (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            exercise TEXT NOT NULL,
            level INTEGER NOT NULL,
            after_pass INTEGER REFERENCES attempts (id)  -- the newest passing attempt then
        ) STRICT""",
        "CREATE INDEX hints_by_exercise ON hints (exercise)",
        """CREATE TABLE sections (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            day INTEGER NOT NULL,
            section INTEGER NOT NULL
        ) STRICT""",
        """CREATE TABLE positions (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            day INTEGER NOT NULL,
            section INTEGER NOT NULL
        ) STRICT""",
        """CREATE TABLE cells (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            day INTEGER NOT NULL,
            cell INTEGER NOT NULL,
            ok INTEGER NOT NULL CHECK (ok IN (0, 1))
        ) STRICT""",
        """CREATE TABLE cards (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('question', 'exercise', 'term')),
            key TEXT NOT NULL,
            stability REAL NOT NULL,
            difficulty REAL NOT NULL,
            due TEXT NOT NULL,                   -- a study day, as is last_review
            last_review TEXT NOT NULL,
            reviews INTEGER NOT NULL,
            lapses INTEGER NOT NULL,
            algorithm TEXT NOT NULL,
            UNIQUE (kind, key)
        ) STRICT""",
        "CREATE INDEX cards_by_due ON cards (due)",
    ),
)
VERSION = len(MIGRATIONS)
LOG_TABLES = ("answers", "attempts", "edits", "hints", "sections", "positions", "cells")


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def tables_of(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    return {name for (name,) in rows}


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables to `VERSION`, each step in a transaction of its own.

    Raises `UsageError` for a record that a newer version of the program wrote.
    """
    if version_of(connection) > VERSION:
        raise UsageError(
            f"the record is of version {version_of(connection)}, this tutor knows up to {VERSION}; "
            "install the newest tutor, or set TUTOR_HOME to another folder"
        )
    for version in range(version_of(connection), VERSION):
        connection.execute("BEGIN IMMEDIATE")
        if version_of(connection) == version:  # else another process was quicker
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")
        connection.execute("COMMIT")


def row_count(connection: sqlite3.Connection) -> int:
    """How many rows the learner's log holds. Rows are never deleted, so it only grows."""
    counts = (f"(SELECT coalesce(max(id), 0) FROM {table})" for table in LOG_TABLES)
    return int(connection.execute(f"SELECT {' + '.join(counts)}").fetchone()[0])
