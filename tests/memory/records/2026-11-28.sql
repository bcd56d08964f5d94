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
        origin TEXT NOT NULL,
        params TEXT,                         -- JSON: the values of a generated variant
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "answers" VALUES(1,'2026-11-16T19:30:42+00:00','2026-11-16','d22-mask',22,'"b"',0,0.0,5,12.5,'quiz',NULL,3332923390253443911);
INSERT INTO "answers" VALUES(2,'2026-11-16T19:30:49+00:00','2026-11-16','d22-grid',22,'["a", "c"]',0,0.5,3,30.0,'quiz',NULL,-3095927491989323808);
INSERT INTO "answers" VALUES(3,'2026-11-16T19:30:56+00:00','2026-11-16','d22-why',22,'{"text": "weil \u2026 \u201cso\u201d", "points": [1]}',NULL,0.5,NULL,60.0,'predict',NULL,-6816431286749695644);
INSERT INTO "answers" VALUES(4,'2026-11-16T19:31:03+00:00','2026-11-16','d14-ridge',14,'156.0',1,1.0,NULL,9.0,'placement',NULL,-3089525808827498868);
INSERT INTO "answers" VALUES(5,'2026-11-16T19:31:10+00:00','2026-11-16','d22-drawn',22,'4096',0,0.0,2,8.0,'quiz','{"n": 1024}',6911145402664713558);
INSERT INTO "answers" VALUES(6,'2026-11-17T19:31:45+00:00','2026-11-17','d22-mask',22,'"a"',1,1.0,4,6.0,'review',NULL,-391983835538911955);
CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        exercise TEXT NOT NULL,
        passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
        device TEXT NOT NULL,
        source INTEGER NOT NULL REFERENCES texts (id),
        verdict TEXT NOT NULL,               -- JSON
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "attempts" VALUES(1,'2026-11-16T19:31:31+00:00','2026-11-16','vector_add',0,'cpu-interpreter',1,'{"passed": false, "cases": []}',6963874158442135403);
INSERT INTO "attempts" VALUES(2,'2026-11-16T19:31:38+00:00','2026-11-16','vector_add',1,'cpu-interpreter',2,'{"passed": true, "cases": []}',-3021541740918644247);
CREATE TABLE card_events (
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
    ) STRICT;
INSERT INTO "card_events" VALUES(1,'2026-11-16T19:30:42+00:00','2026-11-16',1,'review',1,5,12.5,'quiz',1,NULL,NULL,5868955868969618368);
INSERT INTO "card_events" VALUES(2,'2026-11-16T19:30:49+00:00','2026-11-16',2,'review',2,3,30.0,'quiz',2,NULL,NULL,7257071355665900771);
INSERT INTO "card_events" VALUES(3,'2026-11-16T19:31:03+00:00','2026-11-16',3,'review',3,NULL,9.0,'placement',4,NULL,NULL,-7036815757419618772);
INSERT INTO "card_events" VALUES(4,'2026-11-16T19:31:10+00:00','2026-11-16',4,'review',1,2,8.0,'quiz',5,NULL,NULL,-8393613190970321657);
INSERT INTO "card_events" VALUES(5,'2026-11-16T19:31:38+00:00','2026-11-16',5,'review',2,NULL,NULL,'attempt',NULL,2,NULL,8207485360450808145);
INSERT INTO "card_events" VALUES(6,'2026-11-17T19:31:45+00:00','2026-11-17',1,'review',3,4,6.0,'review',6,NULL,NULL,9139526581768005073);
INSERT INTO "card_events" VALUES(7,'2026-11-17T19:31:52+00:00','2026-11-17',1,'undo',NULL,NULL,NULL,NULL,NULL,NULL,'9139526581768005073',7541474872251671865);
INSERT INTO "card_events" VALUES(8,'2026-11-17T19:31:59+00:00','2026-11-17',1,'review',2,4,0.0,'review',6,NULL,NULL,4127030246556556924);
INSERT INTO "card_events" VALUES(9,'2026-11-17T19:32:06+00:00','2026-11-17',6,'review',3,NULL,4.0,'review',NULL,NULL,NULL,-8281860834100623887);
INSERT INTO "card_events" VALUES(10,'2026-11-17T19:32:13+00:00','2026-11-17',2,'suspend',NULL,NULL,NULL,NULL,NULL,NULL,NULL,5855758862937243158);
INSERT INTO "card_events" VALUES(11,'2026-11-17T19:32:20+00:00','2026-11-17',6,'flag',NULL,NULL,NULL,NULL,NULL,NULL,'2',-6961125866720806243);
INSERT INTO "card_events" VALUES(12,'2026-11-17T19:32:27+00:00','2026-11-17',6,'note',NULL,NULL,NULL,NULL,NULL,NULL,'32 lanes',3125348667027438981);
INSERT INTO "card_events" VALUES(13,'2026-11-17T19:32:34+00:00','2026-11-17',7,'review',1,NULL,2.0,'review',NULL,NULL,NULL,3920775680585554);
INSERT INTO "card_events" VALUES(14,'2026-11-17T19:32:41+00:00','2026-11-17',7,'undo',NULL,NULL,NULL,NULL,NULL,NULL,'3920775680585554',-4541535365925499131);
CREATE TABLE cards (
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
    ) STRICT;
INSERT INTO "cards" VALUES(1,'question','d22-mask',1.21921727437957794215e+00,7.60420976907683776602e+00,'2026-11-18','2026-11-17',2,0,0,0,0,0,0,'','fsrs 6.3.2, rules 2');
INSERT INTO "cards" VALUES(2,'question','d22-grid',1.2931,5.11217070560105568688e+00,'2026-11-17','2026-11-16',1,0,1,0,0,0,0,'','fsrs 6.3.2, rules 2');
INSERT INTO "cards" VALUES(3,'question','d14-ridge',2.3065,2.11810397045901588342e+00,'2026-11-18','2026-11-16',1,0,0,0,0,0,0,'','fsrs 6.3.2, rules 2');
INSERT INTO "cards" VALUES(4,'question','d22-drawn',0.212,6.4133,'2026-11-17','2026-11-16',1,0,0,0,0,0,0,'','fsrs 6.3.2, rules 2');
INSERT INTO "cards" VALUES(5,'exercise','vector_add',1.2931,5.11217070560105568688e+00,'2026-11-17','2026-11-16',1,0,0,0,0,0,0,'','fsrs 6.3.2, rules 2');
INSERT INTO "cards" VALUES(6,'term','warp',2.3065,2.11810397045901588342e+00,'2026-11-19','2026-11-17',1,0,0,0,0,0,2,'32 lanes','fsrs 6.3.2, rules 2');
CREATE TABLE cells (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        cell INTEGER NOT NULL,
        ok INTEGER NOT NULL CHECK (ok IN (0, 1)),
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "cells" VALUES(1,'2026-11-16T19:30:28+00:00','2026-11-16',22,1,1,-7272235130376735084);
INSERT INTO "cells" VALUES(2,'2026-11-16T19:30:35+00:00','2026-11-16',22,2,0,-186685887869805049);
CREATE TABLE checkpoints (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        score REAL NOT NULL,
        out_of REAL NOT NULL,
        band TEXT NOT NULL,
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "checkpoints" VALUES(1,'2026-11-17T19:32:48+00:00','2026-11-17',14,3.0,4.0,'Ready',7343777490489033135);
CREATE TABLE edits (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        exercise TEXT NOT NULL,
        path TEXT NOT NULL,
        text INTEGER NOT NULL REFERENCES texts (id),
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "edits" VALUES(1,'2026-11-16T19:31:17+00:00','2026-11-16','vector_add','vector_add.py',1,-4674448258333615193);
CREATE TABLE hints (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        exercise TEXT NOT NULL,
        level INTEGER NOT NULL,
        after_pass INTEGER REFERENCES attempts (id), -- the newest passing attempt then
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "hints" VALUES(1,'2026-11-16T19:31:24+00:00','2026-11-16','vector_add',1,NULL,-1466343426835517755);
CREATE TABLE items (
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
    ) STRICT;
INSERT INTO "items" VALUES(1,'question','d22-mask','',0,0,'',0,'',1,1);
INSERT INTO "items" VALUES(2,'question','d22-grid','',0,0,'',0,'',1,1);
INSERT INTO "items" VALUES(3,'question','d14-ridge','',0,0,'',0,'',1,1);
INSERT INTO "items" VALUES(4,'question','d22-drawn','',0,0,'',0,'',1,1);
INSERT INTO "items" VALUES(5,'exercise','vector_add','',0,0,'',0,'',1,1);
INSERT INTO "items" VALUES(6,'term','warp','',0,0,'',0,'',1,1);
INSERT INTO "items" VALUES(7,'term','tile','',0,0,'',0,'',1,1);
CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE misconceptions (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        item TEXT NOT NULL,
        said TEXT NOT NULL,
        reason TEXT NOT NULL,
        correct INTEGER NOT NULL CHECK (correct IN (0, 1)),
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "misconceptions" VALUES(1,'2026-11-17T19:33:02+00:00','2026-11-17',14,'m1','partly','because',1,5917761389899162498);
CREATE TABLE positions (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        section INTEGER NOT NULL,
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "positions" VALUES(1,'2026-11-16T19:30:21+00:00','2026-11-16',22,1,-6429571398986192096);
CREATE TABLE reflections (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        prompt TEXT NOT NULL,
        text TEXT NOT NULL,
        seconds REAL NOT NULL,
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "reflections" VALUES(1,'2026-11-17T19:33:09+00:00','2026-11-17',14,'surprise','Überraschung
',40.0,5665455444589068949);
CREATE TABLE sections (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        section INTEGER NOT NULL,
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "sections" VALUES(1,'2026-11-16T19:30:14+00:00','2026-11-16',22,0,-2742680324282853717);
CREATE TABLE settings (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,                 -- JSON
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "settings" VALUES(1,'2026-11-17T19:33:16+00:00','2026-11-17','rollover_hour','5',-7098379520741963557);
CREATE TABLE texts (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        body TEXT NOT NULL
    ) STRICT;
INSERT INTO "texts" VALUES(1,X'FB649CA58CBD1C7A41055A875567387C','# first
');
INSERT INTO "texts" VALUES(2,X'C45A0D4E0581480FAB3522DD10CD0E72','# second
');
CREATE TABLE ticks (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        study_day TEXT NOT NULL,
        day INTEGER NOT NULL,
        item TEXT NOT NULL,
        ticked INTEGER NOT NULL CHECK (ticked IN (0, 1)),
        uid INTEGER UNIQUE
    ) STRICT;
INSERT INTO "ticks" VALUES(1,'2026-11-17T19:32:55+00:00','2026-11-17',14,'roofline',1,-8676543890696375231);
CREATE TABLE topics (
        topic TEXT NOT NULL,
        item INTEGER NOT NULL REFERENCES items (id),
        PRIMARY KEY (topic, item)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_question ON answers (question);
CREATE INDEX attempts_by_exercise ON attempts (exercise);
CREATE INDEX edits_by_exercise ON edits (exercise);
CREATE INDEX hints_by_exercise ON hints (exercise);
CREATE INDEX answers_by_day ON answers (study_day);
CREATE INDEX answers_of_quizzes ON answers (question) WHERE origin = 'quiz';
CREATE INDEX topics_by_item ON topics (item);
CREATE INDEX card_events_by_card ON card_events (card, at, id);
CREATE INDEX card_events_by_day ON card_events (study_day, action);
CREATE INDEX card_events_by_time ON card_events (at);
CREATE INDEX card_events_undone ON card_events (value) WHERE action = 'undo';
CREATE INDEX card_events_by_answer ON card_events (answer) WHERE answer IS NOT NULL;
CREATE INDEX cards_known ON cards (due, stability, kind) WHERE NOT suspended AND NOT orphan AND stability IS NOT NULL;
CREATE INDEX cards_new ON cards (due, id, kind) WHERE NOT suspended AND NOT orphan AND stability IS NULL;
CREATE INDEX cards_sure ON cards (due) WHERE sure AND NOT suspended AND NOT orphan;
COMMIT;
PRAGMA user_version = 2;
