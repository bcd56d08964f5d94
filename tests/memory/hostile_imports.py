"""A soak outside the suite: files for `tutor import` that somebody made up.

    python tests/memory/hostile_imports.py [NAME …]

Each goes into a record of its own. It must be refused with its line and a reason, or be imported and
harm no command afterwards. Exits with 1 if one did otherwise.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from tutor.memory.record import open_record
from tutor.memory.store.row_ids import text_digest, uid_of

HEAD = '{"tutor":"record","format":2}\n'
WHEN = {"at": "2026-11-20T10:00:00+00:00", "study_day": "2026-11-20"}
ANSWER = {
    **WHEN,
    "question": "d01-q01",
    "day": 1,
    "value": "0",
    "correct": 1,
    "credit": 1.0,
    "confidence": 3,
    "seconds": 5.0,
    "origin": "quiz",
}
ITEM = {
    "kind": "question",
    "key": "k",
    "title": "t",
    "day": 1,
    "phase": 1,
    "section": "",
    "minutes": 0,
    "digest": "",
    "rev": 1,
    "present": 1,
    "topics": [],
}
EVENT = {
    **WHEN,
    "card": '["question","k"]',
    "action": "review",
    "rating": 3,
    "seconds": 3.0,
    "origin": "review",
}
INFINITY, NAN = float("inf"), float("nan")
AFTER = (
    *("due --json", "stats --json", "stats", "export jsonl {home}/out", "backup", "search pwn"),
    *("review", "quiz 1", "import {home}/out", "restore {backup}"),
)


def line(table: str, row: dict[str, Any]) -> str:
    """A row with the uid that proves it; a column of the value None is left out."""
    row = {name: value for name, value in row.items() if value is not None}
    uid = uid_of(table, row) & ((1 << 64) - 1)
    return json.dumps({"table": table, "uid": f"{uid:016x}", **row}) + "\n"


def answer(**change: Any) -> str:
    return line("answers", {**ANSWER, **change})


def item(**change: Any) -> str:
    return json.dumps({"table": "items", **ITEM, **change}) + "\n"


def event(**change: Any) -> str:
    return item() + line("card_events", {**EVENT, **change})


def event_at(number: int) -> str:
    moment = datetime(2026, 11, 20, 10, tzinfo=timezone.utc) + timedelta(seconds=number)
    return line("card_events", {**EVENT, "at": moment.isoformat()})


def row(table: str, **columns: Any) -> str:
    return line(table, {**WHEN, **columns})


def attempt(verdict: str) -> str:
    text = json.dumps({"table": "texts", "body": "x"}) + "\n"
    source = text_digest("x").hex()
    columns = {"exercise": "vector_add", "passed": 1, "device": "cpu", "source": source}
    return text + row("attempts", **columns, verdict=verdict)


ESC = "\x1b]52;c;eA==\x07"
FILES = {
    "time garbage": answer(at="garbage"),
    "time of escapes": answer(at=ESC),
    "time without zone": answer(at="2026-11-20T10:00:00"),
    "year 1": answer(at="0001-01-01T00:00:00+00:00"),
    "year 9999": answer(at="9999-12-31T23:59:59+00:00"),
    "day garbage": answer(study_day="nope"),
    "day of 9999": answer(study_day="9999-12-31"),
    "day of 1": answer(study_day="0001-01-01"),
    "value no JSON": answer(value="{"),
    "value deep": answer(value="[" * 5000 + "]" * 5000),
    "value NaN": answer(value="NaN"),
    "params no JSON": answer(params="{"),
    "confidence a float": answer(confidence=3.0),
    "seconds infinite": answer(seconds=INFINITY),
    "seconds NaN": answer(seconds=NAN),
    "seconds negative": answer(seconds=-1e300),
    "seconds huge": answer(seconds=1e300),
    "day huge": answer(day=2**62),
    "day over": answer(day=2**70),
    "day a list": answer(day=[1]),
    "value an object": answer(value={"a": 1}),
    "credit infinite": answer(credit=INFINITY),
    "an id": answer(id=5),
    "the largest id": answer(id=2**63 - 1),
    "three times": answer() * 3,
    "question long": answer(question="q" * 5_000_000),
    "question of escapes": answer(question=ESC),
    "question half a character": answer(question="\ud800"),
    "question NUL": answer(question="a\0b"),
    "origin odd": answer(origin="zzz"),
    "uid huge": '{"table":"answers","uid":"' + "f" * 5000 + '"}\n',
    "uid negative": '{"table":"answers","uid":"-1"}\n',
    "uid a number": '{"table":"answers","uid":5}\n',
    "uid a list": '{"table":"answers","uid":[]}\n',
    "table a list": '{"table":[]}\n',
    "table an object": '{"table":{}}\n',
    "table null": '{"table":null}\n',
    "no table": "{}\n",
    "a list": "[]\n",
    "a number": "5\n",
    "a huge number": '{"table":"answers","x":' + "9" * 10000 + "}\n",
    "deep": "[" * 200_000 + "]" * 200_000 + "\n",
    "a huge line": '{"table":"texts","body":"' + "x" * 50_000_000 + '"}\n',
    "a text of a number": '{"table":"texts","body":5}\n',
    "a text of null": '{"table":"texts","body":null}\n',
    "a text of half a character": '{"table":"texts","body":"\\ud800"}\n',
    "item title a list": item(title=["x"]),
    "item day over": item(day=2**70),
    "item of no kind": item(kind="x"),
    "item topics a number": item(topics=5),
    "item topic half a character": item(topics=["\ud800"]),
    "item topic of escapes": item(topics=[ESC]) + event(),
    "item title of escapes": item(title=f"{ESC}\u202e") + event(),
    "item day negative": item(day=-5) + event(),
    "item section an object": item(section={"a": 1}),
    "item key a number": item(key=5),
    "item rev a float": item(rev=1.5),
    "item of a real key": item(key="d01-q01", title="hijacked")
    + event(card='["question","d01-q01"]'),
    "event": event(),
    "event time garbage": event(at="garbage"),
    "event time without zone": event(at="2026-11-20T10:00:00"),
    "event day garbage": event(study_day="x"),
    "event day of 9999": event(study_day="9999-12-31"),
    "event action odd": event(action="zzz"),
    "event card empty": event(card="[]"),
    "event card a number": event(card="5"),
    "event card of one": event(card='["question"]'),
    "event card an object": event(card='{"a":1}'),
    "event without a rating": event(rating=None),
    "undo of garbage": event(action="undo", value="zzz", rating=None),
    "undo of nothing": event(action="undo", value="5", rating=None),
    "flag 99": event(action="flag", value="99", rating=None),
    "flag garbage": event(action="flag", value="x", rating=None),
    "note of escapes": event(action="note", value=ESC, rating=None),
    "event of no answer": event(answer=5),
    "event answer a text": event(answer="x"),
    "event seconds infinite": event(seconds=INFINITY),
    "event of an unknown card": line("card_events", {**EVENT, "card": '["question","nosuch"]'}),
    "event of no kind": event(card='["zzz","nosuch"]'),
    "many events": item() + "".join(event_at(n) for n in range(3000)),
    "setting no JSON": row("settings", name="desired_retention", value="{"),
    "setting out of range": row("settings", name="desired_retention", value="-5"),
    "setting NaN": row("settings", name="desired_retention", value="NaN"),
    "setting a path": row("settings", name="time_zone", value='"../../etc/passwd"'),
    "setting unknown": row("settings", name="w", value="[]"),
    "checkpoint infinite": row("checkpoints", day=14, score=INFINITY, out_of=1.0, band="x"),
    "checkpoint of nothing": row("checkpoints", day=14, score=1.0, out_of=0.0, band=ESC),
    "section negative": row("sections", day=-1, section=-1),
    "section huge": row("sections", day=1, section=2**62),
    "position huge": row("positions", day=1, section=10**9),
    "position negative": row("positions", day=1, section=-7),
    "cell huge": row("cells", day=1, cell=2**40, ok=1),
    "tick of escapes": row("ticks", day=14, item=ESC, ticked=1),
    "reflection infinite": row("reflections", day=14, prompt="p", text=ESC, seconds=INFINITY),
    "reflection of escapes": row("reflections", day=14, prompt="p", text=ESC, seconds=1.0),
    "hint huge": row("hints", exercise="vector_add", level=10**12),
    "misconception odd": row("misconceptions", day=14, item="x", said="zz", reason="", correct=1),
    "byte order mark": "\ufeff",
    "blank": "\n",
    "column of SQL": '{"table":"answers","uid":"0","question) VALUES (1);--":1}\n',
    "verdict no JSON": attempt("{"),
    "verdict a list": attempt("[]"),
    "verdict a number": attempt("5"),
    "verdict null": attempt("null"),
    "verdict nested": attempt('{"cases":5,"diagnosis":"x","timing":[]}'),
    "verdict of escapes": attempt(json.dumps({"exercise": "vector_add", "device": ESC})),
    "attempt of no text": row(
        "attempts", exercise="v", passed=1, device="c", source="zz", verdict="{}"
    ),
}


def call(home: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tutor", *words],
        env={**os.environ, "TUTOR_HOME": str(home), "PYTHONSAFEPATH": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=180,
    )


def find_fault(home: Path, text: str) -> str:
    """Import the text into a new record and use it. Returns what went wrong, or ""."""
    file = home / "given.jsonl"
    file.write_bytes((HEAD + text).encode("utf-8", "surrogatepass"))
    with closing(open_record(home / "record.sqlite3")) as record:
        record.activity.section_read(1, 0)
        backup = shutil.copy(
            record.back_up(), home / "backup.sqlite3"
        )  # a later one takes its place
    done = call(home, "import", str(file))
    if done.returncode == 2:
        return (
            ""
            if b"given.jsonl" in done.stderr or b"a line is longer" in done.stderr
            else "no reason"
        )
    if done.returncode:
        return f"import: {done.returncode}"
    for words in AFTER:
        done = call(home, *words.format(home=home, backup=backup).split())
        if done.returncode not in (0, 1) or b"\x1b" in done.stdout + done.stderr:
            return f"{words}: {done.returncode} {done.stderr[-150:]!r}"
    return ""


def main() -> int:
    bad = 0
    for name in sys.argv[1:] or FILES:
        with tempfile.TemporaryDirectory() as home:
            if fault := find_fault(Path(home), FILES[name]):
                bad += 1
                print(f"BAD {name}: {fault}", flush=True)
    print(f"{len(sys.argv[1:] or FILES)} files, {bad} bad")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
