-- A record as version 1 of the tables had it, written by the program of that time.
BEGIN TRANSACTION;
CREATE TABLE answers (
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
        ) STRICT;
INSERT INTO "answers" VALUES(1,'2026-03-02T08:00:00+00:00','2026-03-02','q1',22,'["a"]',0,0.5,4,12.5,'quiz');
INSERT INTO "answers" VALUES(2,'2026-03-02T08:00:00+00:00','2026-03-02','q1',22,'["a"]',0,0.5,4,12.5,'quiz');
INSERT INTO "answers" VALUES(3,'2026-03-02T08:00:00+00:00','2026-03-02','q2',22,'"b"',1,1.0,5,3.0,'quiz');
INSERT INTO "answers" VALUES(4,'2026-03-02T08:00:00+00:00','2026-03-02','q3',22,'{"text": "\u2026"}',NULL,0.0,NULL,30.0,'quiz');
INSERT INTO "answers" VALUES(5,'2026-03-03T08:00:00+00:00','2026-03-03','q1',22,'"a"',1,1.0,4,5.0,'review');
INSERT INTO "answers" VALUES(6,'2026-03-03T08:00:00+00:00','2026-03-03','q2',22,'"a"',0,0.0,5,5.0,'review');
INSERT INTO "answers" VALUES(7,'2026-03-07T08:00:00+00:00','2026-03-07','q1',22,'"a"',1,1.0,4,5.0,'review');
CREATE TABLE attempts (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            exercise TEXT NOT NULL,
            passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
            device TEXT NOT NULL,
            source INTEGER NOT NULL REFERENCES texts (id),
            verdict TEXT NOT NULL                -- JSON
        ) STRICT;
INSERT INTO "attempts" VALUES(1,'2026-03-02T08:00:00+00:00','2026-03-02','vector_add',0,'cpu-interpreter',1,'{"passed": false}');
INSERT INTO "attempts" VALUES(2,'2026-03-02T08:00:00+00:00','2026-03-02','vector_add',1,'cpu-interpreter',2,'{"passed": true}');
INSERT INTO "attempts" VALUES(3,'2026-03-07T08:00:00+00:00','2026-03-07','vector_add',1,'cpu-interpreter',3,'{"passed": true}');
CREATE TABLE cards (
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
        ) STRICT;
INSERT INTO "cards" VALUES(1,'question','q1',1.4775467730776146169e+01,5.09241298658493946049e+00,'2026-03-22','2026-03-07',3,0,'fsrs 6.3.2, rules 1');
INSERT INTO "cards" VALUES(2,'exercise','vector_add',6.60727282625186251863e+00,6.7404595108297,'2026-03-14','2026-03-07',2,0,'fsrs 6.3.2, rules 1');
INSERT INTO "cards" VALUES(3,'question','q2',0.212,6.4133,'2026-03-04','2026-03-03',1,0,'fsrs 6.3.2, rules 1');
CREATE TABLE cells (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            day INTEGER NOT NULL,
            cell INTEGER NOT NULL,
            ok INTEGER NOT NULL CHECK (ok IN (0, 1))
        ) STRICT;
INSERT INTO "cells" VALUES(1,'2026-03-02T08:00:00+00:00','2026-03-02',22,1,1);
CREATE TABLE edits (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            exercise TEXT NOT NULL,
            path TEXT NOT NULL,
            text INTEGER NOT NULL REFERENCES texts (id)
        ) STRICT;
INSERT INTO "edits" VALUES(1,'2026-03-02T08:00:00+00:00','2026-03-02','vector_add','/home/ada/vector_add.py',1);
CREATE TABLE hints (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            exercise TEXT NOT NULL,
            level INTEGER NOT NULL,
            after_pass INTEGER REFERENCES attempts (id)  -- the newest passing attempt then
        ) STRICT;
INSERT INTO "hints" VALUES(1,'2026-03-02T08:00:00+00:00','2026-03-02','vector_add',1,NULL);
INSERT INTO "hints" VALUES(2,'2026-03-07T08:00:00+00:00','2026-03-07','vector_add',1,2);
CREATE TABLE positions (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            day INTEGER NOT NULL,
            section INTEGER NOT NULL
        ) STRICT;
INSERT INTO "positions" VALUES(1,'2026-03-02T08:00:00+00:00','2026-03-02',22,3);
CREATE TABLE sections (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            study_day TEXT NOT NULL,
            day INTEGER NOT NULL,
            section INTEGER NOT NULL
        ) STRICT;
INSERT INTO "sections" VALUES(1,'2026-03-02T08:00:00+00:00','2026-03-02',22,0);
CREATE TABLE texts (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            body TEXT NOT NULL
        ) STRICT;
INSERT INTO "texts" VALUES(1,X'2D08F87025757EDFF51D4987CF93CB35','first
');
INSERT INTO "texts" VALUES(2,X'6B59E92ADBDFECB2CE4986B40C6579D1','second
');
INSERT INTO "texts" VALUES(3,X'FE8965BFA2F8809EB2B9860DD97EC3B3','third
');
CREATE INDEX answers_by_question ON answers (question);
CREATE INDEX attempts_by_exercise ON attempts (exercise);
CREATE INDEX edits_by_exercise ON edits (exercise);
CREATE INDEX hints_by_exercise ON hints (exercise);
CREATE INDEX cards_by_due ON cards (due);
COMMIT;
PRAGMA user_version = 1;
